"""A worker that pauses until its visibility timeout has passed, and resumes after another one did its work."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from events.whatsapp.payloads import text
from tests.simulation.whatsapp.accounts import account, check_at_rest, differences
from tests.simulation.whatsapp.evening import said, says
from tests.simulation.whatsapp.scenarios import EVERY, Scenario, by_name
from tests.simulation.whatsapp.world import Moment, World
from tests.simulation.wire import Died, Recorded, When

NEWER = said(says("newer", text("Are you there?"), 779))
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


@pytest.mark.parametrize("scenario", STOPPING, ids=lambda scenario: scenario.name)
def test_a_worker_resuming_after_another_one_finished_changes_nothing(
    world: World, scenario: Scenario
) -> None:
    start = scenario.begin(world)
    world.work_off()
    runs = calls_of_runs(world)
    world.deliver_until_taken(NEWER)
    world.work_off()
    clean = account(world)

    for before, calls in enumerate(runs):
        for number in range(1, calls + 1):
            stop_and_go_on(world, start, before, number)
            left = account(world)
            where = f"stopped before call {number} of run {before + 1}"
            assert differences(clean, left) == [], where
            check_at_rest(world, left.items)


def stop_and_go_on(world: World, start: Moment, before: int, number: int) -> None:
    """
    Pause run *before* + 1 before its call *number*; redeliver, handle a newer event, then resume it.

    When it resumes, its first calls are not repeated: they get their recorded responses.
    """
    world.begin_again(start)
    for _ in range(before):
        world.run_worker()
    world.wire.rewind()
    batch = [replace(message) for message in world.queue.receive()]
    world.wire.die_at = (number, When.BEFORE)
    answers: list[Recorded] = []
    world.wire.recording = answers
    stopped_at = world.clock.ms
    with pytest.raises(Died):
        world.invoke_worker(batch)

    world.new_process()
    world.wire.rewind()
    world.wait_for_redelivery()
    world.work_off()
    world.deliver_until_taken(NEWER)
    world.work_off()

    world.new_process()
    world.wire.rewind()
    now = world.clock.ms
    if answers:
        world.clock.ms = stopped_at
        world.wire.replayed = answers
        world.wire.after_replay = lambda: setattr(world.clock, "ms", now)
    world.invoke_worker(batch)
    for message in batch:
        world.queue.delete(message.receipt)
    world.work_off()


def calls_of_runs(world: World) -> list[int]:
    """The number of calls of each run of the worker."""
    starts = [*world.wire.first_of_runs, len(world.wire.calls) + 1]
    return [after - first for first, after in pairwise(starts)]
