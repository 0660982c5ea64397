"""
Any call that the function of the actions makes may fail: the repeated call, with the same idempotency key, ends in the
state of an undisturbed run, or says that its outcome is unknown. What a provider must do at most once is done at most
once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.simulation.disturbances import failures
from tests.simulation.effort import EFFORT, long_except
from tests.simulation.whatsapp.actions.final_states import repeated_ends_well, undisturbed
from tests.simulation.whatsapp.actions.scenarios import scenarios
from whatsapp.actions.dispatch import catalogue

if TYPE_CHECKING:
    from tests.simulation.whatsapp.actions.actor import Actor
    from tests.simulation.whatsapp.actions.scenario import Scenario

ALL = scenarios()
# A refused call ends as one before which the function is killed: one action of each group shows it.
REFUSED = (
    ALL if EFFORT > 1 else list({catalogue.find(one.action).group: one for one in ALL}.values())
)
SCENARIOS = long_except(ALL, [one for one in ALL if one.action == "send_text"])


@pytest.mark.parametrize("scenario", SCENARIOS, ids=str)
def test_a_failing_call_neither_loses_nor_doubles_anything(
    actor: Actor, scenario: Scenario
) -> None:
    calls, wanted = undisturbed(actor, scenario)
    for number, fault in failures(calls, refused=scenario in REFUSED):
        body = actor.begin(scenario)
        actor.system.interceptor.fault_at = (number, fault)
        where = f"{fault} at call {number}, {calls[number - 1]}"
        assert actor.call(scenario.action, body) is not None, where
        actor.system.interceptor.fault_at = None
        actor.wait()
        repeated_ends_well(actor, scenario, body, wanted, where)
