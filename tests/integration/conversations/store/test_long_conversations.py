"""A conversation of any length: its item stays small, and a turn makes the same calls."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from conversations.store import messages
from conversations.store.items.conversation import Role
from conversations.store.items.log import Message
from shared.runtime import clock
from tests.integration.conversations.steps import DAY_MS, MINUTE_MS, direct_resources, status_of

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

TURNS = 300
LARGEST_ITEM_BYTES = 3_072
LARGEST_WINDOW_BYTES = 1_544
MOST_ENTRIES = 10


def turn(system: System, number: int) -> list[str]:
    """The customer writes and is answered; returns the calls that it took."""
    system.clock.ms += 5 * MINUTE_MS
    system.interceptor.rewind()
    system.text(f"m{number}", f"Which shift is it? {number}")
    system.drain()
    return [call.split(" ")[0] for call in system.interceptor.calls]


def lasted(system: System, ref: str) -> None:
    """Add so many turns of a day ago: the log has their messages."""
    begun = system.clock.ms - DAY_MS
    texts = [
        Message(
            entry_id=f"entry-{number}",
            message_timestamp=clock.to_text(begun + number * 1_000),
            role=Role.ASSISTANT if number % 2 else Role.USER,
            content="So it goes, on and on. " * 10,
            author="ai" if number % 2 else "customer",
        )
        for number in range(2 * TURNS)
    ]
    messages.add_all(direct_resources(system).log, ref, texts)


@pytest.mark.long
def test_after_300_turns_the_item_is_as_small_and_a_turn_makes_the_same_calls(
    system: System,
) -> None:
    system.change(policy={"answers_per_hour": 1_000, "quiet_hours": None})
    ref = system.begin("sms")
    early = [turn(system, number) for number in range(MOST_ENTRIES)]
    lasted(system, ref)

    late = [turn(system, number) for number in range(TURNS, TURNS + 5)]

    assert status_of(system, ref)[0] == "reply_sent"
    assert early[-1] == late[0] == late[-1]
    item = system.conversation(ref)
    entries = item["messages"]
    assert 2 <= len(entries) <= MOST_ENTRIES
    assert _bytes(entries) <= LARGEST_WINDOW_BYTES
    assert _bytes(item) <= LARGEST_ITEM_BYTES
    assert [entry["role"] for entry in entries[-2:]] == ["user", "assistant"]
    assert entries[-2]["content"] == f"Which shift is it? {TURNS + 4}"


def _bytes(value: object) -> int:
    """An approximation of the size that DynamoDB counts."""
    return len(json.dumps(value, default=int, separators=(",", ":")))
