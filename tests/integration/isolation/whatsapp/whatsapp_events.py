"""
Attacks on the queues of WhatsApp, made from all events of A's day: each event on the queue is sent again by B's account
about B's number, with A's ids in it, and about A's number by B's app.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from events.whatsapp.direct import ORDER
from events.whatsapp.sample_data import ADA, COUNTER, PRIYA, WORKSHOP, BusinessNumber
from events.whatsapp.samples import samples
from shared.aws.sqs_fifo import Entry, digest
from shared.events.exchange import OutboundMessage, body_of
from shared.runtime.clock import to_text
from tests.integration.isolation.attacks.events_under_attack import EventAttack
from tests.integration.isolation.whatsapp.whatsapp_items import CAMPAIGN, EXPORT, RUN
from tests.integration.isolation.whatsapp.whatsapp_setup import (
    APP_B,
    COMPANY_B,
    COUNTER_B,
    WORKSHOP_B,
    TwoCompanies,
)
from tests.simulation.whatsapp.event_builders import ACTION_ID, TIMELINE
from whatsapp.inbound import owners as tenancy
from whatsapp.inbound import splitter
from whatsapp.inbound.event import (
    ANNOUNCED,
    CAMPAIGN_CUT,
    CAMPAIGN_PAGE,
    OUTBOUND,
    PAYMENT_CLAIM,
    PRIVACY_JOB,
    REFRESH,
    SEQUENCE_STEP,
    TRANSCRIPTION,
    UNFINISHED_SEND,
)
from whatsapp.worker import dispatcher, message_exports
from whatsapp.worker.media import downloads
from whatsapp.worker.messages import read_receipts
from whatsapp.worker.updates import dispatcher as updates_dispatcher

if TYPE_CHECKING:
    from shared.privacy.jobs import Kind

type Attack = EventAttack[TwoCompanies]

# Events that the functions enqueue themselves.
INTERNAL = frozenset({downloads.KIND, read_receipts.KIND, PRIVACY_JOB})

FILES = "WhatsAppJobs <- WhatsAppJobsQueue"
QUEUE = "WhatsAppWorker <- WhatsAppQueue"
CAMPAIGNS = "WhatsAppJobs <- WhatsAppCampaignsQueue"
OF_B = {COUNTER.phone: COUNTER_B, WORKSHOP.phone: WORKSHOP_B}
ACCOUNTS_OF_B = {COUNTER.waba: COUNTER_B, WORKSHOP.waba: WORKSHOP_B}
KINDS_OF_CAMPAIGNS = frozenset({CAMPAIGN_CUT, CAMPAIGN_PAGE})
# Names nothing: it refreshes numbers of all companies, and its only content is an hour.
WITHOUT_NAMES = frozenset({REFRESH})
MISMATCH = frozenset(
    {"app_mismatch", "company_mismatch", "unknown_phone", "unknown_account", "malformed"}
)


def kinds() -> frozenset[str]:
    """All kinds of events that the worker handles, from the tables of the code."""
    arrays = {kind for pairs in splitter._ARRAYS.values() for _, kind in pairs}
    whole = set(splitter._KINDS_OF_WHOLE_CHANGES.values())
    handled = {
        *dispatcher._OF_PHONES,
        *updates_dispatcher._OF_PHONES,
        *updates_dispatcher._OF_ACCOUNTS,
    }
    beside = {"other", "malformed", ANNOUNCED, *INTERNAL}
    return frozenset((arrays | whole | handled | beside | tenancy.OF_A_PHONE) - {OUTBOUND})


def kinds_of_jobs() -> frozenset[str]:
    """All kinds of events of the queue of jobs."""
    return frozenset({*dispatcher._JOBS, SEQUENCE_STEP, REFRESH, TRANSCRIPTION})


def message_types() -> frozenset[str]:
    """The types of messages that change an earlier message."""
    return frozenset(dispatcher._CHANGES)


# The events of A's day, sent again


def as_b(event: dict[str, Any]) -> dict[str, Any]:
    """The same event from B's app and account, about B's number; all ids in its payload stay A's."""
    number = OF_B.get(event["phone"]) or ACCOUNTS_OF_B.get(event["waba"]) or COUNTER_B
    changes = {"waba": number.waba, "app": APP_B if event["source"] == "meta" else event["app"]}
    if event["phone"]:
        changes |= {"phone": number.phone, "displayPhone": number.display}
    return event | changes


def by_app_of_b(event: dict[str, Any]) -> dict[str, Any]:
    """The same event about A's number, signed by B's app."""
    return event | {"source": "meta", "app": APP_B}


def kind_of(event: dict[str, Any]) -> str:
    """The kind of an event, with the type of a message: `message/edit`."""
    kind = str(event.get("kind", ANNOUNCED))
    type_ = (event.get("payload") or {}).get("type") if kind == "message" else None
    return f"{kind}/{type_}" if type_ else kind


def put(companies: TwoCompanies, event: dict[str, Any]) -> None:
    """Put an event on the queue."""
    body = json.dumps(event)
    companies.system.deliver(Entry(body, digest("attack"), digest(body)))


def again(
    kind: str, change: Callable[[dict[str, Any]], dict[str, Any]]
) -> Callable[[TwoCompanies], None]:
    """Put every event of a kind of A's day on the queue again, changed."""

    def make(companies: TwoCompanies) -> None:
        events = [json.loads(body) for body in companies.events_of_a]
        chosen = [event for event in events if kind_of(event) == kind]
        assert chosen, f"company A's day has no event of the kind {kind}"
        for event in chosen:
            put(companies, change(event))

    return make


def made(kind: str, payload: dict[str, Any], field: str) -> dict[str, Any]:
    """An event of a kind that is missing in A's day."""
    return {
        "v": 1, "kind": kind, "id": f"attack-{kind}", "source": "meta", "app": APP_B,
        "acceptedAt": TIMELINE.at(770) * 1_000, "waba": COUNTER_B.waba, "phone": COUNTER_B.phone,
        "displayPhone": COUNTER_B.display, "field": field, "at": TIMELINE.at(770), "index": 0,
        "contact": None, "payload": payload, "hash": digest(kind),
    }  # fmt: skip


def sent_elsewhere(
    number: BusinessNumber, account: str, provider_id: str
) -> Callable[[TwoCompanies], None]:
    """B's conversations announce a message that they sent under the id of an action of A."""

    def make(companies: TwoCompanies) -> None:
        message = OutboundMessage(
            provider="meta",
            provider_message_id=provider_id,
            action_id=ACTION_ID,
            company=COMPANY_B,
            account=account,
            business_address=number.phone,
            customer_address=f"+{ADA.wa_id}",
            message_type="text",
            content={"body": "Forged"},
            occurred_at=to_text(TIMELINE.at(770) * 1_000),
        )
        body = body_of(message)
        companies.system.deliver(Entry(body, digest("attack"), digest(body)))

    return make


def on_queue(kinds_queued: frozenset[str]) -> list[Attack]:
    """Both attacks with each kind of event in A's day."""
    attacks: list[Attack] = []
    for kind in sorted(kinds_queued):
        attacks.append(
            EventAttack(
                surface=QUEUE, type=kind, names="A's ids, by B's account", make=again(kind, as_b)
            )
        )
        if kind not in INTERNAL:  # no app signs them
            attacks.append(
                EventAttack(
                    surface=QUEUE,
                    type=kind,
                    names="A's number and ids, by B's app",
                    make=again(kind, by_app_of_b),
                    parked=MISMATCH,
                )
            )
    return attacks


def kinds_of_samples() -> frozenset[str]:
    """The kinds of events that the samples enqueue, and those that the worker enqueues itself."""
    found = set(INTERNAL)
    for sample in samples():
        if sample.expects.accepted:
            for entry in sample.entries:
                for event in splitter.events_of_entry(entry, splitter.Delivery("meta", "", 0)):
                    found.add(kind_of({"kind": event.kind, "payload": event.payload}))
    return frozenset(found)


# The customer's user id changes.
IDENTITY = {
    "wa_id": PRIYA.wa_id,
    "user_id": {"previous": PRIYA.user_id, "current": "GB.1"},
    "timestamp": str(TIMELINE.at(770)),
}


def file_of_a(companies: TwoCompanies) -> None:
    """Put every download of A's day on the queue of files again, by B's account."""
    name = companies.system.name_of("WhatsAppJobsQueue")
    for body in companies.events_of_a:
        event = json.loads(body)
        if kind_of(event) == downloads.KIND:
            companies.system.queue.put_standard(name, json.dumps(as_b(event)))


def job_about_a(kind: str, id_: str, payload: dict[str, Any]) -> Callable[[TwoCompanies], None]:
    """Put a step of A's longer work on its queue, from B's number."""

    def make(companies: TwoCompanies) -> None:
        is_of_campaign = kind in KINDS_OF_CAMPAIGNS
        queue = "WhatsAppCampaignsQueue" if is_of_campaign else "WhatsAppJobsQueue"
        name = companies.system.name_of(queue)
        event = made(kind, payload, kind) | {"id": id_, "source": "parley"}
        companies.system.queue.put_standard(name, json.dumps(event))

    return make


def job_of_b(kind: Kind) -> Callable[[TwoCompanies], None]:
    """B erases or exports a customer of A, who is also a customer of B."""

    def make(companies: TwoCompanies) -> None:
        own = companies.system.admin.privacy_jobs
        own.start(kind, COMPANY_B, ADA.wa_id, by="an agent of B")

    return make


KINDS_OF_A = kinds_of_samples() | {"status"}

ON_QUEUE: list[Attack] = [
    *on_queue(KINDS_OF_A),
    *(
        EventAttack(
            surface=QUEUE,
            type=PRIVACY_JOB,
            names=f"A's customer, to {kind} it",
            make=job_of_b(kind),
        )
        for kind in ("erase", "export")
    ),
    EventAttack(
        surface=FILES, type=downloads.KIND, names="A's files, by B's account", make=file_of_a
    ),
    EventAttack(
        surface=CAMPAIGNS,
        type=CAMPAIGN_CUT,
        names="A's campaign, from B's number",
        make=job_about_a(CAMPAIGN_CUT, CAMPAIGN, {"campaign": CAMPAIGN, "page": 0}),
    ),
    EventAttack(
        surface=CAMPAIGNS,
        type=CAMPAIGN_PAGE,
        names="A's campaign, from B's number",
        make=job_about_a(CAMPAIGN_PAGE, CAMPAIGN, {"campaign": CAMPAIGN, "page": 1}),
    ),
    EventAttack(
        surface=FILES,
        type=SEQUENCE_STEP,
        names="A's sequence, from B's number",
        make=job_about_a(SEQUENCE_STEP, RUN, {}),
    ),
    EventAttack(
        surface=QUEUE,
        type=TRANSCRIPTION,
        names="A's message, from B's number",
        make=lambda c: put(
            c,
            made(TRANSCRIPTION, {"messagePk": f"MSG#{c.names['recording']}"}, TRANSCRIPTION)
            | {"source": "parley"},
        ),
        parked=frozenset({"tenant_mismatch"}),
    ),
    EventAttack(
        surface=FILES,
        type=TRANSCRIPTION,
        names="A's message, from B's number",
        make=lambda c: job_about_a(
            TRANSCRIPTION, c.names["recording"], {"messagePk": f"MSG#{c.names['recording']}"}
        )(c),
        parked=frozenset({"tenant_mismatch"}),
    ),
    EventAttack(
        surface=FILES,
        type=message_exports.KIND,
        names="A's export, from B's number",
        make=job_about_a(message_exports.KIND, EXPORT, {"page": 0}),
        parked=frozenset({"no_export_job"}),
    ),
    EventAttack(
        surface=QUEUE,
        type=PAYMENT_CLAIM,
        names="A's order, by B's app",
        make=lambda c: put(
            c, made(PAYMENT_CLAIM, {"reference": ORDER, "status": "failed"}, PAYMENT_CLAIM)
        ),
        parked=MISMATCH,
    ),
    EventAttack(
        surface=QUEUE,
        type=UNFINISHED_SEND,
        names="A's action, from B's number",
        make=lambda c: put(c, made(UNFINISHED_SEND, {}, UNFINISHED_SEND) | {"id": action_of_a(c)}),
        parked=frozenset({"tenant_mismatch"}),
    ),
    EventAttack(
        surface=QUEUE,
        type="malformed",
        names="A's stored payload, as the body of B's event",
        make=lambda c: put(c, made("malformed", {}, "") | {"claim": claim_of_a(c)}),
    ),
    EventAttack(
        surface=QUEUE,
        type="message/text",
        names="A's stored payload, as the body of B's event",
        make=lambda c: put(c, made("message", {}, "messages") | {"claim": claim_of_a(c)}),
    ),
    EventAttack(
        surface=QUEUE,
        type="identity",
        names="the user id of A's customer, by B's account",
        make=lambda c: put(c, made("identity", IDENTITY, "user_id_update")),
    ),
    EventAttack(
        surface=QUEUE,
        type="identity",
        names="A's number and the user id of its customer, by B's app",
        make=lambda c: put(
            c, made("identity", IDENTITY, "user_id_update") | {"phone": COUNTER.phone}
        ),
        parked=MISMATCH,
    ),
    EventAttack(
        surface=QUEUE,
        type=ANNOUNCED,
        names="A's action, from B's number",
        make=sent_elsewhere(COUNTER_B, COUNTER_B.waba, "wamid.of-b"),
    ),
    EventAttack(
        surface=QUEUE,
        type=ANNOUNCED,
        names="A's message, from B's number",
        make=sent_elsewhere(COUNTER_B, COUNTER_B.waba, "wamid.canary"),
    ),
    EventAttack(
        surface=QUEUE,
        type=ANNOUNCED,
        names="A's number, by B's account",
        make=sent_elsewhere(COUNTER, COUNTER_B.waba, "wamid.of-b"),
        parked=MISMATCH,
    ),
]


def claim_of_a(companies: TwoCompanies) -> str:
    """The pointer to a payload of A in the bucket."""
    return next(key for key in companies.system.objects() if companies.names["event_id"] in key)


def action_of_a(companies: TwoCompanies) -> str:
    """The id of an action in A's ledger."""
    return next(key for key in companies.system.items() if key.startswith("ACTION#"))[7:]
