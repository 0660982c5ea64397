"""
Ingest and worker may be killed before or after any call: the redelivery ends in the state of an undisturbed run.

Scenarios share the ways in which they begin and in which calls fail: one is disturbed where no earlier one was, and at
each effect of SES and of the model.

A send that was cut off may also stay unknown: its mail is never sent again, and a later event of SES completes it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Any

import pytest

from email_threads.privacy import jobs
from email_threads.privacy.sources import shared_threads, whole_threads
from email_threads.threading import expiry
from tests.simulation.crashes.disturbances import after_new_beginnings, failures, unlike
from tests.simulation.crashes.recorded_run import RecordedRun
from tests.simulation.email_threads.final_state import (
    FinalState,
    differences,
    final_state_of,
    state_of,
    without_shadow,
)
from tests.simulation.email_threads.scenarios import SCENARIOS, Scenario
from tests.simulation.email_threads.system import System
from tests.simulation.interceptor import Fault, When
from tests.simulation.queues.fifo import Queued

# Their answer decides: if they cannot be read, all is off.
_SWITCHES = "ssm."
_SEND = "sesv2.SendEmail"


@dataclass(frozen=True)
class Recorded:
    """A scenario's undisturbed run, its final state, and all final states that are allowed."""

    system: System
    run: RecordedRun[System]
    clean: FinalState
    allowed: list[FinalState]
    earlier: list[Moments] = field(default_factory=list)


@dataclass(frozen=True)
class Moments:
    """The calls of a scenario, when a process may be killed, and how calls may fail."""

    calls: list[str]
    deaths: list[tuple[int, When]]
    faults: list[tuple[int, Fault]]

    @classmethod
    def of(cls, run: RecordedRun[System]) -> Moments:
        """The moments of a recorded run."""
        faults = [
            (number, fault)
            for number, fault in failures(run.calls)
            if fault is Fault.LOST_ANSWER or not run.calls[number - 1].startswith(_SWITCHES)
        ]
        return cls(run.calls, [death.at for death in run.deaths], faults)


def check_threads(system: System) -> None:
    """Numbers without gaps, and one mail for each alias."""
    for head in system.threads():
        thread = head["conversation_id"]
        numbers = [int(mail["n"]) for mail in system.mails(thread)]
        expected = 0 if "merged_into" in head else int(head["email_count"])
        assert numbers == list(range(1, expected + 1)), thread
    stored = [mail["email_id"] for mail in system.mails() if "moved_to" not in mail]
    assert len(stored) == len(set(stored))


def recorded(system: System, scenario: Scenario) -> Recorded:
    """Run a scenario undisturbed; if it sends a mail, also without SES's answer."""
    system.worker.identifier_keys.value()  # read once by all processes of the simulation
    scenario.before(system)
    system.drain()
    scenario.then(system)
    run = RecordedRun(system, state_of, system.drain)
    run.record()
    assert run.calls
    check_threads(system)
    clean = final_state_of(system)
    allowed = [clean]
    if any(call.startswith(_SEND) for call in run.calls):
        run.restart()
        system.interceptor.fails_if = lambda call: call.startswith(_SEND)
        system.drain()
        system.interceptor.rewind()
        allowed.append(final_state_of(system))
    # A request for a draft in shadow that cannot be queued is logged: the mail has its live draft.
    return Recorded(system, run, clean, [*allowed, *map(without_shadow, allowed)])


@pytest.fixture(scope="module")
def known() -> dict[str, Moments]:
    """The moments of all scenarios that were recorded."""
    return {}


@pytest.fixture(scope="module", params=SCENARIOS, ids=str)
def case(request: pytest.FixtureRequest, _system: System, known: dict[str, Moments]) -> Recorded:
    """A scenario, recorded once for all tests."""
    before = list(takewhile(lambda one: one is not request.param, SCENARIOS))
    for scenario in before:
        if scenario.name not in known:
            known[scenario.name] = Moments.of(recorded(_system.reset(), scenario).run)
    case = recorded(_system.reset(), request.param)
    known[request.param.name] = Moments.of(case.run)
    return replace(case, earlier=[known[scenario.name] for scenario in before])


def test_a_crash_at_any_call_does_not_change_the_final_state(case: Recorded) -> None:
    assert not case.clean.dead_letters
    moments = Moments.of(case.run)
    earlier = [(one.deaths, one.calls) for one in case.earlier]

    for death in case.run.kills(after_new_beginnings(moments.deaths, moments.calls, earlier)):
        final = final_state_of(case.system)
        where = (death.when, moments.calls[death.number - 1])
        assert len(final.sent) == len(set(final.sent)), where
        assert final in case.allowed, (*where, differences(case.clean, final))


def test_a_failing_call_does_not_change_the_final_state(case: Recorded) -> None:
    moments = Moments.of(case.run)
    earlier = [(one.faults, one.calls) for one in case.earlier]
    for number, fault in case.run.faults(unlike(moments.faults, moments.calls, earlier)):
        final = final_state_of(case.system)
        where = (fault, moments.calls[number - 1])
        assert len(final.sent) == len(set(final.sent)), where
        assert final in case.allowed, (*where, differences(case.clean, final))


def test_everything_may_be_delivered_twice(case: Recorded) -> None:
    system = case.system
    case.run.restart()
    while waiting := _visible(system):
        for queue, message in waiting:
            # An erasure waits for workers that started before it, and is delivered again for that.
            is_waiting = system.invoke_worker(queue, message)
            assert not is_waiting or '"email.privacy"' in message.body
            if is_waiting:
                system.wait()
            else:
                system.run_worker(queue, message)

    assert final_state_of(system) == case.clean


def _visible(system: System) -> list[tuple[str, Queued]]:
    """The next messages of the workers, also those that wait for their delay."""
    for _ in range(2):
        found = [one for one in system.fifo_queues.receive() if one[0] in system.workers]
        if found:
            return found
        system.wait()
    return []


def scenario_of(name: str) -> Scenario:
    """The scenario whose name ends so."""
    return next(one for one in SCENARIOS if one.name.endswith(name))


@pytest.mark.parametrize("when", When)
def test_an_event_of_ses_completes_a_send_that_was_cut_off(system: System, when: When) -> None:
    run = recorded(system, scenario_of("an approved draft")).run
    run.restart()
    system.drain()
    system.report("Delivery", part={"recipients": []})
    system.drain()
    clean = final_state_of(system)
    number = next(n for n, call in enumerate(run.calls, start=1) if call.startswith(_SEND))

    run.restart()
    system.interceptor.die_at = (number, when)
    system.drain()
    (draft,) = system.drafts()
    assert draft["draft_status"] == "unknown"
    if when is When.BEFORE:
        assert not system.sent()
        return
    system.report("Delivery", part={"recipients": []})
    system.drain()

    final = final_state_of(system)
    assert _without_evidence(final) == _without_evidence(clean)


def _without_evidence(state: FinalState) -> dict[str, Any]:
    """Items without the action, whose state tells how its outcome became known."""
    return {key: row for key, row in state.items.items() if not key.startswith("action#")}


def test_a_removal_in_several_steps_leaves_no_mail_wherever_it_is_killed(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(expiry, "STEP", 1)
    case = recorded(system, scenario_of("an expired thread"))
    assert not system.mails()

    for death in case.run.kills():
        assert final_state_of(system) == case.clean, case.run.calls[death.number - 1]


@pytest.mark.long
@pytest.mark.parametrize("name", ["only person of a thread", "one of several people", "export"])
def test_a_job_in_many_turns_ends_the_same_wherever_it_is_killed(
    system: System, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(jobs, "TURN_MS", 0)
    for module in (whole_threads, shared_threads):
        monkeypatch.setattr(module, "MAILS_A_PAGE", 2)
    case = recorded(system, scenario_of(name))
    assert not case.clean.dead_letters

    for death in case.run.kills():
        assert final_state_of(system) == case.clean, case.run.calls[death.number - 1]
