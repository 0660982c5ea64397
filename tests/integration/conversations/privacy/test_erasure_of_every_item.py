"""No value of the tables and the bucket has a trace of an erased person, beyond what the receipt names."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from conversations.store.items.catalogue import OF_THE_LOG
from conversations.store.items.log import of
from conversations.store.items.parts.function_result import FunctionResult
from conversations.store.items.parts.trial import ShadowAnswer, Trial
from conversations.store.versions.trials import Trials
from events.conversations import sample_data
from shared.aws.sqs_fifo import Entry, digest
from shared.events.exchange import File
from tests.erasure.coverage import Day, class_of
from tests.erasure.traces import words
from tests.integration.conversations.privacy.erasure import (
    ANN,
    MAIL,
    STRANGER,
    USER_ID,
    inbound_text,
)
from tests.integration.conversations.steps import (
    direct_resources,
    queue_name,
    start_conversation,
    with_model,
)
from tests.simulation.conversations.erasure import erase

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.simulation.conversations.system import System

FAR = 4_000_000_000
ANN_ELSEWHERE = "ann@home.example"
NAME, CANARY = "Ann Öhlund", "canary-words"
FILE = f"{CANARY}.pdf"
SOUGHT = words(ANN, ANN.removeprefix("+"), MAIL, MAIL.upper(), ANN_ELSEWHERE, NAME, CANARY, USER_ID)
PATTERNS = {item.__name__: f"log {item.pk_pattern} {item.sk_pattern}" for item in OF_THE_LOG}
# Classes of which no item may have a trace of a person, with the reason.
WITHOUT_TRACES = {
    "Active": "a number",
    "BusinessAddress": "an address of the company",
    "Change": "states, ids and codes",
    "Due": "the id of a conversation",
    "Ended": "ids and states",
    "Inbound": "ids",
    "Open": "ids and states",
    "Outbound": "ids",
    "Parked": "hashes; the event is in the bucket",
    "Rate": "a number, under a hash",
    "Route": "ids, under a keyed hash",
    "ShadowPlace": "ids",
    "Spent": "a number",
    "Stray": "keys and hashes",
    "TrialCounts": "numbers of a project",
    "Unanswered": "ids and a code; the words are in the conversation",
}
# Classes of which the day stores no item, with the reason.
WITHOUT_ITEMS = {
    "ActiveShard": "numbers",
    "DeadLetter": "a reason and a time, under a hash",
    "EarlyFile": "the key of a file of the inbox, under a hash",
    "ErasedAddress": "a time, under a keyed hash: what the erasure itself writes",
    "ErasedMessage": "a time, under a hash: what the erasure itself writes",
    "EvaluationResult": "answers in made-up dialogues",
    "EvaluationRun": "numbers of a project",
    "EvaluationScenarios": "made-up dialogues of a project",
    "EvaluationSet": "numbers of a project",
    "KnowledgeQuestion": "a made-up question of a project",
    "ListPosition": "a position in a provider's list",
    "ProjectVersion": "settings of a project",
    "Throttled": "a time of a project",
    "Trial": "settings of a project",
    "TurnSlots": "leases of a project",
}
TRIAL: dict[str, Any] = {
    "trial_id": "1767268800000-00000000",
    "mode": "shadow",
    "version": 2,
    "live": 1,
    "most_answers": 5,
    "until": "2026-02-01T12:00:00.000Z",
    "at_least": 50,
    "by": "api-key:1",
    "at": "2026-01-01T12:00:00.000Z",
    "made_for": "0",
}
BOB = {
    "recipient_first_name": "Bob",
    "recipient_email": "bob@example.com",
    "recipient_tel": STRANGER,
}


def values(system: System) -> dict[str, Any]:
    """All items of the tables, without the company's settings, and all objects."""
    items = {" ".join(key): row for key, row in system.rows().items() if key[0] != "company"}
    return items | {f"object {key}": body for key, body in system.objects().items()}


def others(system: System) -> None:
    start_conversation(system, request_id="req-bob", **BOB)
    system.text("bob", "A question of Bob", From=STRANGER)
    system.drain()


def _conversation(channel: str) -> Callable[[System], None]:
    def flow(system: System) -> None:
        with_model(system, f"Yes, {NAME}. {CANARY}")
        ref = start_conversation(system, channel, f"req-{channel}", recipient_first_name=NAME)
        say = system.whatsapp if channel == "whatsapp" else system.text
        if channel != "email":
            say(f"{channel}-a", f"Is there a job? {CANARY}")
            system.drain()
            say(f"{channel}-long", f"{CANARY} " * 2_000)
            system.drain()
        agents_work(system, ref)

    flow.__name__ = f"a conversation by {channel}"
    return flow


def agents_work(system: System, ref: str) -> None:
    """An agent labels a conversation, writes a note, its memory and an answer."""
    calls = {
        "labels": {"labels": [f"knows {NAME}"], "revision": 0},
        "notes": {"text": f"{NAME} prefers the morning. {CANARY}"},
        "memory": {"summary": f"{NAME} asked. {CANARY}", "facts": [CANARY], "revision": 0},
    }
    for what, body in calls.items():
        system.call_admin_api(f"POST /conversations/{{ref}}/{what}", body, ref=ref)
    system.call_admin_api("POST /conversations/{ref}/take-over", {}, ref=ref)
    system.drain()
    system.call_admin_api("POST /conversations/{ref}/messages", {"text": f"Hi. {CANARY}"}, ref=ref)
    system.drain()


def _function_result(system: System) -> None:
    """The answer of a company's function, kept for a retry of its turn."""
    ref = start_conversation(system, "sms", "req-function")
    result = FunctionResult(name="appointments", text=f"{NAME} {CANARY}", is_error=False, ttl=FAR)
    direct_resources(system).log.put(result.attributes(of(ref, FunctionResult.sk("action-1"))))


def _shadow(system: System) -> None:
    """The answer of a version on trial, which was not sent."""
    ref = start_conversation(system, "sms", "req-shadow")
    project = (sample_data.COMPANY, sample_data.PROJECT)
    trial = Trial.model_validate(TRIAL)
    answer = ShadowAnswer(
        trial_id=trial.trial_id,
        company_id=project[0],
        project_id=project[1],
        version=2,
        asked="MSG#1#1",
        at=trial.at,
        ttl=FAR,
    )
    trials = Trials(direct_resources(system).log, *project)
    trials.begin_shadow(trial, ref, answer)
    made = {"status": "made", "content": f"{NAME} {CANARY}"}
    trials.settle_shadow(ref, answer.model_copy(update=made), {"trial_answers": 1})


def _both_ids(system: System) -> None:
    start_conversation(system, "whatsapp", "req-ids")
    system.whatsapp("ids", f"Hello {CANARY}", ExternalUserId=f"whatsapp:{USER_ID}")
    system.drain()


def _files(system: System) -> None:
    start_conversation(system, "sms", "req-files")
    system.text(
        "file",
        CANARY,
        NumMedia="1",
        MediaUrl0="https://api.twilio.com/x",
        MediaContentType0="image/png",
    )
    system.drain()


def _mailed_files(system: System) -> None:
    """Files of a mail, which the threads of e-mail have copied: stored, of an unmatched mail, and of a parked one."""
    start_conversation(system, "email", "req-mail")
    business = sample_data.EMAIL_SENDER
    for name, sender, to in (
        ("stored", MAIL, business),
        ("unmatched", ANN_ELSEWHERE, business),
        ("parked", ANN_ELSEWHERE, "gone@unknown.example"),
    ):
        key = f"media/{sample_data.COMPANY}/email/{name}/{FILE}"
        direct_resources(system).bucket.put(key, CANARY.encode(), "application/pdf")
        file = File(url=f"s3://{system.bucket}/{key}", mime_type="application/pdf", name=FILE)
        event = inbound_text(system, name, "2026-01-01T12:00:00.000Z")
        mail = replace(
            event, provider="ses", account=to, channel_method="email", business_address=to
        )
        system.forward(
            replace(
                mail, provider_message_id=name, customer_address=sender, text=CANARY, media=[file]
            )
        )
        system.drain()


def _unmatched(system: System) -> None:
    system.text("unmatched", f"Hello? {CANARY}")
    system.drain()


def _attached(system: System) -> None:
    ref = start_conversation(system, "sms", "req-attached")
    system.text("second", f"From another phone {CANARY}", From="+447700900789")
    system.run_intake()
    (waiting,) = system.call_admin_api("GET /unmatched")["messages"]
    line = "POST /unmatched/{unmatched_id}/attach"
    system.call_admin_api(line, {"ref": ref}, unmatched_id=str(waiting["id"]))
    system.drain()


def _parked(system: System) -> None:
    """Parked events: of a conversation, unreadable, of an unused address, a status without its message."""
    ref = start_conversation(system, "sms", "req-parked")
    record = json.dumps({"type": "dance", "ref": ref, "text": CANARY})
    broken = f'{{"tel": "{ANN}", "{CANARY}'
    for body in (record, broken):
        system.fifo_queues.put(queue_name(system, "sms"), Entry(body, digest("g"), digest(body)))
    event = inbound_text(system, "x", "2026-01-01T12:00:00.000Z")
    event = replace(event, text=CANARY, profile_name=NAME)
    system.forward(replace(event, business_address="+12025550199"))
    sid = next(m["provider_message_id"] for m in system.log(ref) if m["author"] != "customer")
    system.remove("log", f"OUT#twilio#{sid}", "#")
    system.status(sid, "delivered", To=ANN)
    system.drain()


def _refused(system: System) -> None:
    """A message that its address does not take, and an opt-out."""
    ref = start_conversation(system, "sms", "req-refused")
    for sent in system.log(ref):
        if sent["author"] != "customer" and "provider_message_id" in sent:
            system.status(sent["provider_message_id"], "undelivered", ErrorCode="30005")
    system.text("stop", "STOP")
    system.drain()


FLOWS: list[Callable[[System], None]] = [
    _parked,
    _attached,
    _conversation("sms"),
    _conversation("whatsapp"),
    _conversation("email"),
    _both_ids,
    _function_result,
    _shadow,
    _files,
    _mailed_files,
    _unmatched,
    _refused,
]


def day(system: System, *flows: Callable[[System], None]) -> Day:
    others(system)
    before = values(system)
    for flow in flows:
        flow(system)
    stored = values(system)
    erase(system, ANN, MAIL, ANN_ELSEWHERE)
    return Day(others=before, person=stored, erased=values(system), words=SOUGHT)


@pytest.mark.parametrize("flow", FLOWS, ids=[one.__name__.strip("_") for one in FLOWS])
def test_nothing_of_a_flow_is_left(system: System, flow: Callable[[System], None]) -> None:
    done = day(system, flow)

    assert done.left() == {}
    assert done.harmed(except_for=["ACTIVE#", "ADDR#", "DAY#", "RATE#", "SPENT#", "TOKENS#"]) == []


@pytest.mark.long
def test_nothing_of_a_day_is_left_and_every_class_is_tried(system: System) -> None:
    done = day(system, *FLOWS)

    assert done.left() == {}
    stored = {name for place in done.person if (name := class_of(place, PATTERNS)) is not None}
    assert sorted(PATTERNS.keys() - stored) == sorted(WITHOUT_ITEMS)
    assert sorted(stored - done.tried(PATTERNS)) == sorted(WITHOUT_TRACES)
