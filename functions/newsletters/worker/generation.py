"""Generates one step: runs the job's missing units and stores the result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsletters.jobs import requests
from newsletters.jobs.claimed_job import ClaimedJob, OutOfTime
from newsletters.jobs.execution import execution
from newsletters.store import jobs
from newsletters.store.content import newsletters
from newsletters.store.items import JobState

if TYPE_CHECKING:
    from newsletters.configuration.resources import Run, WorkerResources
    from newsletters.inbound.events import StepRequested
    from newsletters.store.items import Job


def generate(resources: WorkerResources, event: StepRequested, run: Run) -> bool:
    """Generate a step; if the time is too short, its job continues with the next message. False: see `Execution`."""
    with execution(resources.store, run) as work:
        job = work.claim(event.code, event.step, event.job_id)
        try:
            work.is_done = _generate_step(resources, job, run)
        except OutOfTime:
            _continue_later(resources, job, run)
            work.is_done = True
    return work.is_done


def _continue_later(resources: WorkerResources, job: Job, run: Run) -> None:
    moved = jobs.postpone(resources.store.table, job, run.ends_at_ms + requests.LOOK_AFTER_MS)
    jobs.release(resources.store.table, job, run.owner)
    if moved is not None:
        requests.send(resources, moved)


def _generate_step(resources: WorkerResources, job: Job, run: Run) -> bool:
    newsletter = newsletters.get_newsletter_full(resources.store, job.code)
    if newsletter is None:
        return jobs.end(resources.store.table, job, JobState.CANCELLED)
    work = ClaimedJob(resources, newsletter, job, run)
    # A job imports the modules of its step only.
    match job.name:
        case "topics":
            from newsletters.drafting.retrieval.passages import retrieve_passages  # noqa: PLC0415 - see above

            return retrieve_passages(work)
        case "outline":
            from newsletters.drafting.outlines.generation import generate_outline  # noqa: PLC0415 - see above

            return generate_outline(work)
        case "draft":
            from newsletters.drafting.drafts.generation import generate_draft  # noqa: PLC0415 - see above

            return generate_draft(work)
    raise ValueError(job.name)
