"""A project's `max_concurrent_turns` is exact and survives crashes; a waiting reply is sent, or an agent gets it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conversations.dialogue import turn_limit
from conversations.store.items.parts.due import DueKind
from conversations.store.items.records import TurnSlots
from conversations.store.limits import turn_slots
from conversations.store.recovery import due
from events.conversations import sample_data
from shared.aws.dynamodb import Table
from shared.runtime import clock
from tests.integration.conversations.steps import MINUTE_MS, direct_resources, status_of, texts_by
from tests.simulation.interceptor import READS, When

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

pytestmark = pytest.mark.long

PROJECT = (sample_data.COMPANY, sample_data.PROJECT)
HOUR_MS = 60 * MINUTE_MS


def limit(system: System, most: int = 1) -> Table:
    """Limit the turns of the project; returns the table of the slots."""
    system.change(rate_limits={"max_concurrent_turns": most})
    return direct_resources(system).log


def take(
    system: System, log: Table, name: str, most: int = 1, lease_ms: int = MINUTE_MS, **facts: Any
) -> bool:
    """Take a slot for a turn of this name."""
    turn = turn_slots.turn_of(name, system.clock.ms + lease_ms)
    return turn_slots.take(log, PROJECT, most, turn, **{"is_older": False, **facts})


def running(system: System) -> set[str]:
    """The workers that hold a slot."""
    row = system.row("log", TurnSlots.partition(*PROJECT), "#") or {}
    return {turn.partition("#")[2] for turn in row.get("turns", ())}


def run_for(system: System, minutes: int) -> None:
    """Run the workers and, every minute, the sweeper."""
    for _ in range(minutes):
        system.advance(MINUTE_MS)
        system.sweep()


def answers(system: System, ref: str) -> list[str]:
    """The replies of the model."""
    return texts_by(system, ref)[1:]  # The first message began the conversation.


# Slots


def test_a_project_has_as_many_slots_as_its_limit(system: System) -> None:
    log = limit(system, 2)

    taken = [take(system, log, name, most=2) for name in ("a", "b", "c")]

    assert taken == [True, True, False]
    assert running(system) == {"a", "b"}


def test_a_slot_whose_write_is_repeated_is_taken_once(system: System) -> None:
    log = limit(system)

    assert take(system, log, "a")
    assert take(system, log, "a")
    turn_slots.release(log, PROJECT, turn_slots.turn_of("a", system.clock.ms + MINUTE_MS))
    turn_slots.release(log, PROJECT, turn_slots.turn_of("a", system.clock.ms + MINUTE_MS))

    assert running(system) == set()
    assert take(system, log, "b")


def test_the_slot_of_a_killed_worker_is_free_when_its_lease_ends(system: System) -> None:
    log = limit(system)
    assert take(system, log, "killed")

    system.clock.ms += MINUTE_MS - 1
    assert not take(system, log, "b")
    system.clock.ms += 1
    assert take(system, log, "b")
    assert running(system) == {"b"}


@pytest.mark.parametrize("step", [1, 2, 3])
def test_two_turns_between_any_two_writes_of_each_other_take_one_slot(
    system: System, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    """A killed worker has the slot, so that a turn makes three writes: refused, removal, taken."""
    log = limit(system)
    take(system, log, "killed")
    system.clock.ms += MINUTE_MS
    update, taken, calls = log.update, [], 0

    def interleaved(*key: Any, **changes: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == step:
            taken.append(take(system, direct_resources(system).log, "other"))
        return update(*key, **changes)

    monkeypatch.setattr(log, "update", interleaved)
    taken.append(take(system, log, "first"))

    assert sorted(taken) == [False, True]
    assert len(running(system)) == 1


def test_a_turn_that_has_waited_goes_before_new_ones_until_it_is_tried_again(
    system: System,
) -> None:
    log = limit(system)
    turn_slots.prefer_older(log, PROJECT, system.clock.ms + MINUTE_MS)

    assert not take(system, log, "new")
    assert take(system, log, "older", is_older=True)
    system.clock.ms += 2 * MINUTE_MS
    assert take(system, log, "new")


# Replies


def test_a_reply_without_a_slot_is_sent_when_one_is_free(system: System) -> None:
    ref = system.begin("sms")
    log = limit(system)
    take(system, log, "slow", lease_ms=10 * MINUTE_MS)
    system.text("a", "Which shift is it?")
    run_for(system, 8)
    assert answers(system, ref) == []

    run_for(system, 6)

    assert len(answers(system, ref)) == 1
    assert running(system) == set()
    assert not system.fifo_queues.dead_letters
    assert system.due_at() == []


def test_a_reply_that_is_deferred_again_within_five_minutes_is_requested_again(
    system: System,
) -> None:
    """The queue drops a record whose deduplication id it had within five minutes."""
    ref = system.begin("sms")
    log = limit(system)
    take(system, log, "slow", lease_ms=4 * MINUTE_MS)
    system.text("a", "Which shift is it?")

    deferred_until = set[str]()
    for _ in range(10):
        deferred_until |= {str(at) for at in system.due_at()}
        run_for(system, 1)

    assert len(deferred_until) >= 2
    assert len(answers(system, ref)) == 1


def test_messages_that_wait_for_a_slot_are_answered_together(system: System) -> None:
    ref = system.begin("sms")
    log = limit(system)
    take(system, log, "slow", lease_ms=5 * MINUTE_MS)
    for number in range(4):
        system.text(f"m{number}", f"This is number {number}")
        run_for(system, 1)

    run_for(system, 6)

    assert len(answers(system, ref)) == 1
    assert [m["content"] for m in system.log(ref) if m["author"] == "customer"] == [
        f"This is number {number}" for number in range(4)
    ]


def test_waiting_uses_up_no_attempt_that_a_failure_needs(system: System) -> None:
    """The model fails three times after more refusals than a record has receives."""
    ref = system.begin("sms")
    log = limit(system)
    take(system, log, "slow", lease_ms=10 * MINUTE_MS)
    system.text("a", "Which shift is it?")
    run_for(system, 11)
    system.sandbox.faults.add(kind="status", provider="openai", status=503, times=3)

    run_for(system, 20)

    assert len(answers(system, ref)) == 1
    assert not system.fifo_queues.dead_letters


def test_an_agent_answers_a_customer_who_has_waited_for_half_an_hour(system: System) -> None:
    ref = system.begin("sms")
    log = limit(system)
    take(system, log, "stuck", lease_ms=2 * HOUR_MS)
    system.text("a", "Which shift is it?")
    longest = turn_limit.LONGEST_WAIT_MS // MINUTE_MS
    run_for(system, longest - 5)
    assert status_of(system, ref)[0] != "handoff_pending"

    run_for(system, 10)

    assert status_of(system, ref) == ("handoff_pending", "project_busy")
    assert not system.fifo_queues.dead_letters


@pytest.mark.parametrize(("reason", "keeps"), [("project_busy", True), ("quiet_hours", False)])
def test_a_newer_message_does_not_restart_the_time_that_a_conversation_waits_for_a_slot(
    system: System, reason: str, keeps: bool
) -> None:
    """The time of a deferral for another reason is not one of waiting for a slot."""
    ref = system.begin("sms")
    log = limit(system)
    due.put(log, ref, DueKind.RESUME, system.clock.ms + HOUR_MS, company=PROJECT[0], reason=reason)
    before = clock.to_text(system.clock.ms)
    system.clock.ms += 10 * MINUTE_MS
    take(system, log, "slow", lease_ms=HOUR_MS)

    system.text("a", "Which shift is it?")
    system.advance(2 * MINUTE_MS)

    waiting = due.get(log, ref, DueKind.RESUME)
    assert waiting is not None
    assert waiting.reason == "project_busy"
    assert (waiting.first_due_at == before) is keeps


def test_a_reply_that_has_waited_a_minute_is_not_overtaken_by_new_ones(system: System) -> None:
    """Another turn takes every slot that is free for it, each second."""
    ref = system.begin("sms")
    log = limit(system)
    system.text("a", "Which shift is it?")
    for second in range(10 * 60):
        take(system, log, f"new-{second}", lease_ms=5_000)
        system.advance(1_000)
        if second % 60 == 0:
            system.sweep()

    assert len(answers(system, ref)) == 1


def test_a_project_without_the_setting_makes_no_calls_for_slots_and_one_with_it_two_writes(
    system: System,
) -> None:
    ref = system.begin("sms")
    start = system.snapshot()
    system.interceptor.rewind()
    system.text("a", "Which shift is it?")
    system.drain()
    without = list(system.interceptor.calls)
    assert system.row("log", TurnSlots.partition(*PROJECT), "#") is None

    system.restore(start)
    limit(system)
    system.interceptor.rewind()
    system.text("a", "Which shift is it?")
    system.drain()
    with_limit = list(system.interceptor.calls)

    assert len(answers(system, ref)) == 1
    assert len(with_limit) - len(without) == 2


def test_a_crash_at_any_write_leaves_one_answer_and_no_slot_for_longer_than_a_lease(
    system: System,
) -> None:
    ref = system.begin("sms")
    log = limit(system)
    system.text("a", "Which shift is it?")
    start = system.snapshot()
    system.interceptor.rewind()
    system.settle()
    # A send that the worker may have made before it was killed is in doubt, with or without a limit.
    calls = [
        number
        for number, call in enumerate(system.interceptor.calls, start=1)
        if call.split(" ")[0] not in READS and not call.startswith("HTTP.POST /2010")
    ]
    assert sum("TURNS#" in system.interceptor.calls[number - 1] for number in calls) == 2
    for number in calls:
        system.restore(start)
        system.interceptor.die_at = (number, When.AFTER)
        system.settle()
        is_in_doubt = status_of(system, ref) == ("handoff_pending", "send_in_doubt")
        assert len(answers(system, ref)) == (0 if is_in_doubt else 1), number
        system.clock.ms += 3 * MINUTE_MS
        assert take(system, log, "next"), number
