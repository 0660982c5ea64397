"""Processes one event of `newsletter-steps.fifo`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

from pydantic import Field, TypeAdapter

from newsletters.inbound.events import (
    EvaluationRequested,
    IssueRequested,
    IssueTestRequested,
    PrivacyRequested,
    PurgeRequested,
    ReaderRequested,
    SeriesRequested,
    StepRequested,
    WorkEvent,
)
from newsletters.store import parked
from newsletters.worker import generation, purge
from newsletters.worker.results import Handled, Outcome
from shared.events.issue_feedback import IssueFeedback
from shared.events.record_body import parse_body
from shared.events.versions import NewerVersion
from shared.runtime.failures import Permanent

if TYPE_CHECKING:
    from newsletters.configuration.resources import Run, SendingResources, WorkerResources

EVENTS: Final[TypeAdapter[WorkEvent]] = TypeAdapter(
    Annotated[
        StepRequested
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


def process(resources: WorkerResources, sending: SendingResources, body: str, run: Run) -> Handled:
    """Process one queue record. Raises Permanent if no retry can succeed; after other errors it is delivered again."""
    event = parse_body(body, EVENTS)
    match event:
        case StepRequested():
            is_done = generation.generate(resources, event, run)
        case PurgeRequested():
            is_done = purge.purge(resources, event)
        case PrivacyRequested():
            from newsletters.privacy import jobs  # noqa: PLC0415 - of rare events

            is_done = jobs.work(resources, event)
        case IssueRequested():
            from newsletters.issues.delivery import turns  # noqa: PLC0415 - most events are of steps

            is_done = turns.work(sending, event, run)
        case ReaderRequested():
            from newsletters.issues.delivery.signups import readers  # noqa: PLC0415 - as above
            from newsletters.worker import reader_erasure  # noqa: PLC0415 - as above

            is_done = reader_erasure.start(sending, event) or readers.work(sending, event, run)
        case IssueTestRequested():
            from newsletters.issues.delivery import trials  # noqa: PLC0415 - as above

            is_done = trials.work(sending, event, run)
        case SeriesRequested():
            from newsletters.series import runs  # noqa: PLC0415 - as above

            is_done = runs.work(resources, event)
        case EvaluationRequested():
            from newsletters.worker import evaluations  # noqa: PLC0415 - as above

            is_done = evaluations.play(resources, event, run)
        case IssueFeedback():
            from newsletters.issues.delivery import feedback  # noqa: PLC0415 - as above

            is_done = feedback.apply(sending, event)
    parked.events_of(resources.store.table).resolve(event)
    return Handled(
        Outcome.PERSISTED if is_done else Outcome.IGNORED,
        kind=event.type,
        code=getattr(event, "code", None) or getattr(event, "issue_id", None),
    )


def give_up(resources: WorkerResources, body: str, reason: str) -> None:
    """Show the last failed attempt at a record where people wait for its result: in the run of an evaluation."""
    try:
        event = parse_body(body, EVENTS)
    except (Permanent, NewerVersion):
        return
    if isinstance(event, EvaluationRequested):
        from newsletters.worker import evaluations  # noqa: PLC0415 - of rare events

        evaluations.give_up(resources, event, reason)
