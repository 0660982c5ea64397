"""
The function of the actions may be killed before or after any call that it makes: the repeated call, with the same
idempotency key, ends in the state of an undisturbed run, or says that its outcome is unknown. What a provider must do
at most once is done at most once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.simulation.disturbances import deaths
from tests.simulation.effort import long_except
from tests.simulation.whatsapp.actions.final_states import (
    repeated_ends_well,
    state_of,
    undisturbed,
)
from tests.simulation.whatsapp.actions.scenarios import scenarios
from whatsapp.actions.dispatch import catalogue

if TYPE_CHECKING:
    from tests.simulation.whatsapp.actions.actor import Actor
    from tests.simulation.whatsapp.actions.scenario import Scenario

ALL = scenarios()
SCENARIOS = long_except(ALL, [one for one in ALL if one.action == "send_text"])


@pytest.mark.parametrize("scenario", SCENARIOS, ids=str)
def test_a_killed_call_that_is_repeated_ends_as_if_nothing_had_happened(
    actor: Actor, scenario: Scenario
) -> None:
    calls, wanted = undisturbed(actor, scenario)
    for number, when in deaths(calls):
        body = actor.begin(scenario)
        actor.system.interceptor.die_at = (number, when)
        where = f"died {when} call {number}, {calls[number - 1]}"
        assert actor.call(scenario.action, body) is None, where
        actor.system.interceptor.die_at = None
        actor.wait()
        repeated_ends_well(actor, scenario, body, wanted, where)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=str)
def test_a_call_made_twice_has_its_effect_once(actor: Actor, scenario: Scenario) -> None:
    _, wanted = undisturbed(actor, scenario)
    body = actor.begin(scenario)
    first, second = actor.call(scenario.action, body), actor.call(scenario.action, body)
    actor.wait()

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
