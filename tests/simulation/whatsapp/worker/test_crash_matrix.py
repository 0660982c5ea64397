"""
A worker may be killed before or after any call it makes: the redelivery results in the state of an undisturbed run.

Scenarios share the ways in which they begin and in which calls fail: one is disturbed where no earlier one was, and at
each send to a provider.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile

import pytest

from tests.simulation.crashes.disturbances import after_new_beginnings, deaths, failures, unlike
from tests.simulation.effort import long_except
from tests.simulation.interceptor import SENDS, Fault, When
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
from whatsapp.store.items.accounts.phones import CONVERSATIONS

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
    "a voice note becomes text",
)


# Scenarios of `make test` come first, and are disturbed most.
CRASHED_IN_ORDER = CRASHED + [one for one in EVERY if one not in CRASHED]
FAULTY_IN_ORDER = REFUSED + [one for one in FAULTY if one not in REFUSED]


@dataclass(frozen=True)
class Run:
    """An undisturbed run of a scenario: its start, final state, calls, and the first call of each invocation."""

    start: Snapshot
    clean: FinalState
    calls: list[str]
    starts: list[int]


class Runs(dict[str, Run]):
    """The undisturbed runs by the names of their scenarios, each made once."""

    def of(self, system: System, scenario: Scenario) -> Run:
        if scenario.name not in self:
            self[scenario.name] = undisturbed(system, scenario)
        return self[scenario.name]


def before(scenario: Scenario, among: list[Scenario]) -> list[Scenario]:
    return list(takewhile(lambda one: one is not scenario, among))


def deaths_of(run: Run) -> tuple[list[tuple[int, When]], list[str]]:
    return deaths(run.calls, run.starts), run.calls


@pytest.fixture(scope="module")
def runs() -> Runs:
    return Runs()


@pytest.mark.parametrize(
    "scenario", long_except(EVERY, CRASHED), ids=lambda scenario: scenario.name
)
def test_a_crash_at_any_call_does_not_change_the_final_state(
    system: System, runs: Runs, scenario: Scenario
) -> None:
    run = runs.of(system, scenario)
    earlier = [deaths_of(runs.of(system, one)) for one in before(scenario, CRASHED_IN_ORDER)]
    for number, when in after_new_beginnings(*deaths_of(run), earlier):
        system.restore(run.start)
        system.interceptor.die_at = (number, when)
        system.drain()
        where = f"died {when} call {number}, {run.calls[number - 1]}"
        final = final_state_of(system)
        assert differences(run.clean, final) == [], where
        check_at_rest(system, final.items)
        most = most_receipts(run.clean, run.calls, number, when)
        assert len(system.receipts()) <= most, where


@pytest.mark.parametrize(
    "scenario", long_except(FAULTY, REFUSED), ids=lambda scenario: scenario.name
)
def test_a_failing_call_does_not_change_the_final_state(
    system: System, runs: Runs, scenario: Scenario
) -> None:
    def of(one: Scenario) -> tuple[list[tuple[int, Fault]], list[str]]:
        calls = runs.of(system, one).calls
        return failures(calls, refused=one in REFUSED), calls

    run = runs.of(system, scenario)
    for number, fault in unlike(*of(scenario), map(of, before(scenario, FAULTY_IN_ORDER))):
        system.restore(run.start)
        system.interceptor.fault_at = (number, fault)
        system.drain()
        where = f"{fault} at call {number}, {run.calls[number - 1]}"
        final = final_state_of(system)
        assert differences(run.clean, final) == [], where
        check_at_rest(system, final.items)


@pytest.mark.parametrize("scenario", of_sequences(), ids=lambda scenario: scenario.name)
def test_a_scenario_of_a_sequence_starts_it_once(system: System, scenario: Scenario) -> None:
    final = undisturbed(system, scenario).clean

    (run,) = [item for item in final.items.values() if item["itemType"] == "SEQUENCE_RUN"]
    (timer,) = [item for item in final.items.values() if item["itemType"] == "TIMER"]
    assert final.items[run["conversation"]]["sequenceRun"] == run["runId"]
    assert timer["runs"] == {f"{run['phone']}#{run['runId']}"}
    opened = final.items["CONFIG#CAMPAIGNS"]
    assert opened["timersFrom"] == opened["timersTo"] == run["dueAt"][:16]


def test_the_scenario_of_a_voice_note_ends_with_its_text(system: System) -> None:
    final = undisturbed(system, by_name(EVERY, "a voice note becomes text")[0]).clean

    (message,) = [item for item in final.items.values() if item["itemType"] == "MESSAGE"]
    assert message["transcript"]
    assert not {"noTranscript", "transcribingUntil"} & message.keys()


def undisturbed(system: System, scenario: Scenario) -> Run:
    """Run a scenario without failures."""
    start = scenario.begin(system)
    system.drain()
    calls, starts = list(system.interceptor.calls), list(system.interceptor.first_of_runs)
    assert calls
    final = final_state_of(system)
    check_at_rest(system, final.items)
    assert final.dead_letters == 0
    # Numbers that changed hands are announced at every number.
    answered = [one for one in final.handed_over if '"type": "number_released"' not in one]
    assert bool(answered) == (scenario.automation == CONVERSATIONS)
    return Run(start, final, calls, starts)


def most_receipts(clean: FinalState, calls: list[str], number: int, when: When) -> int:
    """
    How often receipts may be sent: once each, and once more if the crash lost the only record of the first one.

    That is between the call itself and the write that records it. Unknown receipts are sent again (OnDoubt.RESEND): a
    second one has no effect for the customer.
    """
    sent = calls[number - 1].split(" ")[0] in SENDS and when is When.AFTER
    unsaid = number > 1 and calls[number - 2].split(" ")[0] in SENDS and when is When.BEFORE
    return len(clean.receipts) + (sent or unsaid)
