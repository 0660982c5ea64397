"""A worker may be killed before or after any call it makes: the redelivery results in the state of an undisturbed
run."""

from __future__ import annotations

import pytest

from tests.simulation.effort import EFFORT, long_except
from tests.simulation.interceptor import Fault
from tests.simulation.richpanel.crashes import LIMITER, go_on, undisturbed
from tests.simulation.richpanel.scenarios import EVERY, Scenario, by_name
from tests.simulation.richpanel.system import System

# It makes nearly every kind of call: short runs crash at all of them, and at every fifth call of the others.
(ASKED,), (CLOSED,) = by_name("asked for the number"), by_name("answered and closed")
KEPT = [ASKED, CLOSED, *by_name("a burst, three calls", "a reply that is refused", "a chat")]
FAULTY = [(Fault.LOST_ANSWER, CLOSED), (Fault.THROTTLED, ASKED), (Fault.UNAVAILABLE, ASKED)]
if EFFORT > 1:
    FAULTY = [(fault, scenario) for fault in Fault for scenario in EVERY]


@pytest.mark.parametrize("scenario", long_except(EVERY, KEPT), ids=lambda scenario: scenario.name)
def test_a_crash_at_any_call_does_not_change_the_final_state(
    system: System, scenario: Scenario
) -> None:
    run = undisturbed(system, scenario)
    every = 1 if EFFORT > 1 or scenario is CLOSED else 5
    for number, when in run.deaths()[EVERY.index(scenario) % every :: every]:
        scenario.again(system, run.start)
        system.interceptor.die_at = (number, when)
        go_on(system, run, number, f"died {when}")


@pytest.mark.parametrize(
    ("fault", "scenario"),
    long_except(FAULTY, [(Fault.LOST_ANSWER, CLOSED)]),
    ids=lambda part: part.name if isinstance(part, Scenario) else str(part),
)
def test_a_failing_call_does_not_change_the_final_state(
    system: System, fault: Fault, scenario: Scenario
) -> None:
    run = undisturbed(system, scenario)
    for number, call in enumerate(run.calls, start=1):
        if EFFORT == 1 and (LIMITER in call or number % 3):
            continue
        if call.startswith("ssm.") and fault is not Fault.LOST_ANSWER:
            continue  # Unreadable switches count as off: a different final state, as specified.
        scenario.again(system, run.start)
        system.interceptor.fault_at = (number, fault)
        go_on(system, run, number, fault)
