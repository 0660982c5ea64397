"""What ends a job: its result, or its failure. Both are written together with the step, once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from newsletters.jobs.requests import EXPORT_PREFIX
from newsletters.store import jobs, newsletters, steps
from newsletters.store.items import STEP_NUMBERS, JobState, StepStatus
from newsletters.store.items.item import timestamp
from newsletters.store.newsletters import StaleVersion
from shared.runtime import clock

if TYPE_CHECKING:
    from newsletters.failures import StepFailed
    from newsletters.store.items import Job, StepItem, StepName
    from newsletters.store.newsletters import Newsletter
    from newsletters.store.objects import Store


def complete(
    store: Store,
    newsletter: Newsletter,
    job: Job,
    result: StepItem,
    metadata: dict[str, Any],
) -> bool:
    """
    Write the content of a step and end its job; False if the job was cancelled, replaced or taken over meanwhile.

    *newsletter* is what the worker has read, *result* its step with the new content.
    """
    name: StepName = job.name  # type: ignore[assignment] # jobs of steps have the step's name
    now = timestamp(clock.now_ms())
    done = result.model_copy(
        update={
            **result.with_status(StepStatus.COMPLETED, completed_at=now, error=None),
            "error_code": None,
            "job_id": None,
            "deadline_ms": None,
        }
    )
    step_number = max(newsletter.metadata.current_step, STEP_NUMBERS[name])
    ending = jobs.to_end(
        store.table,
        job,
        JobState.DONE,
        doing="done",
        units_done=job.units,
        tokens_in=job.tokens_in,
        tokens_out=job.tokens_out,
    )
    try:
        steps.save(store, newsletter, done, {**metadata, "current_step": step_number}, ending)
    except StaleVersion:
        return False
    return True


def fail(store: Store, job: Job, failure: StepFailed) -> bool:
    """End a job without a result: the step keeps its last content. False if the job has ended already."""
    facts = {"error_code": failure.code, "doing": "failed"}
    if job.name.startswith(EXPORT_PREFIX):
        return jobs.end(store.table, job, JobState.FAILED, **facts)
    newsletter = newsletters.get_newsletter_full(store, job.code)
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
    closing = jobs.to_close(store.table, job, JobState.FAILED, **facts)
    try:
        steps.save_status(store, newsletter, step, changes, closing)
    except StaleVersion:
        return False
    return True
