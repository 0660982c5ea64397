"""Matching of inbound messages to conversations: several, closed and imported ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conversations.lifecycle import conversation, transitions
from conversations.lifecycle.status import Status
from conversations.lifecycle.transitions import Cause
from conversations.store.items import identifiers
from tests.integration.conversations.steps import (
    DAY_MS,
    HOUR_MS,
    direct_resources,
    last_sid,
    messages_of,
    start_conversation,
    status_of,
    take_over,
    texts_by,
    unmatched,
)
from tests.integration.logs import conditions

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System


def close(system: System, ref: str) -> None:
    resources = direct_resources(system)
    cause = Cause(who="human:eve", what="close", reason="closed")
    transitions.move(resources, conversation.load(resources, ref), Status.CLOSED, cause)


# Several conversations


def test_a_message_goes_to_the_conversation_with_the_last_first_message(system: System) -> None:
    first = start_conversation(system, request_id="req-1")
    system.clock.ms += HOUR_MS
    second = start_conversation(system, request_id="req-2")

    system.text("a", "Which shift is it?")
    system.drain()

    assert (messages_of(system, first), messages_of(system, second)) == ([], ["Which shift is it?"])


def test_a_message_goes_to_the_conversation_with_the_newest_message(system: System) -> None:
    first = start_conversation(system, "whatsapp", "req-1")
    system.clock.ms += HOUR_MS
    second = start_conversation(system, "whatsapp", "req-2")
    system.clock.ms += HOUR_MS
    system.whatsapp("a", "Which shift is it?", OriginalRepliedMessageSid=last_sid(system, first))
    system.drain()

    system.whatsapp("b", "And which job?")
    system.drain()

    assert messages_of(system, first) == ["Which shift is it?", "And which job?"]
    assert messages_of(system, second) == []


def test_a_quoted_reply_goes_to_the_conversation_of_the_quoted_message(system: System) -> None:
    first = start_conversation(system, "whatsapp", "req-1")
    system.clock.ms += HOUR_MS
    second = start_conversation(system, "whatsapp", "req-2")

    system.whatsapp("a", "Which shift is it?", OriginalRepliedMessageSid=last_sid(system, first))
    system.drain()

    assert len(messages_of(system, first)) == 1
    assert messages_of(system, second) == []


def test_a_reply_to_an_unknown_message_is_matched_by_its_sender(system: System) -> None:
    ref = start_conversation(system, "whatsapp")

    system.whatsapp("a", "Which shift is it?", OriginalRepliedMessageSid="SM" + "0" * 32)
    system.drain()

    assert len(messages_of(system, ref)) == 1


def test_a_message_delivered_twice_stays_in_its_conversation(system: System) -> None:
    first = start_conversation(system, request_id="req-1")
    system.text("a", "Which shift is it?")
    system.drain()
    system.clock.ms += HOUR_MS
    second = start_conversation(system, request_id="req-2")

    system.text("a", "Which shift is it?")  # Delivered once more.
    system.drain()

    assert len(messages_of(system, first)) == 1
    assert messages_of(system, second) == []


def test_a_message_on_another_channel_goes_to_the_conversation_of_that_channel(
    system: System,
) -> None:
    by_sms = start_conversation(system, "sms", "req-1")
    by_whatsapp = start_conversation(system, "whatsapp", "req-2")

    system.whatsapp("a", "Which shift is it?")
    system.drain()

    assert messages_of(system, by_sms) == []
    assert len(messages_of(system, by_whatsapp)) == 1


# Closed conversations


def test_a_message_within_a_week_reopens_a_closed_conversation(system: System) -> None:
    ref = start_conversation(system)
    system.text("a", "Which shift is it?")
    system.drain()
    close(system, ref)
    system.clock.ms += 6 * DAY_MS

    system.text("b", "And which job?")
    system.drain()

    assert status_of(system, ref) == ("reply_sent", None)
    assert system.changes(ref)[-2:] == ["closed", "reply_sent"]
    assert "Healthcare Assistant" in texts_by(system, ref)[-1]


def test_a_reopened_conversation_returns_to_the_agent_who_owned_it(system: System) -> None:
    ref = start_conversation(system)
    take_over(system, ref)
    close(system, ref)

    system.text("a", "Which shift is it?")
    system.drain()

    assert status_of(system, ref)[0] == "handoff_active"
    assert len(texts_by(system, ref)) == 1


def test_after_a_week_a_message_is_unmatched(
    system: System, capsys: pytest.CaptureFixture[str]
) -> None:
    ref = start_conversation(system)
    close(system, ref)
    system.clock.ms += 8 * DAY_MS

    system.text("a", "Hello again")
    system.drain()

    assert status_of(system, ref)[0] == "closed"
    assert messages_of(system, ref) == []
    assert [row["event"]["text"] for row in unmatched(system)] == ["Hello again"]
    assert conditions(capsys)["Unmatched"] == 1


def test_an_open_conversation_has_priority_over_a_closed_one_with_newer_messages(
    system: System,
) -> None:
    open_one = start_conversation(system, request_id="req-1")
    system.clock.ms += HOUR_MS
    closed = start_conversation(system, request_id="req-2")
    close(system, closed)

    system.text("a", "Which shift is it?")
    system.drain()

    assert len(messages_of(system, open_one)) == 1


def imported(system: System, **changes: Any) -> str:
    """A conversation that another system wrote to the contract's table: without state and route."""
    ref = start_conversation(system)
    item = system.conversation(ref) | changes
    for key in system.rows():
        if key[0] == "log" and not key[1].startswith("ADDR#"):
            system.remove(*key)
    system.write("conversations", item)
    return identifiers.ref_of(item["conversation_id"])


# Imported conversations


def test_an_imported_conversation_is_found_by_the_index_of_the_contract(system: System) -> None:
    ref = imported(system)

    system.text("a", "Which shift is it?")
    system.drain()

    assert messages_of(system, ref) == ["Which shift is it?"]
    assert "nights" in texts_by(system, ref)[-1]
    assert status_of(system, ref)[0] == "reply_sent"
    assert [e["role"] for e in system.conversation(ref)["messages"]][-2:] == ["user", "assistant"]
    assert [e["role"] for e in system.log(ref)] == ["assistant", "user", "assistant"]


def test_the_next_message_is_matched_without_the_index(system: System) -> None:
    ref = imported(system)
    system.text("a", "Which shift is it?")
    system.drain()
    system.interceptor.rewind()

    system.text("b", "And which job?")
    system.run_intake()

    assert len(messages_of(system, ref)) == 2
    assert [call for call in system.interceptor.calls if call == "dynamodb.Query"] == [
        "dynamodb.Query"
    ] * 2


def test_an_imported_conversation_handed_off_to_agents_stays_with_them(system: System) -> None:
    ref = imported(system, conversation_status="handoff_active")

    system.text("a", "Which shift is it?")
    system.drain()

    assert messages_of(system, ref) == ["Which shift is it?"]
    assert len(texts_by(system, ref)) == 1  # The log of the other system.
