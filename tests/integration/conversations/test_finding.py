"""Matching of inbound messages to conversations: several, closed and imported ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conversations.lifecycle import conversation, transitions
from conversations.lifecycle.status import Status
from conversations.lifecycle.transitions import Cause
from conversations.store.items import identifiers
from tests.integration.conversations.acts import (
    DAY_MS,
    HOUR_MS,
    aside,
    last_sid,
    messages_of,
    stands,
    start_conversation,
    take_over,
    texts_by,
    unmatched,
)

if TYPE_CHECKING:
    from tests.simulation.conversations.world import World


def close(world: World, ref: str) -> None:
    resources = aside(world)
    cause = Cause(who="human:eve", what="close", reason="closed")
    transitions.move(resources, conversation.load(resources, ref), Status.CLOSED, cause)


# Several conversations


def test_a_message_goes_to_the_conversation_with_the_last_first_message(world: World) -> None:
    first = start_conversation(world, request_id="req-1")
    world.clock.ms += HOUR_MS
    second = start_conversation(world, request_id="req-2")

    world.text("a", "Which shift is it?")
    world.work_off()

    assert (messages_of(world, first), messages_of(world, second)) == ([], ["Which shift is it?"])


def test_a_message_goes_to_the_conversation_with_the_newest_message(world: World) -> None:
    first = start_conversation(world, "whatsapp", "req-1")
    world.clock.ms += HOUR_MS
    second = start_conversation(world, "whatsapp", "req-2")
    world.clock.ms += HOUR_MS
    world.whatsapp("a", "Which shift is it?", OriginalRepliedMessageSid=last_sid(world, first))
    world.work_off()

    world.whatsapp("b", "And which job?")
    world.work_off()

    assert messages_of(world, first) == ["Which shift is it?", "And which job?"]
    assert messages_of(world, second) == []


def test_a_quoted_reply_goes_to_the_conversation_of_the_quoted_message(world: World) -> None:
    first = start_conversation(world, "whatsapp", "req-1")
    world.clock.ms += HOUR_MS
    second = start_conversation(world, "whatsapp", "req-2")

    world.whatsapp("a", "Which shift is it?", OriginalRepliedMessageSid=last_sid(world, first))
    world.work_off()

    assert len(messages_of(world, first)) == 1
    assert messages_of(world, second) == []


def test_a_reply_to_an_unknown_message_is_matched_by_its_sender(world: World) -> None:
    ref = start_conversation(world, "whatsapp")

    world.whatsapp("a", "Which shift is it?", OriginalRepliedMessageSid="SM" + "0" * 32)
    world.work_off()

    assert len(messages_of(world, ref)) == 1


def test_a_message_delivered_twice_stays_in_its_conversation(world: World) -> None:
    first = start_conversation(world, request_id="req-1")
    world.text("a", "Which shift is it?")
    world.work_off()
    world.clock.ms += HOUR_MS
    second = start_conversation(world, request_id="req-2")

    world.text("a", "Which shift is it?")  # Delivered once more.
    world.work_off()

    assert len(messages_of(world, first)) == 1
    assert messages_of(world, second) == []


def test_a_message_on_another_channel_goes_to_the_conversation_of_that_channel(
    world: World,
) -> None:
    by_sms = start_conversation(world, "sms", "req-1")
    by_whatsapp = start_conversation(world, "whatsapp", "req-2")

    world.whatsapp("a", "Which shift is it?")
    world.work_off()

    assert messages_of(world, by_sms) == []
    assert len(messages_of(world, by_whatsapp)) == 1


# Closed conversations


def test_a_message_within_a_week_reopens_a_closed_conversation(world: World) -> None:
    ref = start_conversation(world)
    world.text("a", "Which shift is it?")
    world.work_off()
    close(world, ref)
    world.clock.ms += 6 * DAY_MS

    world.text("b", "And which job?")
    world.work_off()

    assert stands(world, ref) == ("reply_sent", None)
    assert world.changes(ref)[-2:] == ["closed", "reply_sent"]
    assert "Healthcare Assistant" in texts_by(world, ref)[-1]


def test_a_reopened_conversation_returns_to_the_agent_who_owned_it(world: World) -> None:
    ref = start_conversation(world)
    take_over(world, ref)
    close(world, ref)

    world.text("a", "Which shift is it?")
    world.work_off()

    assert stands(world, ref)[0] == "handoff_active"
    assert len(texts_by(world, ref)) == 1


def test_after_a_week_a_message_is_unmatched(world: World) -> None:
    ref = start_conversation(world)
    close(world, ref)
    world.clock.ms += 8 * DAY_MS

    world.text("a", "Hello again")
    world.work_off()

    assert stands(world, ref)[0] == "closed"
    assert messages_of(world, ref) == []
    assert [row["event"]["text"] for row in unmatched(world)] == ["Hello again"]


def test_an_open_conversation_has_priority_over_a_closed_one_with_newer_messages(
    world: World,
) -> None:
    open_one = start_conversation(world, request_id="req-1")
    world.clock.ms += HOUR_MS
    closed = start_conversation(world, request_id="req-2")
    close(world, closed)

    world.text("a", "Which shift is it?")
    world.work_off()

    assert len(messages_of(world, open_one)) == 1


def imported(world: World, **changes: Any) -> str:
    """A conversation that another system wrote to the contract's table: without state and route."""
    ref = start_conversation(world)
    item = world.conversation(ref) | changes
    for key in world.rows():
        if key[0] == "log" and not key[1].startswith("ADDR#"):
            world.remove(*key)
    world.write("conversations", item)
    return identifiers.ref_of(item["conversation_id"])


# Imported conversations


def test_an_imported_conversation_is_found_by_the_index_of_the_contract(world: World) -> None:
    ref = imported(world)

    world.text("a", "Which shift is it?")
    world.work_off()

    assert messages_of(world, ref) == ["Which shift is it?"]
    assert "nights" in texts_by(world, ref)[-1]
    assert stands(world, ref)[0] == "reply_sent"
    assert [e["role"] for e in world.conversation(ref)["messages"]] == [
        "assistant",
        "user",
        "assistant",
    ]


def test_the_next_message_is_matched_without_the_index(world: World) -> None:
    ref = imported(world)
    world.text("a", "Which shift is it?")
    world.work_off()
    world.wire.rewind()

    world.text("b", "And which job?")
    world.take_in()

    assert len(messages_of(world, ref)) == 2
    assert [call for call in world.wire.calls if call == "dynamodb.Query"] == ["dynamodb.Query"] * 2


def test_an_imported_conversation_handed_off_to_agents_stays_with_them(world: World) -> None:
    ref = imported(world, conversation_status="handoff_active")

    world.text("a", "Which shift is it?")
    world.work_off()

    assert messages_of(world, ref) == ["Which shift is it?"]
    assert len(texts_by(world, ref)) == 1  # The log of the other system.
