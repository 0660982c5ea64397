"""Runs a job: takes its lease, and fails the job after an error that no retry can fix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from newsletters.jobs import outcomes
from newsletters.jobs.failures import SENTENCES, StepFailed
from newsletters.jobs.state import TIMEOUT, is_overdue
from newsletters.store import jobs
from shared.aws.tables.leases import GRACE_MS, Finished, Held, LeaseLost
from shared.failures import Permanent, Transient

if TYPE_CHECKING:
    from collections.abc import Callable

    from newsletters.configuration.resources import Run
    from newsletters.store.items import Job
    from newsletters.store.objects import Store

INTERNAL_ERROR: Final = "internal_error"


def execute(
    store: Store, named: tuple[str, str], job_id: str, run: Run, act: Callable[[Job], bool]
) -> bool:
    """
    Have *act* do the job *job_id* under a lease; *named* are its newsletter's code and its name.

    Returns False if it has ended, was replaced, or another worker has it. A failure that a retry may pass frees the job
    and is raised, unless this was the last attempt.
    """
    job = jobs.get(store.table, *named)
    if job is None or job.job_id != job_id or not job.is_open:
        return False
    if is_overdue(job.deadline_ms):
        return outcomes.fail(store, job, StepFailed(TIMEOUT))
    try:
        job = jobs.claim(store.table, job, run.owner, run.ends_at_ms + GRACE_MS)
        return _done(store, job, run, act)
    except (Finished, Held, LeaseLost):
        # If the other worker dies, the schedule finds the job after its lease.
        return False


def _done(store: Store, job: Job, run: Run, act: Callable[[Job], bool]) -> bool:
    try:
        return act(job)
    except StepFailed as failure:
        return outcomes.fail(store, job, failure)
    except Permanent as refusal:
        return outcomes.fail(store, job, _failure_of(refusal))
    except LeaseLost:
        raise
    except Transient as failure:
        if run.is_last:
            return outcomes.fail(store, job, _failure_of(failure))
        jobs.release(store.table, job, run.owner)
        raise
    except Exception:
        # A bug, or an error of AWS. The record is retried, then parked or a dead letter.
        if run.is_last:
            outcomes.fail(store, job, StepFailed(INTERNAL_ERROR))
        else:
            jobs.release(store.table, job, run.owner)
        raise


def _failure_of(failure: Permanent | Transient) -> StepFailed:
    return StepFailed(failure.reason if failure.reason in SENTENCES else INTERNAL_ERROR)
