"""A worker pauses at any of its calls: another one takes over, or people cancel, change or delete its newsletter."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.simulation.newsletters.final_state import differences, final_state_of
from tests.simulation.newsletters.pauses import moments, run_with_a_pause
from tests.simulation.newsletters.scenarios import (
    DRAFTED,
    PLANNED,
    RETRIEVED,
    SELECTED,
    Steps,
    cancelled,
    configuration_changed,
    deleted,
    exported,
    requested,
    started,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.simulation.newsletters.system import System

LEASE_MS = 310_000  # after a worker's start its lease is over
JOBS = {
    "outline": (RETRIEVED, started("outline")),
    "export": (DRAFTED, exported("markdown")),
    "topics": (SELECTED, started("topics")),
    "draft": (PLANNED, started("draft")),
}


def paused(system: System, job: str, act: Steps) -> Iterator[int]:
    """For each unlike call of the worker: the system after a run that paused before it, while *act* happened."""
    before, start = JOBS[job]
    before(system)
    start(system)
    snapshot = system.snapshot()
    numbers = moments(system)
    assert len(numbers) > 5
    for number in numbers:
        system.restore(snapshot)
        run_with_a_pause(system, number, lambda: act(system))
        yield number


def taken_over(system: System) -> None:
    system.clock.ms += LEASE_MS
    system.settle()


@pytest.mark.long
@pytest.mark.parametrize("job", JOBS)
def test_a_worker_that_goes_on_after_another_one_has_finished_changes_nothing(
    system: System, job: str
) -> None:
    before, start = JOBS[job]
    before(system)
    start(system)
    system.settle()
    clean = final_state_of(system)
    system.reset()

    for number in paused(system, job, taken_over):
        system.settle()
        final = final_state_of(system)
        assert final == clean, (job, number, differences(clean, final))


@pytest.mark.long
@pytest.mark.parametrize("job", ["outline", "topics", "draft"])
def test_a_cancelled_worker_writes_nothing(system: System, job: str) -> None:
    for number in paused(system, job, cancelled(job)):
        system.settle()
        final_state_of(system)
        state = system.row(f"JOB#{job}", "NLWORK")["state"]
        step = system.row(job.upper())
        name = "retrieval" if job == "topics" else job
        if state == "done":  # the cancellation came after the last write
            assert step[f"{name}_status"] == "completed", number
        else:
            assert (state, step[f"{name}_status"]) == ("cancelled", "pending"), number
            assert not step.get("generated_at"), number


@pytest.mark.long
@pytest.mark.parametrize("act", [deleted, requested("erase")], ids=["deleted", "erased"])
@pytest.mark.parametrize("job", JOBS)
def test_a_worker_writes_nothing_for_a_deleted_newsletter(
    system: System, job: str, act: Steps
) -> None:
    def removed(system: System) -> None:
        act(system)
        for queue, message in system.fifo_queues.receive():
            system.run_worker(queue, message)

    for number in paused(system, job, removed):
        system.settle()
        assert not system.row("METADATA"), number
        assert not [key for key in system.objects() if system.code in key], number
        left = [key for key in system.rows() if f"#{system.code} " in key]
        assert left == [f"NLWORK#{system.code} DELETED"], number
        assert not system.fifo_queues.dead_letters


@pytest.mark.long
@pytest.mark.parametrize("job", JOBS)
def test_a_change_of_the_configuration_keeps_the_result_of_a_worker(
    system: System, job: str
) -> None:
    for number in paused(system, job, configuration_changed):
        system.settle()
        final_state_of(system)
        name = "export-markdown" if job == "export" else job
        assert system.row(f"JOB#{name}", "NLWORK")["state"] == "done", number
        assert system.row("METADATA")["title"] == "Another title", number
