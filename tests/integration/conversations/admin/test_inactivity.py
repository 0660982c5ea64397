"""Conversations without activity are closed by later turns of their project."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest

from conversations.configuration.projects import ConfigurationInvalid, parse
from conversations.lifecycle import conversation, inactivity
from conversations.lifecycle.status import Status
from conversations.store import states
from conversations.store.items.routes import Open
from conversations.store.lists import open_list
from events.conversations import sample_data
from shared.runtime import clock
from tests.integration.conversations.harness import CAROL, Harness

DAY = 24 * clock.HOUR_MS
QUEUE = "ConversationsSmsQueue"


@pytest.fixture(autouse=True)
def every_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inactivity, "EVERY", 1)


def turn(harness: Harness, ref: str, turn_id: str = "turn") -> list[str]:
    """A turn that looks for idle conversations; the refs of those that it enqueues."""
    inactivity.close_some(harness.resources, conversation.load(harness.resources, ref), turn_id)
    return [record["ref"] for record in harness.queued(QUEUE) if record["type"] == "close"]


def close(harness: Harness, ref: str) -> str:
    """Handle the record of a conversation; return its status."""
    inactivity.close(harness.resources, conversation.load(harness.resources, ref))
    return harness.standing(ref)[0]


def test_a_conversation_without_activity_for_30_days_is_closed_and_opened_by_its_customer(
    harness: Harness,
) -> None:
    idle = harness.begin("idle")
    harness.later(30 * DAY + clock.HOUR_MS)
    active = harness.begin("active")

    assert turn(harness, active) == [idle]
    assert close(harness, idle) == close(harness, idle) == Status.CLOSED
    assert harness.call("GET /conversations").refs == [active]
    (change,) = harness.changes(idle)
    assert (change.who, change.reason) == ("parley", "no_activity")


def test_a_project_sets_its_own_days(harness: Harness) -> None:
    harness.set_up(close_after_days=90)
    idle = harness.begin("idle")
    harness.later(89 * DAY)
    active = harness.begin("active")
    assert turn(harness, active) == []
    harness.later(2 * DAY)

    assert turn(harness, active) == [idle]


@pytest.mark.parametrize("days", [0, 3_651, "soon"])
def test_a_wrong_number_of_days_is_refused_with_its_name(days: object) -> None:
    with pytest.raises(ConfigurationInvalid, match=r"^close_after_days$"):
        parse(sample_data.project() | {"close_after_days": days})


def test_a_conversation_with_activity_after_the_search_stays_open(harness: Harness) -> None:
    idle = harness.begin("idle")
    harness.later(31 * DAY)
    turn(harness, harness.begin("active"))
    harness.says(idle, "Are you still there?")

    assert close(harness, idle) == Status.REPLY_SENT


def test_a_snoozed_conversation_stays_open(harness: Harness) -> None:
    idle = harness.begin("idle", status=Status.HANDOFF_PENDING)
    harness.on(idle, "take-over", CAROL)
    later = clock.to_text(harness.now[0] + 60 * DAY)
    states.note(harness.resources.log, idle, snoozed_until=later)
    harness.later(31 * DAY)

    assert close(harness, idle) == Status.HANDOFF_ACTIVE


class Died(BaseException):
    """The process ends after a call."""


def test_a_closing_that_dies_after_any_call_is_finished_by_its_repetition(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = [0]

    def dying(call: Any) -> Any:
        def made(*given: Any, **named: Any) -> Any:
            done = call(*given, **named)
            left[0] -= 1
            if not left[0]:
                raise Died
            return done

        return made

    kills = 0
    for calls in range(1, 20):
        ref = harness.begin(f"idle-{calls}")
        harness.later(31 * DAY)
        left[0] = calls
        with monkeypatch.context() as patch, suppress(Died):
            for table in (harness.resources.log, harness.resources.table):
                for name in ("get", "put", "update", "delete", "transact", "query"):
                    patch.setattr(table, name, dying(getattr(table, name)))
            close(harness, ref)
        kills += not left[0]

        assert close(harness, ref) == Status.CLOSED
        assert harness.call("GET /conversations").refs == []
        assert [change.reason for change in harness.changes(ref)] == ["no_activity"]
    assert kills > 5


def test_turns_look_at_the_list_in_parts_and_begin_again_at_its_end(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inactivity, "PART", 2)
    idle = {harness.begin(f"idle-{number}") for number in range(5)}
    harness.later(31 * DAY)
    active = harness.begin("active")
    found = [len(turn(harness, active, f"turn-{number}")) for number in range(4)]

    # What is on the queue after each turn; the fourth begins again.
    assert sorted(found[:3])[-1] == 5
    assert {record["ref"] for record in harness.queued(QUEUE)} == idle


def test_few_turns_look(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inactivity, "EVERY", 64)
    looks: list[object] = []

    def look(*project: object) -> tuple[list[Open], str]:
        looks.append(project)
        return [], ""

    monkeypatch.setattr(open_list, "idle", look)
    opened = conversation.load(harness.resources, harness.begin())
    for number in range(640):
        inactivity.close_some(harness.resources, opened, f"turn-{number}")

    assert 1 <= len(looks) <= 20
