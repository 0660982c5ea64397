"""The sweeper enqueues due work again only after the records that wait in its queue must have been handled."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from conversations.recovery import sweep
from conversations.store import states
from conversations.store.items.log import Mode
from conversations.store.items.parts.due import DueKind
from conversations.store.items.parts.state import State
from conversations.store.recovery import due
from events.conversations import sample_data
from events.conversations.twilio import SMS_NUMBER
from shared.aws import sqs_fifo
from shared.runtime import clock
from tests.integration.conversations.steps import MINUTE_MS

if TYPE_CHECKING:
    from conversations.recovery.sweep import SweeperDependencies
    from tests.simulation.conversations.system import System
    from tests.simulation.queues.fifo import FifoQueue

BACKLOG = 120
SECONDS_A_RECORD = 30  # the whole backlog takes an hour


@pytest.fixture
def deps(system: System) -> SweeperDependencies:
    """The sweeper's dependencies, beside a backlog of due first messages."""
    deps: SweeperDependencies = system.functions["ConversationsSweeper"].deps
    for number in range(BACKLOG):
        schedule(deps, f"ref-{number:03}")
    return deps


def schedule(deps: SweeperDependencies, ref: str) -> None:
    """Schedule the first message of a conversation for now."""
    state = State(
        primary_channel=sample_data.CANDIDATE, conversation_id=f"{sample_data.COMPANY}#{ref}",
        company_id=sample_data.COMPANY, project_id=sample_data.PROJECT, channel_method="sms",
        business_address=SMS_NUMBER, created_at=clock.to_text(clock.now_ms()), context_hash="-", mode=Mode.AI,
    )  # fmt: skip
    states.create(deps.log, ref, state)
    due.put(deps.log, ref, DueKind.RESUME, clock.now_ms() - 1, company=sample_data.COMPANY)


def enqueue(deps: SweeperDependencies) -> int:
    """Run the sweeper; the number of records that it enqueues."""
    return sweep.enqueue_due(deps, lambda: 60_000, 0)


def sms_queue(system: System) -> FifoQueue:
    """The queue of the SMS processor."""
    return system.fifo_queues.queues[system._queue_named("sms.fifo")]


def handle(system: System, deps: SweeperDependencies, count: int) -> None:
    """Handle so many records as the processor does: the work is done, and the record is deleted."""
    messages = sms_queue(system).messages
    for message in messages[:count]:
        due.done(deps.log, json.loads(message.body)["ref"], DueKind.RESUME)
    del messages[:count]


@pytest.mark.long
def test_each_record_of_a_backlog_is_enqueued_once_while_the_queue_is_drained(
    system: System, deps: SweeperDependencies, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep, "RECORD_MS", SECONDS_A_RECORD * clock.SECOND_MS)
    # One batch after the other: the slow records of this test must wait in the order in which they were postponed.
    monkeypatch.setattr(sqs_fifo, "PARALLEL_CALLS", 1)
    enqueued = 0
    for _ in range(90):
        enqueued += enqueue(deps)
        handle(system, deps, MINUTE_MS // (SECONDS_A_RECORD * clock.SECOND_MS))
        system.clock.ms += MINUTE_MS

    assert enqueued == BACKLOG
    assert due.list_due(deps.log, BACKLOG, lambda: True) == []


def test_a_lost_record_is_enqueued_again_after_the_time_that_the_backlog_before_it_needs(
    system: System, deps: SweeperDependencies, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep, "RECORD_MS", SECONDS_A_RECORD * clock.SECOND_MS)
    enqueue(deps)
    schedule(deps, "lost")
    assert enqueue(deps) == 1
    sms_queue(system).messages.pop()
    handle(system, deps, BACKLOG)

    needed_ms = sweep.AGAIN_MS + BACKLOG * SECONDS_A_RECORD * clock.SECOND_MS
    system.clock.ms += needed_ms - MINUTE_MS
    assert enqueue(deps) == 0
    system.clock.ms += 2 * MINUTE_MS
    assert enqueue(deps) == 1


def test_work_is_enqueued_again_after_a_day_however_long_the_queue_is(
    system: System, deps: SweeperDependencies, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep, "RECORD_MS", clock.DAY_SECONDS * clock.SECOND_MS)
    assert enqueue(deps) == BACKLOG
    sms_queue(system).messages.clear()
    system.clock.ms += sweep.LONGEST_AGAIN_MS + MINUTE_MS

    assert enqueue(deps) == BACKLOG
