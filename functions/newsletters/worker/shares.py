"""How companies share the queues of steps and of exports (`shared.aws.fair_shares`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

from pydantic import Field, TypeAdapter

from newsletters.inbound.events import (
    ExportRequested,
    PrivacyRequested,
    PurgeRequested,
    StepRequested,
)
from newsletters.store import jobs
from newsletters.worker.results import Handled, Outcome
from shared.aws.fair_shares import Runs, Sharing, Waiting
from shared.events.record_body import parse_body

if TYPE_CHECKING:
    from newsletters.store.items import Job
    from shared.aws.dynamodb import Table
    from shared.aws.sqs_worker import Record

_EVENTS: Final[TypeAdapter[StepRequested | ExportRequested | PurgeRequested | PrivacyRequested]] = (
    TypeAdapter(
        Annotated[
            StepRequested | ExportRequested | PurgeRequested | PrivacyRequested,
            Field(discriminator="type"),
        ]
    )
)


def of_queue(table: Table, runs: Runs) -> Sharing[Handled]:
    """Return how companies share a queue of jobs. A job that is postponed is due at once; the schedule continues it."""

    def waiting_of(record: Record) -> Waiting | None:
        job = _job_of(table, record)
        return Waiting(job.company_id, record.sent_at_ms) if job and job.company_id else None

    def postpone(record: Record) -> Handled:
        from newsletters.jobs import requests  # noqa: PLC0415 - few events are late

        job = _job_of(table, record)
        if job is None:
            return Handled(Outcome.IGNORED)
        requests.wait(table, job)
        return Handled(Outcome.POSTPONED, kind=job.name, code=job.code, company=job.company_id)

    return Sharing(runs, waiting_of, postpone, runs.late_ms)


def _job_of(table: Table, record: Record) -> Job | None:
    """Return the job whose present turn a record is; None for other events."""
    from newsletters.jobs.requests import EXPORT_PREFIX  # noqa: PLC0415 - few events are late

    event = parse_body(record.body, _EVENTS)
    if isinstance(event, PurgeRequested | PrivacyRequested):
        return None
    name = f"{EXPORT_PREFIX}{event.format}" if isinstance(event, ExportRequested) else event.step
    job = jobs.get(table, event.code, name)
    is_present = job is not None and (job.job_id, job.turn) == (event.job_id, event.turn)
    return job if is_present and job is not None and job.is_open else None
