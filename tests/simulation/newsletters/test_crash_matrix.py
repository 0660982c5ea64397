"""
API, workers and schedule may be killed before or after any call: people repeat their calls, queues deliver again, the
schedule runs, and all ends in the state of an undisturbed run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.simulation.disturbances import deaths_in, failures
from tests.simulation.interceptor import When
from tests.simulation.newsletters.final_state import differences, final_state_of
from tests.simulation.newsletters.scenarios import SCENARIOS, Scenario

if TYPE_CHECKING:
    from tests.simulation.newsletters.final_state import FinalState
    from tests.simulation.newsletters.system import Snapshot, System

_MODEL = "HTTP.POST"


def begun(system: System, scenario: Scenario) -> Snapshot:
    """The system at the moment at which the disturbed calls begin."""
    scenario.before(system)
    snapshot = system.snapshot()
    system.restore(snapshot)
    return snapshot


def ended(system: System, scenario: Scenario) -> FinalState:
    """The final state after the calls of the scenario and their work."""
    scenario.then(system)
    system.settle()
    return final_state_of(system)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=str)
def test_a_crash_at_any_call_does_not_change_the_final_state(
    system: System, scenario: Scenario
) -> None:
    start = begun(system, scenario)
    clean, calls = ended(system, scenario), list(system.interceptor.calls)
    moments = deaths_in(system.interceptor)
    asked = system.questions()
    assert not clean.dead_letters
    assert not clean.open_work
    assert len(asked) == len(set(asked))

    for number, when in moments:
        system.restore(start)
        system.interceptor.die_at = (number, when)
        final = ended(system, scenario)
        where = (scenario.name, when, number, calls[number - 1])
        assert final == clean, (*where, differences(clean, final))
        check_questions(calls, number, when, asked, system.questions())


def check_questions(
    calls: list[str], number: int, when: When, clean: list[str], asked: list[str]
) -> None:
    """The model is asked again only if its answer was lost before it was stored."""
    is_lost = when is When.AFTER and calls[number - 1].startswith(_MODEL)
    is_not_stored = when is When.BEFORE and calls[number - 2].startswith(_MODEL)
    assert set(asked) == set(clean)
    assert len(asked) == len(clean) + (is_lost or is_not_stored), (number, when, calls[number - 1])


@pytest.mark.parametrize("scenario", SCENARIOS, ids=str)
def test_a_failing_call_does_not_change_the_final_state(system: System, scenario: Scenario) -> None:
    start = begun(system, scenario)
    clean, calls = ended(system, scenario), list(system.interceptor.calls)

    for number, fault in failures(calls):
        system.restore(start)
        system.interceptor.fault_at = (number, fault)
        final = ended(system, scenario)
        where = (scenario.name, fault, number, calls[number - 1])
        assert final == clean, (*where, differences(clean, final))


@pytest.mark.parametrize("scenario", SCENARIOS, ids=str)
def test_everything_may_be_delivered_twice(system: System, scenario: Scenario) -> None:
    start = begun(system, scenario)
    clean = ended(system, scenario)
    asked = system.questions()

    system.restore(start)
    scenario.then(system)
    while not system.fifo_queues.is_empty or system.open_work():
        batch = system.fifo_queues.receive()
        for queue, message in batch:
            assert not system.invoke_worker(queue, message)
            system.run_worker(queue, message)
        if not batch:
            system.pass_time()

    assert final_state_of(system) == clean
    assert system.questions() == asked
