"""Shares of companies in the queues of steps and of exports (`shared.aws.workers.fair_shares`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

from pydantic import Field, TypeAdapter

from newsletters.inbound.events import (
    EvaluationRequested,
    ExportRequested,
    IssueRequested,
    IssueTestRequested,
    PrivacyRequested,
    PurgeRequested,
    ReaderRequested,
    SeriesRequested,
    StepRequested,
)
from newsletters.store import issues, jobs
from newsletters.store.items import IssueState
from newsletters.worker.results import Handled, Outcome
from shared.aws.workers import fair_shares
from shared.aws.workers.fair_shares import Runs, Sharing, Waiting
from shared.events.issue_feedback import IssueFeedback
from shared.events.record_body import parse_body
from shared.runtime import clock

if TYPE_CHECKING:
    from newsletters.store.items import Issue, Job
    from shared.aws.dynamodb import Table
    from shared.aws.workers.sqs_worker import Record

type _Event = (
    StepRequested
    | ExportRequested
    | PurgeRequested
    | PrivacyRequested
    | IssueRequested
    | ReaderRequested
    | IssueTestRequested
    | IssueFeedback
    | SeriesRequested
    | EvaluationRequested
)
_EVENTS: Final[TypeAdapter[_Event]] = TypeAdapter(
    Annotated[
        StepRequested
        | ExportRequested
        | PurgeRequested
        | PrivacyRequested
        | IssueRequested
        | ReaderRequested
        | IssueTestRequested
        | IssueFeedback
        | SeriesRequested
        | EvaluationRequested,
        Field(discriminator="type"),
    ]
)


def of_queue(table: Table, runs: Runs) -> Sharing[Handled]:
    """
    Return how companies share a queue of jobs and issues. One that is postponed is due at once; the schedule continues
    it. A scenario of an evaluation is hidden: the next one of its run waits behind it.
    """

    def waiting_of(record: Record) -> Waiting | None:
        event = parse_body(record.body, _EVENTS)
        if isinstance(event, EvaluationRequested):
            return Waiting(event.company_id, record.sent_at_ms)
        issue = _issue_of(table, record)
        if issue is not None:
            return Waiting(issue.company_id, record.sent_at_ms)
        job = _job_of(table, record)
        return Waiting(job.company_id, record.sent_at_ms) if job and job.company_id else None

    def postpone(record: Record) -> Handled:
        from newsletters.jobs import requests  # noqa: PLC0415 - few events are late

        if isinstance(parse_body(record.body, _EVENTS), EvaluationRequested):
            raise fair_shares.hidden(record)
        issue = _issue_of(table, record)
        if issue is not None:
            issues.next_turn(table, issue, clock.now_ms())
            return Handled(
                Outcome.POSTPONED, kind="issue", code=issue.issue_id, company=issue.company_id
            )
        job = _job_of(table, record)
        if job is None:
            return Handled(Outcome.IGNORED)
        requests.wait(table, job)
        return Handled(Outcome.POSTPONED, kind=job.name, code=job.code, company=job.company_id)

    return Sharing(runs, waiting_of, postpone, runs.late_ms)


def _issue_of(table: Table, record: Record) -> Issue | None:
    """Return the issue whose present turn a record is; None for other events."""
    event = parse_body(record.body, _EVENTS)
    if not isinstance(event, IssueRequested):
        return None
    issue = issues.get(table, event.issue_id)
    is_present = issue is not None and issue.turn == event.turn
    return issue if is_present and issue is not None and issue.state is IssueState.SENDING else None


def _job_of(table: Table, record: Record) -> Job | None:
    """Return the job whose present turn a record is; None for other events."""
    from newsletters.jobs.requests import EXPORT_PREFIX  # noqa: PLC0415 - few events are late

    event = parse_body(record.body, _EVENTS)
    if not isinstance(event, StepRequested | ExportRequested):
        return None
    name = f"{EXPORT_PREFIX}{event.format}" if isinstance(event, ExportRequested) else event.step
    job = jobs.get(table, event.code, name)
    is_present = job is not None and (job.job_id, job.turn) == (event.job_id, event.turn)
    return job if is_present and job is not None and job.is_open else None
