"""A message that cannot be handled is parked and does not affect others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from events.whatsapp import gateway, payloads
from events.whatsapp.payloads import content, interactive, text
from events.whatsapp.sample_data import ADA, COUNTER, JUERGEN, STRANGER
from events.whatsapp.samples import sample
from tests.simulation.whatsapp.event_builders import (
    EVENT_MINUTE,
    TIMELINE,
    ada_message,
    post,
    wamid,
    webhook_of,
)
from tests.simulation.whatsapp.final_state import check_at_any_time, check_at_rest
from tests.simulation.whatsapp.system import System

NESTED: dict[str, Any] = {}
for _ in range(60):
    NESTED = {"inside": NESTED}
HUGE = "x" * 500_000


def status_of(word: object, message_id: str = "wamid.of-nobody", **extra: object) -> payloads.Json:
    status = payloads.status(ADA, message_id, "sent", TIMELINE.at(EVENT_MINUTE), **extra) | {
        "status": word
    }
    return payloads.statuses_change(COUNTER, [status])


def message_of(body: payloads.Json, **extra: object) -> payloads.Json:
    return payloads.messages_change(COUNTER, [ada_message("poison", body) | extra], [ADA])


HOSTILE: dict[str, payloads.Json] = {
    "no sender": payloads.messages_change(
        COUNTER, [{"id": "wamid.p", "timestamp": "1", **text("who?")}], []
    ),
    "another business's number": payloads.messages_change(
        STRANGER, [ada_message("p", text("?"))], [ADA]
    ),
    "an edit of nothing": message_of(content("edit", {})),
    "a revocation of nothing": message_of(content("revoke", "all")),
    "a reaction to nothing": message_of(content("reaction", {"emoji": "👍"})),
    "a status without a rank": status_of("pondered"),
    "a status that is a list": status_of(["sent"]),
    "a status with a huge price": status_of("sent", pricing={"category": HUGE}),
    "a number of 60 digits": message_of(
        content("order", {"product_items": [{"quantity": 10**60}]})
    ),
    "a number beyond all bounds": message_of(content("location", {"latitude": "INFINITE"})),
    "a time in the year 300000": message_of(
        interactive("call_permission_reply", {"expiration_timestamp": 9_999_999_999_999})
    ),
    "an id of 3,000 characters": payloads.messages_change(
        COUNTER, [ada_message("p", text("long id")) | {"id": "w" * 3_000}], [ADA]
    ),
    "an id that is no text": payloads.messages_change(
        COUNTER, [ada_message("p", text("id")) | {"id": "wamid.\ud800"}], [ADA]
    ),
    "a sender of 3,000 digits": payloads.messages_change(
        COUNTER, [ada_message("p", text("?")) | {"from": "4" * 3_000}], []
    ),
    "an object that nests too deep": message_of(content("ride_invitation", NESTED)),
    "a huge caption": message_of(content("image", {"id": "1", "caption": HUGE})),
    "a huge file name": message_of(content("document", {"id": "2", "filename": HUGE})),
    "a huge referral": message_of(text("hi"), referral={"body": HUGE, "source_id": "1"}),
    "a huge quoted product": message_of(text("hi"), context={"referred_product": {"x": HUGE}}),
    "a huge edit": message_of(
        content("edit", {"original_message_id": wamid("before"), "message": text(HUGE)})
    ),
    "a huge reaction": message_of(
        content("reaction", {"message_id": wamid("before"), "emoji": HUGE})
    ),
    "a huge list of errors": message_of(content("unsupported", {}), errors=[{"title": HUGE}] * 3),
    "a field of 3,000 characters": {"field": "f" * 3_000, "value": {"x": 1}},
    "a phone id of 3,000 digits": payloads.change(
        "messages", replace(COUNTER, phone="4" * 3_000), messages=[ada_message("p", text("?"))]
    ),
    "a group id of 3,000 characters": message_of(text("hi"), group_id="g" * 3_000),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_poison_message_does_not_affect_other_messages(system: System, name: str) -> None:
    post_with = post(
        payloads.messages_change(COUNTER, [ada_message("before", text("before"), 760)], [ADA]),
        HOSTILE[name],
        payloads.messages_change(COUNTER, [ada_message("after", text("after"), 779)], [ADA]),
        payloads.messages_change(
            COUNTER, [payloads.message(JUERGEN, "wamid.j", TIMELINE.at(765), text("me"))], [JUERGEN]
        ),
    )
    as_sent = post_with["body"].replace('"INFINITE"', "1e999")
    system.deliver_until_accepted(resigned(post_with, as_sent))
    system.run_worker()
    assert [message for message in system.queue.messages if message.receives] == []
    system.drain()  # caused by the messages
    assert system.queue.dead_letters == []
    items = system.items()
    assert {f"MSG#{wamid('before')}", f"MSG#{wamid('after')}", "MSG#wamid.j"} <= items.keys()
    check_at_any_time(system, {})
    check_at_rest(system, items)


def test_a_queue_record_without_a_valid_event_is_parked(system: System) -> None:
    system.deliver_until_accepted(sample("text").event)
    for message in system.queue.messages:
        message.body = message.body[: len(message.body) // 2]
    system.deliver_until_accepted(webhook_of(ada_message("next", text("next"))))
    system.run_worker()
    assert system.queue.messages == []
    assert sorted(system.outcomes.values()) == ["parked", "persisted"]


def resigned(event: dict[str, Any], body: str) -> dict[str, Any]:
    """The same request with another body, signed again."""
    return gateway.post("poison", TIMELINE.at(EVENT_MINUTE), body.encode())
