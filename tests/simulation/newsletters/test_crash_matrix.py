"""
API, workers and schedule may be killed before or after any call: people repeat their calls, queues deliver again, the
schedule runs, and all ends in the state of an undisturbed run.

Scenarios share the ways in which they begin and in which calls fail: one is disturbed where no earlier one was, and at
each question to the model.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import takewhile

import pytest

from tests.simulation.crashes.disturbances import after_new_beginnings, failures, unlike
from tests.simulation.crashes.recorded_run import Death, RecordedRun
from tests.simulation.interceptor import When
from tests.simulation.newsletters.final_state import (
    FinalState,
    differences,
    final_state_of,
    state_of,
)
from tests.simulation.newsletters.scenarios import SCENARIOS, Scenario
from tests.simulation.newsletters.system import System

_MODEL = "HTTP.POST"


type Moments = tuple[list[tuple[int, When]], list[str]]


@dataclass(frozen=True)
class Recorded:
    """
    A scenario's undisturbed run, its final state and its questions to the model. *earlier*: when processes are killed
    in the scenarios before it, and their calls.
    """

    system: System
    run: RecordedRun[System]
    clean: FinalState
    asked: list[str]
    earlier: list[Moments] = field(default_factory=list)

    def loses_an_answer(self, death: Death) -> bool:
        """Whether an answer of the model is lost before it is stored: only then the model is asked again."""
        at = death.number - (1 if death.when is When.AFTER else 2)
        return self.run.calls[at].startswith(_MODEL)


def recorded(system: System, scenario: Scenario) -> Recorded:
    """Run a scenario undisturbed."""
    scenario.before(system)
    system.sandbox.forget_sent()
    run = RecordedRun(system, state_of, system.settle, scenario.acts)
    run.record()
    assert run.calls
    return Recorded(system, run, final_state_of(system), system.questions())


def moments_of(case: Recorded) -> Moments:
    return [death.at for death in case.run.deaths], case.run.calls


@pytest.fixture(scope="module")
def known() -> dict[str, Moments]:
    """Of all scenarios that were recorded."""
    return {}


@pytest.fixture(scope="module", params=SCENARIOS, ids=str)
def case(request: pytest.FixtureRequest, _system: System, known: dict[str, Moments]) -> Recorded:
    """A scenario, recorded once for all tests."""
    before = list(takewhile(lambda one: one is not request.param, SCENARIOS))
    for scenario in before:
        if str(scenario) not in known:
            known[str(scenario)] = moments_of(recorded(_system.reset(), scenario))
    case = recorded(_system.reset(), request.param)
    known[str(request.param)] = moments_of(case)
    return replace(case, earlier=[known[str(scenario)] for scenario in before])


def test_a_crash_at_any_call_does_not_change_the_final_state(case: Recorded) -> None:
    assert not case.clean.dead_letters
    assert not case.clean.open_work
    assert len(case.asked) == len(set(case.asked))

    moments = after_new_beginnings(*moments_of(case), case.earlier)
    for death in case.run.kills(moments, kind_of=case.loses_an_answer):
        final, asked = final_state_of(case.system), case.system.questions()
        where = (death.when, case.run.calls[death.number - 1])
        assert final == case.clean, (*where, differences(case.clean, final))
        assert set(asked) == set(case.asked), where
        assert len(asked) == len(case.asked) + case.loses_an_answer(death), where


def test_a_failing_call_does_not_change_the_final_state(case: Recorded) -> None:
    calls = case.run.calls
    earlier = [(failures(one), one) for _, one in case.earlier]
    for number, fault in case.run.faults(unlike(failures(calls), calls, earlier)):
        final = final_state_of(case.system)
        where = (fault, number, calls[number - 1])
        assert final == case.clean, (*where, differences(case.clean, final))


def test_everything_may_be_delivered_twice(case: Recorded) -> None:
    system = case.system
    case.run.restart()
    for act in case.run.acts:
        act(system)
    while not system.fifo_queues.is_empty or system.open_work():
        batch = system.fifo_queues.receive()
        for queue, message in batch:
            assert not system.invoke_worker(queue, message)
            system.run_worker(queue, message)
        if not batch:
            system.pass_time()

    assert final_state_of(system) == case.clean
    assert system.questions() == case.asked
