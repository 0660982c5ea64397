"""A worker may be killed before or after any call it makes: the redelivery ends where an undisturbed run ends."""

from __future__ import annotations

import pytest

from tests.simulation.accounts import Account, account, check_at_rest, differences
from tests.simulation.whatsapp.scenarios import EVERY, Scenario
from tests.simulation.wire import SENDS, Fault, When
from tests.simulation.world import World

every_scenario = pytest.mark.parametrize("scenario", EVERY, ids=lambda scenario: scenario.name)


@every_scenario
def test_dying_at_any_call_changes_nothing_in_the_end(world: World, scenario: Scenario):
    clean, calls = undisturbed(world, scenario)
    for number in range(1, len(calls) + 1):
        for when in When:
            scenario.begin(world)
            world.wire.die_at = (number, when)
            world.work_off()
            where = f"died {when} call {number}, {calls[number - 1]}"
            assert differences(clean, account(world)) == [], where
            check_at_rest(world)
            assert len(world.receipts()) <= most_receipts(clean, calls, number, when), where


@every_scenario
@pytest.mark.parametrize("fault", Fault)
def test_a_failing_call_changes_nothing_in_the_end(world: World, scenario: Scenario, fault: Fault):
    clean, calls = undisturbed(world, scenario)
    for number in range(1, len(calls) + 1):
        scenario.begin(world)
        world.wire.fault_at = (number, fault)
        world.work_off()
        where = f"{fault} at call {number}, {calls[number - 1]}"
        assert differences(clean, account(world)) == [], where
        check_at_rest(world)


def undisturbed(world: World, scenario: Scenario) -> tuple[Account, list[str]]:
    """What a run without accidents leaves, and the calls it makes."""
    scenario.begin(world)
    world.work_off()
    calls = list(world.wire.calls)
    assert calls
    check_at_rest(world)
    left = account(world)
    assert left.dead_letters == 0
    return left, calls


def most_receipts(clean: Account, calls: list[str], number: int, when: When) -> int:
    """
    How often receipts may be on the wire: once each, and once more where the only evidence died with the worker.

    That is between the call itself and the write that says so. Receipts are sent again in doubt (OnDoubt.RESEND):
    twice changes nothing for the customer.
    """
    sent = calls[number - 1].split(" ")[0] in SENDS and when is When.AFTER
    unsaid = number > 1 and calls[number - 2].split(" ")[0] in SENDS and when is When.BEFORE
    return len(clean.receipts) + (sent or unsaid)
