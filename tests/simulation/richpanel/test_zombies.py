"""A worker that pauses until its visibility timeout has passed, and resumes after another one did its work."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.simulation.effort import EFFORT
from tests.simulation.interceptor import READS, Died, Recorded, When
from tests.simulation.invocations import Invocation
from tests.simulation.richpanel.crashes import LIMITER, Run, undisturbed
from tests.simulation.richpanel.final_state import check_at_rest, differences, final_state_of
from tests.simulation.richpanel.scenarios import Scenario, by_name, writes_again
from tests.simulation.richpanel.system import LONGEST_LIFE_MS, System

STOPPING = by_name("asked, assigned", "chargeback, assigned", "answered and closed")[
    : 1 if EFFORT == 1 else 3
]


@pytest.mark.long
@pytest.mark.parametrize("scenario", STOPPING, ids=lambda scenario: scenario.name)
def test_a_worker_resuming_after_another_one_finished_changes_nothing(
    system: System, scenario: Scenario
) -> None:
    undisturbed(system, scenario)  # reads the keys of identifiers, which all later runs have
    run = undisturbed(system, scenario, afterwards=writes_again)
    for number, call in enumerate(run.calls, start=1):
        if EFFORT == 1 and (call.split(" ")[0] in READS or LIMITER in call):
            continue  # A worker paused before the next write is equally outdated.
        stop_and_go_on(system, run, number)
        final = final_state_of(system)
        check_at_rest(system, final)
        found = differences(run.clean, final)
        if found and run.in_doubt and run.may_stay_unknown(number):
            # Its request arrived after the last lookup: still at most once.
            found = [
                line
                for line in differences(run.in_doubt, final)
                if not line.startswith(("sent:", "t-1 comments:"))
            ]
            assert len(final.sent) <= len(run.clean.sent)
        assert not found, "\n".join([f"stopped before call {number}, {call}", *found])


def stop_and_go_on(system: System, run: Run, number: int) -> None:
    """
    Pause the worker before its call *number*; redeliver, handle a newer event, then resume it.

    When it resumes, its first calls are not repeated: they get their recorded responses.
    """
    run.scenario.again(system, run.start)
    ((queue_name, message),) = system.fifo_queues.receive()
    held, invocation = replace(message), Invocation(system.clock, lasts_ms=LONGEST_LIFE_MS)
    answers: list[Recorded] = []
    system.interceptor.die_at, system.interceptor.recording = (number, When.BEFORE), answers
    stopped_at = system.clock.ms
    with pytest.raises(Died):
        system.invoke_worker(queue_name, held, invocation)

    system.new_process()
    system.interceptor.rewind()
    system.wait()
    system.drain()
    writes_again(system)
    system.drain()

    system.new_process()
    system.interceptor.rewind()
    now = system.clock.ms
    if answers:
        system.clock.ms = stopped_at
        system.interceptor.replayed = answers
        system.interceptor.after_replay = lambda: setattr(system.clock, "ms", now)
    system.invoke_worker(queue_name, held, invocation)
    system.fifo_queues.delete(queue_name, held)
    system.drain()
