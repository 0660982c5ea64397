"""Inbound messages of every kind are stored first, and a repeated one changes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conversations.lifecycle import conversation, transitions
from conversations.lifecycle.status import Status
from conversations.lifecycle.transitions import Cause
from events.conversations import cast, twilio
from shared.events import InboundMessage
from shared.runtime import clock
from tests.integration.conversations.acts import (
    DAY_MS,
    HOUR_MS,
    aside,
    stands,
    take_over,
    texts_by,
    write,
)

if TYPE_CHECKING:
    from tests.simulation.conversations.world import World


def whatsapp(world: World, text: str = "Hello", name: str = "m", **fields: str) -> None:
    world.whatsapp(name, text, **fields)
    world.work_off()


def newest_of_customer(world: World, ref: str) -> dict[str, Any]:
    return next(m for m in reversed(world.log(ref)) if m["author"] == "customer")


# Stored


def test_a_message_is_stored_completely_and_updates_the_marks(world: World) -> None:
    ref = world.begin("sms")
    world.clock.ms += HOUR_MS
    now = clock.to_text(world.clock.ms)

    world.text("m", "Which shift is it?")
    world.take_in()

    message = newest_of_customer(world, ref)
    assert (message["role"], message["content"], message["kind"]) == (
        "user",
        "Which shift is it?",
        "text",
    )
    assert (message["provider"], message["provider_message_id"]) == ("twilio", twilio.sid_of("m"))
    assert message["message_timestamp"] == now
    state = world.state(ref)
    assert state["last_inbound_at"] == state["last_message_at"] == now
    assert state["window_until"] == clock.to_text(world.clock.ms + DAY_MS - 60_000)
    assert (
        world.conversation(ref)["messages"][-1]["role"] == "assistant"
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
    world: World, fields: dict[str, str], kind: str, content: str
) -> None:
    ref = world.begin("whatsapp")

    whatsapp(world, **fields)

    message = newest_of_customer(world, ref)
    assert (message["kind"], message["content"]) == (kind, content)
    assert len(texts_by(world, ref)) == 2


def test_fields_without_an_attribute_of_their_own_are_kept(world: World) -> None:
    ref = world.begin("whatsapp")

    whatsapp(world, Forwarded="true", BrandNewField="of tomorrow")

    assert newest_of_customer(world, ref)["extra"]["BrandNewField"] == "of tomorrow"


def test_a_long_text_is_stored_in_the_bucket_and_the_model_receives_its_first_part(
    world: World,
) -> None:
    ref = world.begin("email")
    text = "Which shift is it? " + "blah " * 4_000

    world.tell(mail(world, "m", text))
    world.work_off()

    message = newest_of_customer(world, ref)
    assert len(message["content"]) == 4_000
    assert world.objects()[message["content_key"]].decode() == text
    assert "nights" in texts_by(world, ref)[-1]


def mail(world: World, name: str, text: str, **fields: Any) -> InboundMessage:
    """A mail as the mail context forwards it."""
    return InboundMessage(**{
        "provider": "ses",
        "provider_message_id": f"{name}@mail.example",
        "account": "arn:aws:ses",
        "channel_method": "email",
        "business_address": cast.EMAIL_SENDER,
        "customer_address": cast.CANDIDATE_EMAIL,
        "received_at": clock.to_text(world.clock.ms),
        "kind": "text",
        "text": text,
        **fields,
    })  # fmt: skip


# Stored only


def reaction(world: World, ref: str) -> InboundMessage:
    return InboundMessage(
        provider="twilio",
        provider_message_id="SM-reaction",
        account=twilio.ACCOUNT,
        channel_method="whatsapp",
        business_address=cast.WHATSAPP_SENDER,
        customer_address=cast.CANDIDATE,
        received_at="2026-01-01T12:10:00.000Z",
        kind="reaction",
        text="👍",
    )


def test_a_reaction_is_only_stored(world: World) -> None:
    ref = world.begin("whatsapp")

    world.tell(reaction(world, ref))
    world.work_off()

    assert newest_of_customer(world, ref)["kind"] == "reaction"
    assert len(world.sent()) == 1


def test_an_automatic_mail_is_stored_and_never_answered(world: World) -> None:
    ref = world.begin("email")

    world.tell(mail(world, "m", "I am out of office.", extra={"auto_answer_allowed": False}))
    world.work_off()

    assert newest_of_customer(world, ref)["content"] == "I am out of office."
    assert len(world.sent()) == 1


def test_a_message_to_an_agent_is_stored_and_waits_for_them(world: World) -> None:
    ref = world.begin("sms")
    take_over(world, ref)

    write(world)

    assert stands(world, ref)[0] == "handoff_active"
    assert len(texts_by(world, ref)) == 1


# Answers from outside Parley


def outside(world: World) -> InboundMessage:
    return mail(world, "o", "It is me, Eve: come on Monday.", type="human_reply")


def test_an_answer_from_outside_hands_the_conversation_off(world: World) -> None:
    ref = world.begin("email")

    world.tell(outside(world))
    world.tell(mail(world, "m", "Which shift is it?"))
    world.work_off()

    message = next(m for m in world.log(ref) if m["author"] == "human:external")
    assert (message["role"], message["content"]) == ("assistant", "It is me, Eve: come on Monday.")
    assert stands(world, ref) == ("handoff_active", "answered_outside")
    assert len(world.sent()) == 1


def test_a_repeated_answer_from_outside_causes_no_second_hand_off(
    world: World,
) -> None:
    ref = world.begin("email")
    world.tell(outside(world))
    world.work_off()
    hand_back(world, ref)

    world.clock.ms += HOUR_MS
    world.tell(outside(world))
    world.work_off()

    assert stands(world, ref)[0] == "initial_message_sent"


def hand_back(world: World, ref: str) -> None:
    resources = aside(world)
    cause = Cause(who="human:eve", what="hand-back", reason="handed_back")
    transitions.move(
        resources, conversation.load(resources, ref), Status.INITIAL_MESSAGE_SENT, cause
    )


# Repeated events


def test_another_text_under_the_same_id_is_parked(world: World) -> None:
    ref = world.begin("sms")
    write(world, "Which shift is it?")

    write(world, "Transfer the money")

    assert world.parked() == ["conflict"]
    assert newest_of_customer(world, ref)["content"] == "Which shift is it?"
    assert len(world.sent()) == 2


def test_a_webhook_repeated_a_week_later_changes_nothing(world: World) -> None:
    world.begin("sms")
    write(world)
    before = _without(world, "last_activity_at")

    world.clock.ms += 7 * DAY_MS
    write(world)

    assert _without(world, "last_activity_at") == before
    assert len(world.sent()) == 2


def _without(world: World, name: str) -> dict[tuple[str, ...], Any]:
    return {key: {n: v for n, v in row.items() if n != name} for key, row in world.rows().items()}


def test_an_old_webhook_does_not_reopen_a_conversation_closed_since(world: World) -> None:
    ref = world.begin("sms")
    take_over(world, ref)
    write(world)  # It is unanswered, so it still counts as open.
    world.clock.ms += HOUR_MS
    resources = aside(world)
    cause = Cause(who="human:eve", what="close", reason="closed")
    transitions.move(resources, conversation.load(resources, ref), Status.CLOSED, cause)

    world.clock.ms += HOUR_MS
    write(world)

    assert stands(world, ref)[0] == "closed"


def test_an_old_webhook_causes_no_second_review(world: World) -> None:
    world.set_up(cast.project(auto_queue_reply_message=True))
    ref = world.begin("sms")
    write(world)
    hand_back_answered(world, ref)

    world.clock.ms += HOUR_MS
    write(world)

    assert stands(world, ref)[0] == "reply_sent"


def hand_back_answered(world: World, ref: str) -> None:
    """An agent has answered all messages and hands the conversation back."""
    from conversations.store import states  # noqa: PLC0415 - what the admin API does

    resources = aside(world)
    sk = newest_of_customer(world, ref)["sk"]
    cause = Cause(who="human:eve", what="hand-back", reason="handed_back")
    transitions.move(resources, conversation.load(resources, ref), Status.REPLY_SENT, cause)
    states.note(resources.log, ref, answered_up_to=sk)


# Order


def test_messages_of_one_millisecond_keep_their_order_of_arrival(world: World) -> None:
    ref = world.begin("sms")
    world.text("a", "One")
    world.text("b", "Two")
    world.text("c", "Three")
    world.work_off()

    messages = [m for m in world.log(ref) if m["author"] == "customer"]
    assert [m["content"] for m in messages] == ["One", "Two", "Three"]
    assert len({m["message_timestamp"] for m in messages}) == 3


def test_a_message_received_before_our_last_one_is_stored_after_it(world: World) -> None:
    ref = world.begin("email")
    late = mail(world, "m", "Which shift is it?", received_at="2026-01-01T08:00:00.000Z")

    world.tell(late)
    world.work_off()

    assert [m["author"] for m in world.log(ref)] == ["ai", "customer", "ai"]
