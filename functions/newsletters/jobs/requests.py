"""Requests of people: start a step, start exports, cancel a job."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from newsletters.inbound.events import ExportRequested, StepRequested, entry
from newsletters.jobs.state import JOB_MS, is_overdue, is_working
from newsletters.store import jobs
from newsletters.store.content import steps
from newsletters.store.content.newsletters import StaleVersion
from newsletters.store.content.step_inputs import content_hash
from newsletters.store.items import Draft, Job, JobState, Outline, StepItem, StepStatus, Topics
from newsletters.store.items.item import timestamp
from newsletters.store.items.jobs import due_key
from shared.api.errors import Repeatable
from shared.aws.dynamodb import ConditionFailed
from shared.aws.sqs_fifo import digest
from shared.runtime import clock

if TYPE_CHECKING:
    from newsletters.configuration.resources import Resources
    from newsletters.store.content.newsletters import Newsletter
    from newsletters.store.items import StepName
    from shared.aws.dynamodb import Table
    from shared.aws.sqs_fifo import FifoQueue

WAIT_MS: Final = clock.DAY_SECONDS * clock.SECOND_MS  # after which a job that waits has failed
LOOK_AFTER_MS: Final = 6 * 60 * clock.SECOND_MS  # a worker's lease is over by then
EXPORT_PREFIX: Final = "export-"
_ID_DIGITS: Final = 32
_ITEMS: Final[dict[str, type[Topics | Outline | Draft]]] = {
    "topics": Topics, "outline": Outline, "draft": Draft,
}  # fmt: skip


class StepProcessing(Repeatable):
    """A job is working on the step: the same call can succeed when it has ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Requested:
    """A request for a job: *cause* identifies the call, so that a repeated one finds its job; *by* is the caller."""

    cause: str
    by: str
    options: dict[str, Any] = field(default_factory=dict)
    units: int = 1


def start_step(
    resources: Resources, newsletter: Newsletter, name: StepName, requested: Requested
) -> Job:
    """
    Start the generation of a step and queue it; a running job with the same options is returned instead.

    Raises StepProcessing if another job is working on it, and StaleVersion after another concurrent change.
    """
    table, step = resources.store.table, newsletter.step(name)
    seen = jobs.get(table, newsletter.code, name)
    job_id = _job_id(newsletter, name, requested)
    if seen is not None and (seen.job_id == job_id or _is_same_work(step, seen, requested)):
        return _enqueued(resources, seen)
    if step is not None and is_working(step):
        raise StepProcessing(f"{name}: a job is working on it; cancel it or wait")
    job = _job(newsletter, name, job_id, requested)
    begun = step if step is not None else _new_step(newsletter, name)
    changes = {
        **begun.with_status(StepStatus.PROCESSING, started_at=job.started_at, error=None),
        "error_code": None,
        "job_id": job.job_id,
        "deadline_ms": job.deadline_ms,
    }
    start = jobs.to_start(table, job, seen)
    try:
        steps.save_status(resources.store, newsletter, begun, changes, start)
    except StaleVersion:
        return _enqueued(resources, _faster(table, newsletter, name, job))
    return _enqueued(resources, job)


def _faster(table: Table, newsletter: Newsletter, name: StepName, job: Job) -> Job:
    """
    Return the job of another start that was faster, if its options are the same: a double click starts one job.

    Raises StepProcessing for other options, and StaleVersion if no job was started.
    """
    found = jobs.get(table, newsletter.code, name)
    if found is None or not found.is_open or is_overdue(found.deadline_ms):
        raise StaleVersion("version: the step has changed; read it again")
    if found.options != job.options:
        raise StepProcessing(f"{name}: a job is working on it; cancel it or wait")
    return found


def start_export(
    resources: Resources, newsletter: Newsletter, export_format: str, requested: Requested
) -> Job:
    """
    Start the export of the present content in one format; a job that has or renders this content is returned instead.

    Raises StepProcessing if another request was faster.
    """
    draft = newsletter.draft
    present = content_hash(newsletter.metadata, draft) if draft else ""
    name = f"{EXPORT_PREFIX}{export_format}"
    seen = jobs.get(resources.store.table, newsletter.code, name)
    if seen is not None and _shows(seen, newsletter, export_format, present):
        return _enqueued(resources, seen)
    job = _job(newsletter, name, _job_id(newsletter, name, requested), requested)
    job = job.model_copy(update={"content_hash": present})
    try:
        jobs.start(resources.store.table, job, seen)
    except ConditionFailed as refusal:
        faster = Job.read(refusal.existing or {})
        if faster.job_id != job.job_id:
            raise StepProcessing(f"{export_format}: another export has just begun") from None
    return _enqueued(resources, job)


def cancel(resources: Resources, newsletter: Newsletter, name: StepName) -> Job | None:
    """
    Cancel the job of a step; None if there is none. Its worker can write nothing more.

    Raises StaleVersion if it has just ended.
    """
    table, step = resources.store.table, newsletter.step(name)
    job = jobs.get(table, newsletter.code, name)
    if step is None or step.job_id is None or job is None or job.job_id != step.job_id:
        return None
    back = StepStatus.COMPLETED if step.has_content else StepStatus.PENDING
    changes = {**step.with_status(back), "job_id": None, "deadline_ms": None}
    closing = jobs.to_close(table, job, JobState.CANCELLED, doing="cancelled")
    steps.save_status(resources.store, newsletter, step, changes, closing)
    return job.model_copy(update={"state": JobState.CANCELLED})


def wait(table: Table, job: Job) -> None:
    """
    Postpone a job to the next round of the schedule: other companies have a right to the run. Safe to repeat.

    The time of its work begins when a worker claims it; until then it has a day. The step comes first: after a crash in
    between the present turn is repeated.
    """
    now = clock.now_ms()
    if not job.name.startswith(EXPORT_PREFIX):
        steps.prolong(table, _ITEMS[job.name].key(job.code), job.job_id, now + WAIT_MS)
    jobs.postpone(table, job, now, deadline_ms=now + WAIT_MS)


def message_of(job: Job) -> StepRequested | ExportRequested:
    """Return the event that makes a worker run the job."""
    if job.name.startswith(EXPORT_PREFIX):
        export_format = job.name.removeprefix(EXPORT_PREFIX)
        return ExportRequested(
            code=job.code, format=export_format, job_id=job.job_id, turn=job.turn
        )
    name: Any = job.name
    return StepRequested(code=job.code, step=name, job_id=job.job_id, turn=job.turn)


def send(resources: Resources, job: Job) -> None:
    """Queue the present turn of a job. Raises NotEnqueued."""
    queue_of(resources, job).send([entry(message_of(job))])


def queue_of(resources: Resources, job: Job) -> FifoQueue:
    """Return the queue of a job's events."""
    return resources.exports if job.name.startswith(EXPORT_PREFIX) else resources.steps


def _enqueued(resources: Resources, job: Job) -> Job:
    """Return the job, queued; after its item, so that a lost message is sent again by the schedule."""
    if job.state is JobState.QUEUED:
        send(resources, job)
    return job


def _job_id(newsletter: Newsletter, name: str, requested: Requested) -> str:
    return digest("newsletter job", newsletter.code, name, requested.cause)[:_ID_DIGITS]


def _is_same_work(step: StepItem | None, seen: Job, requested: Requested) -> bool:
    is_present = step is not None and step.job_id == seen.job_id and is_working(step)
    return is_present and seen.options == requested.options


def _shows(seen: Job, newsletter: Newsletter, export_format: str, present: str) -> bool:
    """Whether a job renders this content, or has rendered it."""
    if seen.content_hash != present:
        return False
    if seen.is_open:
        return not is_overdue(seen.deadline_ms)
    stored = newsletter.draft.exports.get(export_format) if newsletter.draft else None
    return seen.state is JobState.DONE and stored is not None and stored.content_hash == present


def _job(newsletter: Newsletter, name: str, job_id: str, requested: Requested) -> Job:
    now = clock.now_ms()
    return Job(
        **Job.key(newsletter.code, name),
        code=newsletter.code,
        name=name,
        job_id=job_id,
        company_id=newsletter.metadata.company_id,
        options=requested.options,
        requested_by=requested.by,
        started_at=timestamp(now),
        deadline_ms=now + JOB_MS,
        units=requested.units,
        GSI1SK=due_key(now + clock.SECOND_MS * 60, newsletter.code, name),
        ttl=clock.expires_in(Job.ttl_days * clock.DAY_SECONDS),
    )


def _new_step(newsletter: Newsletter, name: StepName) -> StepItem:
    kind = _ITEMS[name]
    return kind(**kind.key(newsletter.code), updated_at=timestamp(clock.now_ms()))
