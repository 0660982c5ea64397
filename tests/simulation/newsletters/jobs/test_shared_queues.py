"""Turns of jobs of a company above its share: the schedule continues them, and each step is done once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from newsletters.jobs.state import JOB_MS
from newsletters.store import jobs
from newsletters.store.items import Job
from shared.aws.workers.fair_shares import share
from tests.simulation.newsletters.final_state import differences, final_state_of
from tests.simulation.newsletters.scenarios import (
    DRAFTED,
    PLANNED,
    QUICK_FORMATS,
    RETRIEVED,
    SELECTED,
    exported,
    started,
)
from tests.simulation.newsletters.system import COMPANY

if TYPE_CHECKING:
    from tests.simulation.newsletters.scenarios import Steps
    from tests.simulation.newsletters.system import System

OCCUPIED_MS = JOB_MS + 10 * 60_000  # longer than the work of a job may take
STEPS = {
    "topics": (SELECTED, started("topics")),
    "an outline": (RETRIEVED, started("outline")),
    "a draft": (PLANNED, started("draft")),
    "exports": (DRAFTED, exported(*QUICK_FORMATS)),
}


def occupy(system: System) -> None:
    """Let the company have its share of the runs of both queues, for half an hour."""
    for runs in system.scheduled.runs.values():
        for number in range(share(runs.most, 1)):
            assert runs.begin(COMPANY, f"another-{number}", system.clock.ms + OCCUPIED_MS)


@pytest.mark.parametrize(("before", "act"), STEPS.values(), ids=STEPS)
def test_a_late_turn_above_the_share_is_continued_by_the_schedule_and_done_once(
    system: System, before: Steps, act: Steps
) -> None:
    before(system)
    snapshot = system.snapshot()
    system.sandbox.forget_sent()
    act(system)
    system.settle()
    clean, questions = final_state_of(system), sorted(system.questions())

    system.restore(snapshot)
    system.sandbox.forget_sent()
    occupy(system)
    act(system)
    waiting = len(system.fifo_queues.waiting(system.workers))
    system.clock.ms += max(runs.late_ms for runs in system.scheduled.runs.values()) + 1
    while batch := system.fifo_queues.receive():
        for queue, message in batch:
            system.run_worker(queue, message)
    postponed = (system.questions(), len(system.open_work()))
    system.clock.ms += OCCUPIED_MS  # The other runs have ended.
    system.settle()

    assert waiting >= 1
    assert postponed == ([], waiting)
    final = final_state_of(system)
    assert differences(clean, final) == {"objects": set(), "letters": [], "open": []}
    assert sorted(system.questions()) == questions


def test_due_work_of_one_company_neither_hides_nor_delays_the_jobs_of_others(
    system: System,
) -> None:
    before, act = STEPS["topics"]
    before(system)
    act(system)
    due_ms = system.clock.ms + JOB_MS
    found, _ = jobs.due(system.scheduled.resources.store.table, due_ms, None)
    job = next(one for one in found if isinstance(one, Job))
    overdue = job.model_copy(update={"company_id": "large", "deadline_ms": 1})
    waiting = job.model_copy(update={"company_id": "large", "deadline_ms": None})
    other = waiting.model_copy(update={"company_id": "other"})
    of_round = list(
        system.scheduled._round_of([*[overdue] * 5_000, *[waiting] * 5_000, other, overdue])
    )

    # A round of each of two companies, then what is overdue: a run of the schedule has time for so much.
    assert of_round.index(other) < of_round.index(overdue) < 200
    assert len(of_round) < 1_200
