"""Ingest and worker may be killed before or after any call: the redelivery ends in the state of an undisturbed run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from email_threads.privacy import jobs, shared_threads, whole_threads
from email_threads.threading import expiry
from tests.simulation.effort import EFFORT, FAULTS
from tests.simulation.email_threads.scenarios import SCENARIOS, Scenario
from tests.simulation.email_threads.system import Snapshot, System
from tests.simulation.interceptor import READS, Fault, When

# They differ by the time of the run that wrote them, or count what was tried.
_TIMES = frozenset({
    "updated_at", "last_updated_at", "ttl", "ttl_date", "parked_again_at", "resolved_at", "replayed_at", "finished_at",
})  # fmt: skip


@dataclass(frozen=True)
class FinalState:
    """Items without their times, objects, forwarded events, dead letters."""

    items: dict[str, Any]
    objects: dict[str, bytes]
    forwarded: list[str]
    dead_letters: list[str]


def final_state_of(system: System) -> FinalState:
    forwarded = system.fifo_queues.queues[system.conversations].messages
    return FinalState(
        items={
            key: {
                name: [_timeless(one) for one in value] if name == "receipts" else value
                for name, value in _timeless(row).items()
            }
            for key, row in system.rows().items()
        },
        objects=system.objects(),
        # A repeat has the same body: the queue, and after five minutes the conversations, drop it.
        forwarded=sorted({message.body for message in forwarded}),
        dead_letters=system.fifo_queues.dead_letters,
    )


def _timeless(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in _TIMES}


def begun(system: System, scenario: Scenario) -> Snapshot:
    """The system at the moment at which the disturbed work begins."""
    scenario.before(system)
    system.drain()
    scenario.then(system)
    snapshot = system.snapshot()
    system.restore(snapshot)
    return snapshot


def check_threads(system: System) -> None:
    """Numbers without gaps, and one mail for each alias."""
    for head in system.threads():
        thread = head["conversation_id"]
        numbers = [int(mail["n"]) for mail in system.mails(thread)]
        expected = 0 if "merged_into" in head else int(head["email_count"])
        assert numbers == list(range(1, expected + 1)), thread
    stored = [mail["email_id"] for mail in system.mails()]
    assert len(stored) == len(set(stored))


@pytest.mark.parametrize("scenario", SCENARIOS, ids=str)
def test_a_crash_at_any_call_does_not_change_the_final_state(
    system: System, scenario: Scenario
) -> None:
    start = begun(system, scenario)
    system.drain()
    clean, calls = final_state_of(system), list(system.interceptor.calls)
    starts = list(system.interceptor.first_of_runs)
    assert not clean.dead_letters
    check_threads(system)
    deaths = [(number, When.BEFORE) for number in starts] + [
        (number, When.AFTER)
        for number, call in enumerate(calls, start=1)
        if EFFORT > 1 or call.split(" ")[0] not in READS
    ]

    for number, when in deaths:
        system.restore(start)
        system.interceptor.die_at = (number, when)
        system.drain()
        assert final_state_of(system) == clean, (scenario.name, when, calls[number - 1])


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("scenario", SCENARIOS, ids=str)
def test_a_failing_call_does_not_change_the_final_state(
    system: System, scenario: Scenario, fault: Fault
) -> None:
    start = begun(system, scenario)
    system.drain()
    clean, calls = final_state_of(system), list(system.interceptor.calls)

    for number, call in enumerate(calls, start=1):
        system.restore(start)
        system.interceptor.fault_at = (number, fault)
        system.drain()
        assert final_state_of(system) == clean, (scenario.name, fault, call)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=str)
def test_everything_may_be_delivered_twice(system: System, scenario: Scenario) -> None:
    start = begun(system, scenario)
    system.drain()
    clean = final_state_of(system)

    system.restore(start)
    while waiting := [
        (queue, message)
        for queue, message in system.fifo_queues.receive()
        if queue in system.workers
    ]:
        for queue, message in waiting:
            # An erasure waits for workers that started before it, and is delivered again for that.
            is_waiting = system.invoke_worker(queue, message)
            assert not is_waiting or '"email.privacy"' in message.body
            if is_waiting:
                system.wait()
            else:
                system.run_worker(queue, message)

    assert final_state_of(system) == clean


def test_a_removal_in_several_steps_leaves_no_mail_wherever_it_is_killed(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(expiry, "STEP", 1)
    scenario = next(one for one in SCENARIOS if one.name == "an expired thread")
    start = begun(system, scenario)
    system.drain()
    clean, calls = final_state_of(system), list(system.interceptor.calls)
    assert not system.mails()

    for number in range(1, len(calls) + 1):
        system.restore(start)
        system.interceptor.die_at = (number, When.AFTER)
        system.drain()
        assert final_state_of(system) == clean, calls[number - 1]


@pytest.mark.long
@pytest.mark.parametrize("name", ["only person of a thread", "one of several people", "export"])
def test_a_job_in_many_turns_ends_the_same_wherever_it_is_killed(
    system: System, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(jobs, "TURN_MS", 0)
    for module in (whole_threads, shared_threads):
        monkeypatch.setattr(module, "MAILS_A_PAGE", 2)
    scenario = next(one for one in SCENARIOS if one.name.endswith(name))
    start = begun(system, scenario)
    system.drain()
    clean, calls = final_state_of(system), list(system.interceptor.calls)
    assert not clean.dead_letters

    for number, call in enumerate(calls, start=1):
        if call.split(" ")[0] in READS:
            continue
        system.restore(start)
        system.interceptor.die_at = (number, When.AFTER)
        system.drain()
        assert final_state_of(system) == clean, call
