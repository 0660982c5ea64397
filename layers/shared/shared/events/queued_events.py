"""The events of a context's own queues: dataclasses whose bodies are JSON, and their entries."""

from __future__ import annotations

from dataclasses import dataclass

from shared.aws.sqs_fifo import Entry, digest, to_json
from shared.events.versions import VERSION


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuedEvent:
    """
    An event; each class has its own `type`.

    *replay_of* is the id of the parked event that this one replays, *replay* the number of the replay.
    """

    type: str
    v: int = VERSION
    replay_of: str | None = None
    replay: int = 0


def body_of(event: QueuedEvent) -> str:
    """Serialise an event as a queue message body."""
    return to_json({name: getattr(event, name) for name in event.__dataclass_fields__})


def entry(event: QueuedEvent, *group: str, deduplication: tuple[str, ...] = ()) -> Entry:
    """Build the entry of an event; without *deduplication* the queue drops an equal event."""
    body = body_of(event)
    return Entry(body, digest(*group), digest(*(deduplication or (body,))))


def turn_entry(event: QueuedEvent, job_id: str, *turn: str) -> Entry:
    """Build the entry of a job's next turn; *turn* differs for each, as the queue drops what it has seen just now."""
    return entry(event, event.type, job_id, deduplication=(digest(event.type, job_id), *turn))
