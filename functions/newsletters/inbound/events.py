"""
The events of the two queues. All have ids only; the content is in the table.

    newsletter-steps.fifo
        newsletter.step      a step is to be generated                    group: the turn of its job
        newsletter.purge     the rest of a deleted newsletter is removed    group: its turn
        newsletter.privacy   an erasure or export of a user               group: the job
    newsletter-exports.fifo
        newsletter.export    the draft is to be rendered in one format    group: the turn of its job

A job's next turn has a separate message group: a delivery whose worker was killed blocks its group until the queue's
visibility timeout, which is longer than a user waits. The lease of the job keeps two workers apart.
"""

from dataclasses import dataclass
from typing import Literal

from newsletters.store.items.metadata import StepName
from shared.aws.sqs_fifo import Entry
from shared.events import queued_events
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


type WorkEvent = StepRequested | PurgeRequested | PrivacyRequested


def entry(event: StepRequested | ExportRequested | PurgeRequested) -> Entry:
    """Build the entry of an event; the queue drops a repeated one of the same turn."""
    if isinstance(event, PurgeRequested):
        return queued_events.entry(event, "purge", event.code, str(event.turn))
    return queued_events.entry(event, "job", event.job_id, str(event.turn))
