"""A worker that pauses until its visibility timeout has passed, and resumes after another one did its work."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.simulation.effort import EFFORT
from tests.simulation.invocations import Invocation
from tests.simulation.richpanel.accidents import LIMITER, Run, undisturbed
from tests.simulation.richpanel.left import check_at_rest, differences, left_by
from tests.simulation.richpanel.scenarios import Scenario, by_name, writes_again
from tests.simulation.richpanel.world import LONGEST_LIFE_MS, World
from tests.simulation.wire import READS, Died, Recorded, When

STOPPING = by_name("asked, assigned", "chargeback, assigned", "answered and closed")[
    : 1 if EFFORT == 1 else 3
]


@pytest.mark.parametrize("scenario", STOPPING, ids=lambda scenario: scenario.name)
def test_a_worker_resuming_after_another_one_finished_changes_nothing(
    world: World, scenario: Scenario
) -> None:
    run = undisturbed(world, scenario, afterwards=writes_again)
    for number, call in enumerate(run.calls, start=1):
        if EFFORT == 1 and (call.split(" ")[0] in READS or LIMITER in call):
            continue  # A worker paused before the next write is equally outdated.
        stop_and_go_on(world, run, number)
        left = left_by(world)
        check_at_rest(world, left)
        found = differences(run.clean, left)
        if found and run.in_doubt and run.loses_sight(number):
            # Its request arrived after the last lookup: still at most once.
            found = [
                line
                for line in differences(run.in_doubt, left)
                if not line.startswith(("sent:", "t-1 comments:"))
            ]
            assert len(left.sent) <= len(run.clean.sent)
        assert not found, "\n".join([f"stopped before call {number}, {call}", *found])


def stop_and_go_on(world: World, run: Run, number: int) -> None:
    """
    Pause the worker before its call *number*; redeliver, handle a newer event, then resume it.

    When it resumes, its first calls are not repeated: they get their recorded responses.
    """
    run.scenario.again(world, run.start)
    ((lane, message),) = world.lanes.receive()
    held, invocation = replace(message), Invocation(world.clock, lasts_ms=LONGEST_LIFE_MS)
    answers: list[Recorded] = []
    world.wire.die_at, world.wire.recording = (number, When.BEFORE), answers
    stopped_at = world.clock.ms
    with pytest.raises(Died):
        world.invoke_worker(lane, held, invocation)

    world.new_process()
    world.wire.rewind()
    world.wait()
    world.work_off()
    writes_again(world)
    world.work_off()

    world.new_process()
    world.wire.rewind()
    now = world.clock.ms
    if answers:
        world.clock.ms = stopped_at
        world.wire.replayed = answers
        world.wire.after_replay = lambda: setattr(world.clock, "ms", now)
    world.invoke_worker(lane, held, invocation)
    world.lanes.delete(lane, held)
    world.work_off()
