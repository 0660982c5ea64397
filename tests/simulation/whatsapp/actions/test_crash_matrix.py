"""
The function of the actions may be killed before or after any call that it makes, and any of its calls may fail: the
repeated call, with the same idempotency key, ends in the state of an undisturbed run, or says that its outcome is
unknown. What a provider must do at most once is done at most once.

The actions share their dispatcher and the sending of messages: a scenario is disturbed where no earlier one was, at the
effects of its provider, and when all but the answer is stored.
"""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

import pytest

from tests.simulation.crashes.disturbances import deaths, failures, unlike
from tests.simulation.effort import EFFORT, long_except
from tests.simulation.whatsapp.actions.final_states import (
    repeated_ends_well,
    state_of,
    undisturbed,
)
from tests.simulation.whatsapp.actions.scenarios import scenarios
from whatsapp.actions.dispatch import catalogue

if TYPE_CHECKING:
    from tests.simulation.interceptor import Fault, When
    from tests.simulation.whatsapp.actions.actor import Actor
    from tests.simulation.whatsapp.actions.scenario import Scenario

KEPT = "send_text"  # in `make test`; the first one, because it is disturbed everywhere
ALL = sorted(scenarios(), key=lambda one: str(one) != KEPT)
SCENARIOS = long_except(ALL, ALL[:1])
# A refused call ends as one before which the function is killed: one action of each group shows it.
REFUSED = (
    ALL if EFFORT > 1 else list({catalogue.find(one.action).group: one for one in ALL}.values())
)


def earlier(scenario: Scenario) -> list[Scenario]:
    return list(takewhile(lambda one: one is not scenario, ALL))


def deaths_of(actor: Actor, scenario: Scenario) -> list[tuple[int, When]]:
    """The moments at which the function is killed."""

    def of(one: Scenario) -> tuple[list[tuple[int, When]], list[str]]:
        calls, _ = undisturbed(actor, one)
        return deaths(calls), calls

    found, calls = of(scenario)
    chosen = unlike(found, calls, map(of, earlier(scenario)))
    return [one for one in found if one in chosen or one[0] == len(calls) - 1]


def failures_of(actor: Actor, scenario: Scenario) -> list[tuple[int, Fault]]:
    """The calls that fail, one at a time."""

    def of(one: Scenario) -> tuple[list[tuple[int, Fault]], list[str]]:
        calls, _ = undisturbed(actor, one)
        return failures(calls, refused=one in REFUSED), calls

    return unlike(*of(scenario), map(of, earlier(scenario)))


@pytest.mark.parametrize("scenario", SCENARIOS, ids=str)
def test_a_killed_call_that_is_repeated_ends_as_if_nothing_had_happened(
    actor: Actor, scenario: Scenario
) -> None:
    calls, wanted = undisturbed(actor, scenario)
    for number, when in deaths_of(actor, scenario):
        body = actor.begin(scenario)
        actor.system.interceptor.die_at = (number, when)
        where = f"died {when} call {number}, {calls[number - 1]}"
        assert actor.call(scenario.action, body) is None, where
        actor.system.interceptor.die_at = None
        actor.settle(is_end=False)
        repeated_ends_well(actor, scenario, body, wanted, where)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=str)
def test_a_failing_call_neither_loses_nor_doubles_anything(
    actor: Actor, scenario: Scenario
) -> None:
    calls, wanted = undisturbed(actor, scenario)
    for number, fault in failures_of(actor, scenario):
        body = actor.begin(scenario)
        actor.system.interceptor.fault_at = (number, fault)
        where = f"{fault} at call {number}, {calls[number - 1]}"
        assert actor.call(scenario.action, body) is not None, where
        actor.system.interceptor.fault_at = None
        actor.settle(is_end=False)
        repeated_ends_well(actor, scenario, body, wanted, where)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=str)
def test_a_call_made_twice_has_its_effect_once(actor: Actor, scenario: Scenario) -> None:
    _, wanted = undisturbed(actor, scenario)
    body = actor.begin(scenario)
    first, second = actor.call(scenario.action, body), actor.call(scenario.action, body)
    actor.settle()

    assert first is not None
    assert second is not None
    assert (first.status, first.result) == (second.status, second.result)
    assert sorted(actor.effects(scenario)) == sorted(scenario.effect)
    assert state_of(actor) == wanted


def test_every_action_with_an_effect_at_a_provider_has_a_scenario() -> None:
    covered = {scenario.action for scenario in ALL}
    changing = {
        action.name
        for action in catalogue.all_actions()
        if not action.is_read and action.mode != "local"
    }

    assert changing - covered == set()
