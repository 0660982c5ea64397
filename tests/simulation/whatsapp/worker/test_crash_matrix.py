"""A worker may be killed before or after any call it makes: the redelivery results in the state of an undisturbed
run."""

from __future__ import annotations

import pytest

from tests.simulation.disturbances import deaths_in, failures
from tests.simulation.effort import long_except
from tests.simulation.interceptor import SENDS, When
from tests.simulation.whatsapp.final_state import (
    FinalState,
    check_at_rest,
    differences,
    final_state_of,
)
from tests.simulation.whatsapp.scenario import Scenario
from tests.simulation.whatsapp.scenarios import EVERY, by_name
from tests.simulation.whatsapp.send_scenarios import of_sequences
from tests.simulation.whatsapp.system import Snapshot, System
from whatsapp.store.items.phones import CONVERSATIONS

# Together they make every kind of call.
FAULTY = by_name(
    EVERY,
    "sample image",
    "sample unknown_phone",
    "edit before its message",
    "reaction before its message",
    "statuses before their echo",
    "sample template_status",
    "sample sns_template_status",
    "three ratings of a number, newest first",
    "a ban and its end, reversed",
    "sample payment_config",
    "a status waits, the next one is the evidence of our own send",
    "read receipt over Graph",
    "read receipt over AWS, with a file",
    "handed over: two messages and a reaction",
    "handed over: statuses",
    "handed over: statuses before their echo",
    "sent elsewhere, then its statuses",
    "a sequence starts",
)
REFUSED = by_name(
    EVERY,
    "sample image",
    "sample unknown_phone",
    "edit before its message",
    "read receipt over Graph",
    "handed over: statuses",
    "sent elsewhere, then its statuses",
)


# With FAULTY, one scenario for each kind of work of the workers.
CRASHED = FAULTY + by_name(
    EVERY,
    "sample batch",
    "sample history",
    "one address too many",
    "a number has a new owner",
    "a link, then a message by number",
)


@pytest.mark.parametrize(
    "scenario", long_except(EVERY, CRASHED), ids=lambda scenario: scenario.name
)
def test_a_crash_at_any_call_does_not_change_the_final_state(
    system: System, scenario: Scenario
) -> None:
    start, clean, calls = undisturbed(system, scenario)
    for number, when in deaths_in(system.interceptor):
        system.restore(start)
        system.interceptor.die_at = (number, when)
        system.drain()
        where = f"died {when} call {number}, {calls[number - 1]}"
        final = final_state_of(system)
        assert differences(clean, final) == [], where
        check_at_rest(system, final.items)
        assert len(system.receipts()) <= most_receipts(clean, calls, number, when), where


@pytest.mark.parametrize(
    "scenario", long_except(FAULTY, REFUSED), ids=lambda scenario: scenario.name
)
def test_a_failing_call_does_not_change_the_final_state(system: System, scenario: Scenario) -> None:
    start, clean, calls = undisturbed(system, scenario)
    for number, fault in failures(calls, refused=scenario in REFUSED):
        system.restore(start)
        system.interceptor.fault_at = (number, fault)
        system.drain()
        where = f"{fault} at call {number}, {calls[number - 1]}"
        final = final_state_of(system)
        assert differences(clean, final) == [], where
        check_at_rest(system, final.items)


@pytest.mark.parametrize("scenario", of_sequences(), ids=lambda scenario: scenario.name)
def test_a_scenario_of_a_sequence_starts_it_once(system: System, scenario: Scenario) -> None:
    _, final, _ = undisturbed(system, scenario)

    (run,) = [item for item in final.items.values() if item["itemType"] == "SEQUENCE_RUN"]
    (timer,) = [item for item in final.items.values() if item["itemType"] == "TIMER"]
    assert final.items[run["conversation"]]["sequenceRun"] == run["runId"]
    assert timer["runs"] == {f"{run['phone']}#{run['runId']}"}
    opened = final.items["CONFIG#CAMPAIGNS"]
    assert opened["timersFrom"] == opened["timersTo"] == run["dueAt"][:16]


def undisturbed(system: System, scenario: Scenario) -> tuple[Snapshot, FinalState, list[str]]:
    """The start of the scenario, and the final state and calls of an undisturbed run."""
    start = scenario.begin(system)
    system.drain()
    calls = list(system.interceptor.calls)
    assert calls
    final = final_state_of(system)
    check_at_rest(system, final.items)
    assert final.dead_letters == 0
    assert bool(final.handed_over) == (scenario.automation == CONVERSATIONS)
    return start, final, calls


def most_receipts(clean: FinalState, calls: list[str], number: int, when: When) -> int:
    """
    How often receipts may be sent: once each, and once more if the crash lost the only record of the first one.

    That is between the call itself and the write that records it. Unknown receipts are sent again (OnDoubt.RESEND): a
    second one has no effect for the customer.
    """
    sent = calls[number - 1].split(" ")[0] in SENDS and when is When.AFTER
    unsaid = number > 1 and calls[number - 2].split(" ")[0] in SENDS and when is When.BEFORE
    return len(clean.receipts) + (sent or unsaid)
