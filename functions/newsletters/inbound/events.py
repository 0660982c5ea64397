"""
The events of the two queues. All have ids only; the content is in the table.

    newsletter-steps.fifo
        newsletter.step      a step is to be generated                    group: the turn of its job
        newsletter.purge     the rest of a deleted newsletter is removed    group: its turn
        newsletter.privacy   an erasure or export of a user               group: the job
        newsletter.issue     an issue is sent to the next recipients       group: its turn
        newsletter.reader    a sign-up is mailed or joins, choices reach the contact    group: its turn
        newsletter.series    the next look at a series                     group: its turn
        newsletter.test      an issue is sent to people of the company     group: the test
        newsletter.feedback  an event of the provider about a mail         group: the event
        newsletter.evaluate  a scenario of a run of an evaluation          group: the company
    newsletter-exports.fifo
        newsletter.export    the draft is to be rendered in one format    group: the turn of its job

A job's next turn has a separate message group: a delivery whose worker was killed blocks its group until the queue's
visibility timeout, which is longer than a user waits. The lease of the job keeps two workers apart.
"""

from dataclasses import dataclass
from typing import Literal, Self

from newsletters.store.items import Choices, Signup
from newsletters.store.items.metadata import StepName
from shared.aws.sqs_fifo import Entry
from shared.events import queued_events
from shared.events.issue_feedback import IssueFeedback
from shared.events.queued_events import QueuedEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRequested(QueuedEvent):
    """A worker is to run the job *job_id* of a step; *turn* grows with every message about it."""

    type: Literal["newsletter.step"] = "newsletter.step"
    code: str
    step: StepName
    job_id: str
    turn: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportRequested(QueuedEvent):
    """The job *job_id* renders the draft in one format."""

    type: Literal["newsletter.export"] = "newsletter.export"
    code: str
    format: str
    job_id: str
    turn: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PurgeRequested(QueuedEvent):
    """The objects, jobs and units of a deleted newsletter are to be removed."""

    type: Literal["newsletter.purge"] = "newsletter.purge"
    code: str
    turn: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivacyRequested(QueuedEvent):
    """An erasure or export of a user continues; all else is in the item of the job."""

    type: Literal["newsletter.privacy"] = "newsletter.privacy"
    job_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueRequested(QueuedEvent):
    """A worker is to run the turn *turn* of an issue that is being sent."""

    type: Literal["newsletter.issue"] = "newsletter.issue"
    issue_id: str
    turn: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderRequested(QueuedEvent):
    """
    A worker is to run the turn *turn* of a sign-up to *list_id*, or without one of the choices, of a reader.

    Of another request of a reader, for a link or an erasure, *list_id* is its name.
    """

    type: Literal["newsletter.reader"] = "newsletter.reader"
    company_id: str
    recipient: str
    list_id: str | None = None
    turn: int

    @classmethod
    def of(cls, work: Signup | Choices) -> Self:
        """Return the event of the present turn of a sign-up, or of choices."""
        return cls(
            company_id=work.company_id,
            recipient=work.recipient,
            list_id=work.name if isinstance(work, Signup) else None,
            turn=work.turn,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueTestRequested(QueuedEvent):
    """A worker is to send an issue to the addresses of a test."""

    type: Literal["newsletter.test"] = "newsletter.test"
    issue_id: str
    test_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesRequested(QueuedEvent):
    """A worker is to look at the turn *turn* of a series."""

    type: Literal["newsletter.series"] = "newsletter.series"
    company_id: str
    series_id: str
    turn: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationRequested(QueuedEvent):
    """The scenario at *position* (from 0) of a run. The runs of a company are played one after the other."""

    type: Literal["newsletter.evaluate"] = "newsletter.evaluate"
    company_id: str
    run_id: str
    position: int


type WorkEvent = (
    StepRequested
    | PurgeRequested
    | PrivacyRequested
    | IssueRequested
    | ReaderRequested
    | IssueTestRequested
    | IssueFeedback
    | SeriesRequested
    | EvaluationRequested
)
type _Entered = (
    StepRequested
    | ExportRequested
    | PurgeRequested
    | IssueRequested
    | ReaderRequested
    | IssueTestRequested
    | SeriesRequested
    | EvaluationRequested
)


def entry(event: _Entered) -> Entry:
    """Build the entry of an event; the queue drops a repeated one of the same turn."""
    return queued_events.entry(event, *_group_of(event))


def _group_of(event: _Entered) -> tuple[str, ...]:
    group: tuple[str, ...]
    match event:
        case EvaluationRequested():
            group = "evaluation", event.company_id
        case ReaderRequested():
            named = event.company_id, event.recipient, event.list_id or ""
            group = "reader", *named, str(event.turn)
        case SeriesRequested():
            group = "series", event.company_id, event.series_id, str(event.turn)
        case IssueTestRequested():
            group = "test", event.issue_id, event.test_id
        case IssueRequested():
            group = "issue", event.issue_id, str(event.turn)
        case PurgeRequested():
            group = "purge", event.code, str(event.turn)
        case _:
            group = "job", event.job_id, str(event.turn)
    return group
