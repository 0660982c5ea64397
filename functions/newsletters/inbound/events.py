"""
The events of the two queues. All have ids only; the content is in the table.

    newsletter-steps.fifo
        newsletter.step      a step is to be generated                    group: the turn of its job
        newsletter.purge     what is left of a deleted newsletter goes    group: its turn
        newsletter.privacy   an erasure or export of a user               group: the job
    newsletter-exports.fifo
        newsletter.export    the draft is to be rendered in one format    group: the turn of its job

A job's next turn has a separate message group: a delivery whose worker was killed blocks its group until the queue's
visibility timeout, which is longer than a user waits. The lease of the job keeps two workers apart.
"""

from dataclasses import dataclass
from typing import Literal

from newsletters.store.items.metadata import StepName
from shared.aws.sqs_fifo import Entry, digest, to_json
from shared.event_versions import VERSION


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRequested:
    """The job *job_id* of a step is to be worked on; *turn* grows with every message about it."""

    type: Literal["newsletter.step"] = "newsletter.step"
    v: int = VERSION
    code: str
    step: StepName
    job_id: str
    turn: int = 0
    replay_of: str | None = None
    replay: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportRequested:
    """The job *job_id* renders the draft in one format."""

    type: Literal["newsletter.export"] = "newsletter.export"
    v: int = VERSION
    code: str
    format: str
    job_id: str
    turn: int = 0
    replay_of: str | None = None
    replay: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PurgeRequested:
    """The objects, jobs and units of a deleted newsletter are to be removed."""

    type: Literal["newsletter.purge"] = "newsletter.purge"
    v: int = VERSION
    code: str
    turn: int = 0
    replay_of: str | None = None
    replay: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivacyRequested:
    """An erasure or export of a user continues; all else is in the item of the job."""

    type: Literal["newsletter.privacy"] = "newsletter.privacy"
    v: int = VERSION
    job_id: str
    replay_of: str | None = None
    replay: int = 0


type WorkEvent = StepRequested | PurgeRequested | PrivacyRequested
type Event = WorkEvent | ExportRequested


def body_of(event: Event) -> str:
    """Serialise an event as a queue message body."""
    return to_json({name: getattr(event, name) for name in event.__dataclass_fields__})


def entry(event: StepRequested | ExportRequested | PurgeRequested) -> Entry:
    """Build the entry of an event; the queue drops a repeated one of the same turn."""
    body = body_of(event)
    if isinstance(event, PurgeRequested):
        return Entry(
            body=body,
            group=digest("purge", event.code, str(event.turn)),
            deduplication=digest(body),
        )
    return Entry(
        body=body, group=digest("job", event.job_id, str(event.turn)), deduplication=digest(body)
    )


def privacy_entry(event: PrivacyRequested, *turn: str) -> Entry:
    """Build the entry of a job's next turn; *turn* differs for each, as the queue drops what it has seen just now."""
    group = digest(event.type, event.job_id)
    return Entry(body=body_of(event), group=group, deduplication=digest(group, *turn))
