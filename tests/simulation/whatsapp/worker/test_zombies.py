"""A worker that pauses until its visibility timeout has passed, and resumes after another one did its work."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from events.whatsapp.payloads import text
from tests.simulation.effort import long_except
from tests.simulation.interceptor import Died, Recorded, When
from tests.simulation.whatsapp.event_builders import ada_message, webhook_of
from tests.simulation.whatsapp.final_state import (
    check_at_rest,
    differences,
    final_state_of,
    without_acceptance,
)
from tests.simulation.whatsapp.scenario import Scenario
from tests.simulation.whatsapp.scenarios import EVERY, by_name
from tests.simulation.whatsapp.system import Snapshot, System

NEWER = webhook_of(ada_message("newer", text("Are you there?"), 779))
STOPPING = by_name(
    EVERY,
    "sample text",
    "sample image",
    "sample user_id_only",
    "sample conflict",
    "older message after an answer",
    "edit before its message",
    "edits of a message, newest first",
    "revocation of a photo",
    "reactions, newest first",
    "statuses reversed",
    "statuses before their echo",
    "a status waits, the next one is the evidence of our own send",
    "read receipt over AWS, with a file",
)
SHORT = by_name(
    STOPPING, "sample text", "edit before its message", "statuses reversed", "sample conflict"
)


@pytest.mark.parametrize(
    "scenario", long_except(STOPPING, SHORT), ids=lambda scenario: scenario.name
)
def test_a_worker_resuming_after_another_one_finished_changes_nothing(
    system: System, scenario: Scenario
) -> None:
    start = scenario.begin(system)
    system.drain()
    runs = calls_of_runs(system)
    system.deliver_until_accepted(NEWER)
    system.drain()
    clean = final_state_of(system)

    for before, calls in enumerate(runs):
        for number in range(1, calls + 1):
            stop_and_go_on(system, start, before, number)
            final = final_state_of(system)
            where = f"stopped before call {number} of run {before + 1}"
            assert differences(without_acceptance(clean), without_acceptance(final)) == [], where
            check_at_rest(system, final.items)


def stop_and_go_on(system: System, start: Snapshot, before: int, number: int) -> None:
    """
    Pause run *before* + 1 before its call *number*; redeliver, handle a newer event, then resume it.

    When it resumes, its first calls are not repeated: they get their recorded responses.
    """
    system.restore(start)
    for _ in range(before):
        system.run_worker()
    system.interceptor.rewind()
    batch = [replace(message) for message in system.queue.receive()]
    system.interceptor.die_at = (number, When.BEFORE)
    answers: list[Recorded] = []
    system.interceptor.recording = answers
    stopped_at = system.clock.ms
    with pytest.raises(Died):
        system.invoke_worker(batch)

    system.new_process()
    system.interceptor.rewind()
    system.wait_for_redelivery()
    system.drain()
    system.deliver_until_accepted(NEWER)
    system.drain()

    system.new_process()
    system.interceptor.rewind()
    now = system.clock.ms
    if answers:
        system.clock.ms = stopped_at
        system.interceptor.replayed = answers
        system.interceptor.after_replay = lambda: setattr(system.clock, "ms", now)
    system.invoke_worker(batch)
    for message in batch:
        system.queue.delete(message.receipt)
    system.drain()


def calls_of_runs(system: System) -> list[int]:
    """The number of calls of each run of the worker."""
    starts = [*system.interceptor.first_of_runs, len(system.interceptor.calls) + 1]
    return [after - first for first, after in pairwise(starts)]
