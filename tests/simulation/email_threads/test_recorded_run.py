"""Repetitions of a recorded run end early only if their rest is known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from email_threads.worker import reception
from tests.simulation.crashes import recorded_run
from tests.simulation.crashes.disturbances import deaths_in, failures
from tests.simulation.crashes.recorded_run import RecordedRun
from tests.simulation.email_threads.final_state import final_state_of, state_of
from tests.simulation.email_threads.system import ASSISTED, System, mail

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture
def run(system: System) -> RecordedRun[System]:
    """A mail that a model reads."""
    system.worker.identifier_keys.value()
    system.deliver(mail("a@x", to=ASSISTED), name="a", address=ASSISTED)
    run = RecordedRun(system, state_of, system.drain)
    run.record()
    return run


def killed(run: RecordedRun[System]) -> Iterator[int]:
    return (death.number for death in run.kills())


def refused(run: RecordedRun[System]) -> Iterator[int]:
    return (number for number, _ in run.faults(failures(run.calls)))


def test_a_process_is_killed_at_the_moments_that_differ(
    system: System, run: RecordedRun[System]
) -> None:
    assert sorted(death.at for death in run.deaths) == sorted(deaths_in(system.interceptor))


def test_no_repetition_needs_its_end_if_each_reaches_a_known_state(
    run: RecordedRun[System],
) -> None:
    assert list(run.kills()) == []


@pytest.mark.parametrize("disturbed", [killed, refused])
def test_a_message_that_a_worker_does_not_repeat_is_found(
    system: System,
    run: RecordedRun[System],
    monkeypatch: pytest.MonkeyPatch,
    disturbed: Callable[[RecordedRun[System]], Iterator[int]],
) -> None:
    clean = final_state_of(system)
    hand_on = reception._hand_on

    def once(resources: Any, incoming: Any, appended: Any) -> None:
        if not appended.is_duplicate:
            hand_on(resources, incoming, appended)

    monkeypatch.setattr(reception, "_hand_on", once)

    found = [run.calls[number - 1] for number in disturbed(run) if final_state_of(system) != clean]
    assert any(call.startswith("dynamodb.") for call in found)


@pytest.mark.long
def test_more_effort_runs_each_repetition_to_its_end(
    run: RecordedRun[System], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorded_run, "EFFORT", 2)
    assert [death.at for death in run.kills()] == [death.at for death in run.deaths]
