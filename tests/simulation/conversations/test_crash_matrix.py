"""A worker may be killed before or after any call it makes: the final state equals an undisturbed run's."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pytest

from tests.simulation.conversations.final_state import FinalState, differences, final_state_of
from tests.simulation.conversations.scenarios import EVERY, FIRST_SMS, REPLY, Scenario, by_name
from tests.simulation.crashes.disturbances import deaths, failures
from tests.simulation.effort import EFFORT, long_except
from tests.simulation.interceptor import Fault, When

if TYPE_CHECKING:
    from tests.simulation.conversations.system import Snapshot, System

KEPT = by_name(
    "a first SMS",
    "three fragments and one answer",
    "a first mail",
    "a request for a person",
    "stop",
    "a failed delivery",
    "two pictures",
    "a voice note",
)
# Short runs crash at all calls of these scenarios, and at every third call of the others.
WHOLE = {FIRST_SMS, REPLY}
# Not the calls of the model, which repeat without effect.
RESERVES = "PutItem ACTION#"  # in the ledger
SENDS = ("HTTP.POST /2010", "sesv2.SendEmail")


@dataclass(frozen=True)
class Run:
    """
    An undisturbed run: its start, calls and final state; and the final states if a send stays unknown: the provider did
    not answer, or the process died after it had reserved the send.
    """

    start: Snapshot
    calls: list[str]
    starts: list[int]
    clean: FinalState
    in_doubt: FinalState | None
    unsent: FinalState | None


def undisturbed(system: System, scenario: Scenario) -> Run:
    """Run the scenario without crashes, and again with a provider that does not respond."""
    start = scenario.begin(system)
    system.settle()
    calls, starts = list(system.interceptor.calls), list(system.interceptor.first_of_runs)
    clean = final_state_of(system)
    assert clean.dead_letters == 0
    in_doubt = unsent = None
    if any(map(is_send, calls)):
        system.restore(start)
        system.interceptor.fails_if = FirstSend()
        system.settle()
        system.interceptor.rewind()
        in_doubt = final_state_of(system)
        unsent = _died_before_its_first_send(system, start, calls)
    return Run(start, calls, starts, clean, in_doubt, unsent)


def _died_before_its_first_send(
    system: System, start: Snapshot, calls: list[str]
) -> FinalState | None:
    """The final state after a death between the reservation of the first send and its attempt."""
    first = next(number for number, call in enumerate(calls) if is_send(call))
    reserved = [at for at, call in enumerate(calls[:first], start=1) if RESERVES in call]
    if not reserved:
        return None
    system.restore(start)
    system.interceptor.die_at = (reserved[-1], When.AFTER)
    system.settle()
    system.interceptor.rewind()
    return final_state_of(system)


class FirstSend:
    """The first send of a run fails at each attempt; later sends, such as a notice about it, succeed."""

    def __init__(self) -> None:
        self.sends = 0

    def __call__(self, call: str) -> bool:
        self.sends += is_send(call)
        return is_send(call) and self.sends == 1


def is_send(call: str) -> bool:
    return call.startswith(SENDS) and "Messages.json?" not in call


@pytest.mark.parametrize("scenario", long_except(EVERY, KEPT), ids=lambda scenario: scenario.name)
def test_a_crash_at_any_call_does_not_change_the_final_state(
    system: System, scenario: Scenario
) -> None:
    run = undisturbed(system, scenario)
    every = 1 if EFFORT > 1 or scenario in WHOLE else 3
    for number, when in deaths(run.calls, run.starts)[EVERY.index(scenario) % every :: every]:
        system.restore(run.start)
        system.interceptor.die_at = (number, when)
        system.settle()
        compare(system, run, f"died {when} {number} {run.calls[number - 1]}")


@pytest.mark.parametrize(
    "scenario", long_except([FIRST_SMS, REPLY], [FIRST_SMS]), ids=lambda scenario: scenario.name
)
def test_a_failing_call_does_not_change_the_final_state(system: System, scenario: Scenario) -> None:
    run = undisturbed(system, scenario)
    for number, fault in failures(run.calls):
        call = run.calls[number - 1]
        if call.startswith("ssm.") and fault is not Fault.LOST_ANSWER:
            continue  # Unreadable switches count as off: a different final state, as specified.
        system.restore(run.start)
        system.interceptor.fault_at = (number, fault)
        system.settle()
        compare(system, run, f"{fault} {number} {call}")


def compare(system: System, run: Run, what: str) -> None:
    """The final state equals the clean run's or the state of an unknown send; no message is sent twice."""
    final = final_state_of(system)
    assert len(final.sent) == len(set(final.sent)), what
    assert final.dead_letters == 0, what
    found = differences(run.clean, final)
    for doubt in (run.in_doubt, run.unsent):
        if found and doubt is not None:
            # Whether it was sent is unknown then.
            unknown = doubt if final.sent != run.clean.sent else replace(doubt, sent=final.sent)
            found = min(found, differences(unknown, final), key=len)
    assert not found, "\n".join([what, *found])
