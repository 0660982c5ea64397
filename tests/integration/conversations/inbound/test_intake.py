"""Inbound messages of every kind are stored first, and a repeated one changes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conversations.lifecycle import conversation, transitions
from conversations.lifecycle.status import Status
from conversations.lifecycle.transitions import Cause
from events.conversations import sample_data, twilio
from shared.events.exchange import InboundMessage
from shared.runtime import clock
from tests.integration.conversations.steps import (
    DAY_MS,
    HOUR_MS,
    direct_resources,
    status_of,
    take_over,
    texts_by,
    write,
)

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System


def whatsapp(system: System, text: str = "Hello", name: str = "m", **fields: str) -> None:
    system.whatsapp(name, text, **fields)
    system.drain()


def newest_of_customer(system: System, ref: str) -> dict[str, Any]:
    return next(m for m in reversed(system.log(ref)) if m["author"] == "customer")


# Stored


def test_a_message_is_stored_completely_and_updates_the_marks(system: System) -> None:
    ref = system.begin("sms")
    system.clock.ms += HOUR_MS
    now = clock.to_text(system.clock.ms)

    system.text("m", "Which shift is it?")
    system.run_intake()

    message = newest_of_customer(system, ref)
    assert (message["role"], message["content"], message["kind"]) == (
        "user",
        "Which shift is it?",
        "text",
    )
    assert (message["provider"], message["provider_message_id"]) == ("twilio", twilio.sid_of("m"))
    assert message["message_timestamp"] == now
    state = system.state(ref)
    assert state["last_inbound_at"] == state["last_message_at"] == now
    assert state["window_until"] == clock.to_text(system.clock.ms + DAY_MS - 60_000)
    assert (
        system.conversation(ref)["messages"][-1]["role"] == "assistant"
    )  # The item is updated by the turn.


@pytest.mark.parametrize(
    ("fields", "kind", "content"),
    [
        ({"Body": ""}, "unknown", "[unknown]"),
        ({"Body": "", "NumMedia": "1", "MediaUrl0": "https://x.example/1", "MediaContentType0": "image/jpeg"},
         "media", "[image]"),
        ({"Body": "", "Latitude": "51.5", "Longitude": "-0.1"}, "location", "[location]"),
        ({"ButtonText": "Yes, please", "ButtonPayload": "yes"}, "button", "Hello"),
        ({"Body": "", "MessageType": "hologram"}, "unknown", "[unknown]"),
    ],
    ids=["nothing", "a picture", "a place", "a button", "something new"],
)  # fmt: skip
def test_every_kind_of_message_is_stored_and_answered(
    system: System, fields: dict[str, str], kind: str, content: str
) -> None:
    ref = system.begin("whatsapp")

    whatsapp(system, **fields)

    message = newest_of_customer(system, ref)
    assert (message["kind"], message["content"]) == (kind, content)
    assert len(texts_by(system, ref)) == 2


def test_fields_without_an_attribute_of_their_own_are_kept(system: System) -> None:
    ref = system.begin("whatsapp")

    whatsapp(system, Forwarded="true", BrandNewField="of tomorrow")

    assert newest_of_customer(system, ref)["extra"]["BrandNewField"] == "of tomorrow"


def test_a_long_text_is_stored_in_the_bucket_and_the_model_receives_its_first_part(
    system: System,
) -> None:
    ref = system.begin("email")
    text = "Which shift is it? " + "blah " * 4_000

    system.forward(mail(system, "m", text))
    system.drain()

    message = newest_of_customer(system, ref)
    assert len(message["content"]) == 4_000
    assert system.objects()[message["content_key"]].decode() == text
    assert "nights" in texts_by(system, ref)[-1]


def mail(system: System, name: str, text: str, **fields: Any) -> InboundMessage:
    """A mail as the mail context forwards it."""
    return InboundMessage(**{
        "provider": "ses",
        "provider_message_id": f"{name}@mail.example",
        "account": "arn:aws:ses",
        "channel_method": "email",
        "business_address": sample_data.EMAIL_SENDER,
        "customer_address": sample_data.CANDIDATE_EMAIL,
        "received_at": clock.to_text(system.clock.ms),
        "kind": "text",
        "text": text,
        "extra": {"trust": "verified"},
        **fields,
    })  # fmt: skip


# Stored only


def reaction(system: System, ref: str) -> InboundMessage:
    return InboundMessage(
        provider="twilio",
        provider_message_id="SM-reaction",
        account=twilio.ACCOUNT,
        channel_method="whatsapp",
        business_address=sample_data.WHATSAPP_SENDER,
        customer_address=sample_data.CANDIDATE,
        received_at="2026-01-01T12:10:00.000Z",
        kind="reaction",
        text="👍",
    )


def test_a_reaction_is_only_stored(system: System) -> None:
    ref = system.begin("whatsapp")

    system.forward(reaction(system, ref))
    system.drain()

    assert newest_of_customer(system, ref)["kind"] == "reaction"
    assert len(system.sent()) == 1


def test_an_automatic_mail_is_stored_and_never_answered(system: System) -> None:
    ref = system.begin("email")

    extra = {"trust": "verified", "auto_answer_allowed": False}
    system.forward(mail(system, "m", "I am out of office.", extra=extra))
    system.drain()

    assert newest_of_customer(system, ref)["content"] == "I am out of office."
    assert len(system.sent()) == 1


def test_a_message_to_an_agent_is_stored_and_waits_for_them(system: System) -> None:
    ref = system.begin("sms")
    take_over(system, ref)

    write(system)

    assert status_of(system, ref)[0] == "handoff_active"
    assert len(texts_by(system, ref)) == 1


# Answers from outside Parley


def outside(system: System) -> InboundMessage:
    return mail(system, "o", "It is me, Eve: come on Monday.", type="human_reply")


def test_an_answer_from_outside_hands_the_conversation_off(system: System) -> None:
    ref = system.begin("email")

    system.forward(outside(system))
    system.forward(mail(system, "m", "Which shift is it?"))
    system.drain()

    message = next(m for m in system.log(ref) if m["author"] == "human:external")
    assert (message["role"], message["content"]) == ("assistant", "It is me, Eve: come on Monday.")
    assert status_of(system, ref) == ("handoff_active", "answered_outside")
    assert len(system.sent()) == 1


def test_a_repeated_answer_from_outside_causes_no_second_hand_off(
    system: System,
) -> None:
    ref = system.begin("email")
    system.forward(outside(system))
    system.drain()
    hand_back(system, ref)

    system.clock.ms += HOUR_MS
    system.forward(outside(system))
    system.drain()

    assert status_of(system, ref)[0] == "initial_message_sent"


def hand_back(system: System, ref: str) -> None:
    resources = direct_resources(system)
    cause = Cause(who="human:eve", what="hand-back", reason="handed_back")
    transitions.move(
        resources, conversation.load(resources, ref), Status.INITIAL_MESSAGE_SENT, cause
    )


# Repeated events


def test_another_text_under_the_same_id_is_parked(system: System) -> None:
    ref = system.begin("sms")
    write(system, "Which shift is it?")

    write(system, "Transfer the money")

    assert system.parked() == ["conflict"]
    assert newest_of_customer(system, ref)["content"] == "Which shift is it?"
    assert len(system.sent()) == 2


def test_a_webhook_repeated_a_week_later_changes_nothing(system: System) -> None:
    system.begin("sms")
    write(system)
    before = _without(system, "last_activity_at")

    system.clock.ms += 7 * DAY_MS
    write(system)

    assert _without(system, "last_activity_at") == before
    assert len(system.sent()) == 2


def _without(system: System, name: str) -> dict[tuple[str, ...], Any]:
    return {key: {n: v for n, v in row.items() if n != name} for key, row in system.rows().items()}


def test_an_old_webhook_does_not_reopen_a_conversation_closed_since(system: System) -> None:
    ref = system.begin("sms")
    take_over(system, ref)
    write(system)  # It is unanswered, so it still counts as open.
    system.clock.ms += HOUR_MS
    resources = direct_resources(system)
    cause = Cause(who="human:eve", what="close", reason="closed")
    transitions.move(resources, conversation.load(resources, ref), Status.CLOSED, cause)

    system.clock.ms += HOUR_MS
    write(system)

    assert status_of(system, ref)[0] == "closed"


def test_an_old_webhook_causes_no_second_review(system: System) -> None:
    system.set_up(sample_data.project(auto_queue_reply_message=True))
    ref = system.begin("sms")
    write(system)
    hand_back_answered(system, ref)

    system.clock.ms += HOUR_MS
    write(system)

    assert status_of(system, ref)[0] == "reply_sent"


def hand_back_answered(system: System, ref: str) -> None:
    """An agent has answered all messages and hands the conversation back."""
    from conversations.store import states  # noqa: PLC0415 - what the admin API does

    resources = direct_resources(system)
    sk = newest_of_customer(system, ref)["sk"]
    cause = Cause(who="human:eve", what="hand-back", reason="handed_back")
    transitions.move(resources, conversation.load(resources, ref), Status.REPLY_SENT, cause)
    states.note(resources.log, ref, answered_up_to=sk)


# Order


def test_messages_of_one_millisecond_keep_their_order_of_arrival(system: System) -> None:
    ref = system.begin("sms")
    system.text("a", "One")
    system.text("b", "Two")
    system.text("c", "Three")
    system.drain()

    messages = [m for m in system.log(ref) if m["author"] == "customer"]
    assert [m["content"] for m in messages] == ["One", "Two", "Three"]
    assert len({m["message_timestamp"] for m in messages}) == 3


def test_a_message_received_before_our_last_one_is_stored_after_it(system: System) -> None:
    ref = system.begin("email")
    late = mail(system, "m", "Which shift is it?", received_at="2026-01-01T08:00:00.000Z")

    system.forward(late)
    system.drain()

    assert [m["author"] for m in system.log(ref)] == ["ai", "customer", "ai"]
