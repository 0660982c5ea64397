"""Executes jobs under their leases; a job whose work fails with an error that no retry can fix has failed."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from newsletters.jobs import outcomes
from newsletters.jobs.failures import SENTENCES, StepFailed
from newsletters.jobs.state import JOB_MS, TIMEOUT, is_overdue
from newsletters.store import jobs
from shared.aws.tables.leases import GRACE_MS, Finished, Held, LeaseLost
from shared.runtime import clock
from shared.runtime.failures import Permanent, Transient

if TYPE_CHECKING:
    from collections.abc import Iterator

    from newsletters.configuration.resources import Run
    from newsletters.store.bucket.objects import Store
    from newsletters.store.items import Job

INTERNAL_ERROR: Final = "internal_error"


class NotOpen(Exception):
    """The job has ended or was replaced."""


@dataclass(slots=True, eq=False)
class Execution:
    """
    The work of one delivery on one job. *job* is set once it is claimed.

    *is_done* is the result: False if the job has ended, was replaced, or another worker has it.
    """

    store: Store
    run: Run
    job: Job | None = None
    is_done: bool = False

    def claim(self, code: str, name: str, job_id: str) -> Job:
        """Take the lease of a job. Raises NotOpen, Finished, Held, LeaseLost, and StepFailed after its deadline."""
        job = jobs.get(self.store.table, code, name)
        if job is None or job.job_id != job_id or not job.is_open:
            raise NotOpen
        if is_overdue(job.deadline_ms):
            self.job = job
            raise StepFailed(TIMEOUT)
        until = self.run.ends_at_ms + GRACE_MS
        # A job that has waited for its company's share begins its time now.
        deadline = min(job.deadline_ms, clock.now_ms() + JOB_MS)
        self.job = jobs.claim(self.store.table, job, self.run.owner, until, deadline)
        return self.job


@contextmanager
def execution(store: Store, run: Run) -> Iterator[Execution]:
    """
    The context in which a worker claims a job and works on it.

    It fails the job after an error that no retry can fix. Other errors free the job and are raised again; at the last
    attempt they fail it.
    """
    work = Execution(store, run)
    try:
        yield work
    except (NotOpen, Finished, Held, LeaseLost):
        # If the other worker dies, the schedule finds the job after its lease.
        return
    except Exception as failure:
        if work.job is None:
            raise
        end = _end_of(failure, run)
        if end is None:
            jobs.release(store.table, work.job, run.owner)
            raise
        work.is_done = outcomes.fail(store, work.job, end)
        if not isinstance(failure, (StepFailed, Permanent, Transient)):
            # A bug, or an error of AWS. The record is retried, then parked or a dead letter.
            raise


def _end_of(failure: Exception, run: Run) -> StepFailed | None:
    """Return the failure that ends the job; None if a retry may succeed."""
    if isinstance(failure, StepFailed):
        return failure
    if not isinstance(failure, Permanent) and not run.is_last:
        return None
    if isinstance(failure, (Permanent, Transient)) and failure.reason in SENTENCES:
        return StepFailed(failure.reason)
    return StepFailed(INTERNAL_ERROR)
