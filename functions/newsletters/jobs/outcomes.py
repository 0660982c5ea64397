"""Ends a job with its result or its failure: written together with the step, once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from newsletters.jobs.requests import EXPORT_PREFIX
from newsletters.store import jobs
from newsletters.store.bucket import revisions
from newsletters.store.content import newsletters, steps
from newsletters.store.content.newsletters import StaleVersion
from newsletters.store.content.step_inputs import status_of
from newsletters.store.items import STEP_NUMBERS, Draft, JobState, StepStatus
from newsletters.store.items.item import timestamp
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from newsletters.jobs.failures import StepFailed
    from newsletters.store.bucket.objects import Store
    from newsletters.store.content.newsletters import Newsletter
    from newsletters.store.items import Job, StepItem, StepName
    from shared.aws.dynamodb import Attributes

ATTEMPTS: Final = 5  # to write a result while METADATA changes


def complete(store: Store, newsletter: Newsletter, job: Job, result: StepItem) -> bool:
    """
    Write the content of a step and end its job; False if the job was cancelled, replaced or taken over meanwhile.

    *newsletter* is what the worker has read, *result* its step with the new content; content that it replaces becomes a
    revision. METADATA is read again: people may change it while the job works. Raises Transient if they do so at every
    attempt.
    """
    name: StepName = job.name  # type: ignore[assignment] # jobs of steps have the step's name
    done = _completed(result)
    writes = [_ending_of(store, job)]
    replaced = newsletter.step(name)
    is_revised = replaced is not None and replaced.has_content
    if replaced is not None and is_revised:
        by = job.requested_by
        writes.append(revisions.to_keep(store, job.code, replaced, by=by, cause="generated"))
    for _ in range(ATTEMPTS):
        present = newsletters.get_metadata(store.table, job.code)
        if present is None:
            return False
        caused: dict[str, Any] = {"current_step": max(present.current_step, STEP_NUMBERS[name])}
        if isinstance(done, Draft):
            caused["status"] = status_of(present, done)
        try:
            steps.save(store, replace(newsletter, metadata=present), done, caused, *writes)
        except StaleVersion:
            if not _is_mine(store, job):
                return False
            continue
        if is_revised:
            revisions.prune(store, job.code, name)
        return True
    raise Transient("newsletter_contended")


def _completed(result: StepItem) -> StepItem:
    now = timestamp(clock.now_ms())
    return result.model_copy(
        update={
            **result.with_status(StepStatus.COMPLETED, completed_at=now, error=None),
            "error_code": None,
            "job_id": None,
            "deadline_ms": None,
        }
    )


def _ending_of(store: Store, job: Job) -> Attributes:
    return jobs.to_end(
        store.table,
        job,
        JobState.DONE,
        doing="done",
        units_done=job.units,
        tokens_in=job.tokens_in,
        tokens_out=job.tokens_out,
    )


def fail(store: Store, job: Job, failure: StepFailed) -> bool:
    """End a job without a result: the step keeps its last content. False if the job has ended already."""
    facts = {"error_code": failure.code, "doing": "failed"}
    if job.name.startswith(EXPORT_PREFIX):
        return jobs.end(store.table, job, JobState.FAILED, **facts)
    # As stored: a missing object of a large value must not keep a job from ending.
    newsletter = newsletters.get_newsletter_stored(store.table, job.code)
    name: StepName = job.name  # type: ignore[assignment] # jobs of steps have the step's name
    step = newsletter.step(name) if newsletter is not None else None
    if newsletter is None or step is None or step.job_id != job.job_id:
        return jobs.end(store.table, job, JobState.FAILED, **facts)
    changes = {
        **step.with_status(StepStatus.FAILED, error=failure.sentence),
        "error_code": failure.code,
        "job_id": None,
        "deadline_ms": None,
    }
    closing = jobs.to_end(store.table, job, JobState.FAILED, **facts)
    try:
        steps.save_status(store, newsletter, step, changes, closing)
    except StaleVersion:
        return False
    return True


def _is_mine(store: Store, job: Job) -> bool:
    present = jobs.get(store.table, job.code, job.name)
    return (
        present is not None
        and present.is_open
        and (present.job_id, present.lease_owner) == (job.job_id, job.lease_owner)
    )
