"""First messages that were deferred: many to the same time, and customers who write before that."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from conversations.store.items.parts.due import DueKind
from conversations.store.items.parts.state import state_key
from conversations.store.recovery import due
from events.conversations import sample_data
from shared.runtime import clock
from tests.integration.conversations.steps import (
    HOUR_MS,
    direct_resources,
    start_conversation,
    status_of,
    texts_by,
)

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

DEFERRED = 500
ROUND = 200  # records that ten runs handle in a minute, at three seconds each
# 100,000 in 30 minutes are 56 in a second: 18 ms for each. A call takes 5 to 10 ms.
MOST_CALLS_EACH = 1.3


@pytest.mark.parametrize("is_blocked", [False, True])
def test_a_customer_who_writes_before_the_first_message_is_answered_and_reaches_a_person(
    system: System, *, is_blocked: bool
) -> None:
    system.switch(safe_mode="true")
    ref = start_conversation(system)
    if is_blocked:
        system.clock.ms += 24 * HOUR_MS
        system.sweep()
        system.drain()
    assert status_of(system, ref) == ("blocked" if is_blocked else "deferred", "safe_mode")
    system.switch(safe_mode="false")

    system.text("early", "Which shift is it?")
    system.drain()
    assert status_of(system, ref)[0] == "reply_sent"

    system.text("person", "I want to talk to a person")
    system.settle()
    assert status_of(system, ref)[0] == "handoff_pending"
    assert len(texts_by(system, ref)) == 2  # Two answers: the first message is not sent any more.


@pytest.mark.long
def test_a_run_enqueues_the_work_of_a_minute_with_few_calls_and_writes_nothing_for_the_rest(
    system: System,
) -> None:
    _defer(system)

    system.interceptor.rewind()
    system.sweep()

    calls = system.interceptor.calls
    operations = Counter(call.split(" ")[0] for call in calls)
    postponed = [call for call in calls if call.startswith("dynamodb.UpdateItem CONV#")]
    assert len(postponed) == ROUND  # each, in case its worker dies
    assert operations.total() / ROUND < MOST_CALLS_EACH, operations
    assert _queued(system) == ROUND


@pytest.mark.long
def test_a_run_that_ends_early_leaves_the_rest_to_the_next_run(system: System) -> None:
    _defer(system)
    observe = system.interceptor.observer

    def take_half_a_second(operation: str, parameters: dict[str, Any]) -> None:
        observe(operation, parameters)
        system.clock.ms += 500

    system.interceptor.observer = take_half_a_second
    system.sweep()

    before = _queued(system)
    system.interceptor.observer = observe
    system.sweep()
    assert 0 < before < _queued(system) <= ROUND


def _queued(system: System) -> int:
    return sum(len(queue.messages) for queue in system.fifo_queues.queues.values())


def _defer(system: System) -> None:
    """Request a conversation in quiet hours, copy it, and wait until they are over."""
    system.clock.ms += 12 * HOUR_MS
    first = system.begin("sms")
    log = direct_resources(system).log
    state = log.get(state_key(first))
    (due_at,) = system.due_at()
    assert state is not None
    for number in range(DEFERRED - 1):
        ref = f"deferred-{number}"
        log.put(state | state_key(ref))
        due.put(log, ref, DueKind.RESUME, clock.from_text(due_at), company=sample_data.COMPANY)
    system.clock.ms += 10 * HOUR_MS
