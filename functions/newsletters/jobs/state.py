"""The displayed state of steps and jobs: work past its deadline has failed, even if the failure is not stored yet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from newsletters.jobs.failures import SENTENCES
from newsletters.store.items import JobState, StepStatus
from shared.runtime import clock

if TYPE_CHECKING:
    from newsletters.store.items import Job, StepItem

TIMEOUT: Final = "timeout"
JOB_MS: Final = 20 * 60 * clock.SECOND_MS  # after which a job has failed


@dataclass(frozen=True, slots=True)
class Shown:
    """A status with its error code and sentence."""

    status: str
    error_code: str | None = None
    error: str | None = None


def is_overdue(deadline_ms: int | None) -> bool:
    """Whether a deadline (ms since 1970) has passed."""
    return deadline_ms is not None and clock.now_ms() > deadline_ms


def is_working(step: StepItem) -> bool:
    """Whether a job is working on the step, within its time."""
    return step.step_status is StepStatus.PROCESSING and not is_overdue(step.deadline_ms)


def is_usable(step: StepItem | None) -> bool:
    """Whether the next step can build on it: it has content and no job is working on it."""
    return step is not None and step.has_content and not is_working(step)


def step_state(step: StepItem | None) -> Shown:
    """Return the status of a step."""
    if step is None:
        return Shown(StepStatus.PENDING)
    if step.step_status is StepStatus.PROCESSING and is_overdue(step.deadline_ms):
        return Shown(StepStatus.FAILED, TIMEOUT, SENTENCES[TIMEOUT])
    return Shown(step.step_status, step.error_code, step.step_error)


def job_state(job: Job) -> Shown:
    """Return the state of a job."""
    if job.is_open and is_overdue(job.deadline_ms):
        return Shown(JobState.FAILED, TIMEOUT, SENTENCES[TIMEOUT])
    sentence = SENTENCES.get(job.error_code) if job.error_code else None
    return Shown(job.state, job.error_code, sentence)


def percent_of(job: Job) -> int:
    """Return the finished share of a job, 0 to 100; 100 only if it has its result."""
    if job.state is JobState.DONE:
        return 100
    return min(99, 100 * job.units_done // max(1, job.units))
