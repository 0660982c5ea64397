"""
Events of Ada and the bicycle shop in one evening: Lambda events of the ingress and queue entries.

They cover the orders and combinations that the day of the samples in `events` lacks.
"""

from __future__ import annotations

import json
from typing import Any

from events.whatsapp import gateway, payloads
from events.whatsapp.payloads import content, interactive, status, text
from events.whatsapp.sample_builder import SampleBuilder
from events.whatsapp.sample_data import ADA, COMPANY, COUNTER, BusinessNumber
from shared.aws.sqs_fifo import Entry, digest
from shared.events.exchange import OutboundMessage, body_of
from shared.runtime.clock import to_text
from tests.simulation.whatsapp.system import registered
from whatsapp.jobs import unfinished_sends
from whatsapp.store.items import Intent

type Event = dict[str, Any]

TIMELINE = SampleBuilder()
EVENT_MINUTE = 770  # minute of the day, before the simulation's clock
ACTION_ID = "q5swyy3pnvssa5dpebugkzlmpa"
SENT = "wamid.sent-by-parley"
OTHER_ID_OF_SENT = "0d1c2b3a-4f5e-4d6c-8b7a-000000000001"


def post(*changes: payloads.Json, minute: int = EVENT_MINUTE) -> Event:
    """A signed webhook of the counter's number."""
    body = payloads.webhook(payloads.entry(COUNTER.waba, *changes))
    return gateway.post("simulated", TIMELINE.at(minute) + 1, gateway.meta_bytes(body))


def ada_message(
    label: str, body: payloads.Json, minute: int = EVENT_MINUTE, **extra: object
) -> payloads.Json:
    """A message of Ada's; *label* makes its id."""
    return payloads.message(ADA, wamid(label), TIMELINE.at(minute), body, **extra)


def wamid(label: str) -> str:
    """A message id."""
    return TIMELINE.inbound_id(ADA, label)


def webhook_of(*messages: payloads.Json, number: BusinessNumber = COUNTER) -> Event:
    """One webhook with these messages of Ada's."""
    return post(payloads.messages_change(number, messages, [ADA]))


def echo_webhook(
    label: str, minute: int = EVENT_MINUTE, body: str = "We are open until six."
) -> Event:
    """Messages of the shop to Ada from its own app."""
    written = payloads.echo(COUNTER, ADA, wamid(label), TIMELINE.at(minute), text(body))
    return post(payloads.change("smb_message_echoes", COUNTER, message_echoes=[written]))


def status_webhook(message_id: str, *words: str, **extra: object) -> Event:
    """Statuses of one message, one second apart, in one webhook, in the order of *words*."""
    order = ("sent", "delivered", "read", "played", "failed")
    statuses = [
        status(ADA, message_id, word, TIMELINE.at(EVENT_MINUTE + 1) + order.index(word), **extra)
        for word in words
    ]
    return post(payloads.statuses_change(COUNTER, statuses))


def account_webhook(field: str, value: payloads.Json, second: int = 0) -> Event:
    """A webhook about the counter's whole account, so many seconds into the evening."""
    change = {"value": value, "field": field}
    entry = payloads.entry(COUNTER.waba, change) | {"time": TIMELINE.at(EVENT_MINUTE) + second}
    at = TIMELINE.at(EVENT_MINUTE + 1) + 1
    return gateway.post("simulated", at, gateway.meta_bytes(payloads.webhook(entry)))


def outbound_event(provider_id: str, minute: int = EVENT_MINUTE) -> Entry:
    """The event of conversations about an answer that it sent to Ada from the counter's number."""
    message = OutboundMessage(
        provider="meta",
        provider_message_id=provider_id,
        action_id=ACTION_ID,
        company=COMPANY,
        account=COUNTER.waba,
        business_address=COUNTER.phone,
        customer_address=f"+{ADA.wa_id}",
        message_type="text",
        content={"body": "Your bike is ready"},
        occurred_at=to_text(TIMELINE.at(minute) * 1_000 + 250),
    )
    return Entry(body_of(message), digest("outbound", ADA.wa_id), digest("outbound", ACTION_ID))


def unfinished_send() -> Entry:
    """The event of the schedule about a send whose intent still exists."""
    intent = Intent(pk=Intent.key(ACTION_ID), company=COMPANY, message={}, phone=COUNTER.phone)
    phone = registered(COUNTER)
    event = unfinished_sends.event_of(intent, phone, TIMELINE.at(EVENT_MINUTE) * 1_000)
    return event.entry(group=(event.kind, event.id), deduplication=(event.id,))


def ada_edit(label: str, target: str, new: str, minute: int = EVENT_MINUTE) -> payloads.Json:
    """Ada's edit of her message *target*."""
    change = {"original_message_id": wamid(target), "message": text(new)}
    return ada_message(label, content("edit", change), minute)


def ada_revoke(label: str, target: str, minute: int = EVENT_MINUTE) -> payloads.Json:
    """Ada deletes her message *target*."""
    return ada_message(label, content("revoke", {"original_message_id": wamid(target)}), minute)


def ada_reaction(label: str, target: str, emoji: str, minute: int = EVENT_MINUTE) -> payloads.Json:
    """Ada's reaction to *target*."""
    return ada_message(
        label, content("reaction", {"message_id": wamid(target), "emoji": emoji}), minute
    )


def call_webhook(*words: str) -> Event:
    """Events of one call of Ada's, one second apart, in the order of *words*."""
    order = ("connect", "RINGING", "ACCEPTED", "terminate")
    ends = {"from": ADA.wa_id, "to": COUNTER.display, "direction": "USER_INITIATED"}
    events = [
        {
            "id": "wacid.simulated",
            "timestamp": str(TIMELINE.at(EVENT_MINUTE) + order.index(word)),
            "event": word,
            **ends,
            **({"status": "COMPLETED", "duration": 2} if word == "terminate" else {}),
        }
        for word in words
    ]
    return post(payloads.change("calls", COUNTER, calls=events))


def call_file_webhook(name: str, part: payloads.Json) -> Event:
    """A file of the call of `call_webhook`: *name* as in `call_recording_available`."""
    event = {
        "id": "wacid.simulated",
        "from": ADA.wa_id,
        "to": COUNTER.display,
        "direction": "USER_INITIATED",
        "timestamp": str(TIMELINE.at(EVENT_MINUTE) + 60),
        "event": f"{name}_available",
        name: part,
    }
    return post(payloads.change("calls", COUNTER, calls=[event]))


def history_webhook(*messages: payloads.Json) -> Event:
    """The messages of Ada's thread in the history."""
    thread = {"id": ADA.wa_id, "messages": list(messages)}
    return post(payloads.change("history", COUNTER, history=[{"threads": [thread]}]))


def ada_form(
    label: str, name: str, answers: payloads.Json, minute: int = EVENT_MINUTE
) -> payloads.Json:
    """Ada's answers to a form."""
    reply = {"name": name, "body": "Sent", "response_json": json.dumps(answers)}
    return ada_message(label, interactive("nfm_reply", reply), minute)


def addresses_webhook(*numbers: int) -> Event:
    """Addresses that Ada sends, one minute apart."""
    return webhook_of(
        *(
            ada_form(f"a{n}", "address_message", {"values": {"address": f"{n} Mill Lane"}}, 700 + n)
            for n in numbers
        )
    )


def saved_contact_webhook(*actions: str, name: str = "Ada (tandem)") -> Event:
    """The business saves Ada in its app's address book, or removes her: *actions*, one second apart."""
    entries = [
        {
            "type": "contact",
            "action": action,
            "contact": {"phone_number": ADA.wa_id}
            | ({} if action == "remove" else {"full_name": f"{name} {second}"}),
            "metadata": {"timestamp": str(TIMELINE.at(EVENT_MINUTE) + second)},
        }
        for second, action in enumerate(actions)
    ]
    return post(payloads.change("smb_app_state_sync", COUNTER, state_sync=entries))


def group_webhook(kind: str, second: int) -> Event:
    """Ada joins or leaves a group."""
    facts = {"group_id": "g-1", "timestamp": str(TIMELINE.at(EVENT_MINUTE) + second), "type": kind}
    entry = facts | {kind: [{"wa_id": ADA.wa_id}]}
    return post(payloads.change("group_participants_update", COUNTER, groups=[entry]))
