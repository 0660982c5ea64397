"""Events that can never be handled: kept apart with the reason, so that they hold up nobody."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from aws_lambda_powertools.metrics import MetricUnit

from conversations import subjects
from conversations.folders import parked_events
from conversations.items.books import DeadLetter, Parked, ParkReason
from conversations.store import books
from shared import clock
from shared.observability import logger, metrics
from shared.queues import digest

if TYPE_CHECKING:
    from shared.dynamodb import Table
    from shared.objects import Bucket

PARKED = "Parked"
_SHORT = 24


def park(
    log: Table, bucket: Bucket, source: str, body: str, reason: str, *, counted: str = PARKED
) -> None:
    """
    Keep an event with the reason why nobody can handle it. Its text lies in the bucket, for a replay.

    The text of what belongs to an erased conversation is not kept: it may say who it was. *counted* is the metric
    that it adds to; of the usual one somebody is told. Safe to repeat within a day: what is the same has the same name.
    """
    parked_id = digest(source, body)[:_SHORT]
    is_kept = reason != ParkReason.ERASED
    whole = parked_events(bucket).put(parked_id, body.encode()) if is_kept else None
    now = clock.to_text(clock.now_ms())
    parked = Parked(
        parked_id=parked_id,
        reason=reason,
        source=source,
        event_type=type_of(body),
        body_object=whole.attributes() if whole else None,
        subjects=subjects.of_body(body) if is_kept else [],
        ttl=Parked.time_to_live(),
    )
    books.park(log, now, parked)
    metrics.add_metric(counted, MetricUnit.Count, 1)
    logger.warning("event parked", extra={"reason": reason, "parked": parked_id})


def note_dead_letter(log: Table, source: str, body: str, reason: str, attempts: int) -> None:
    """Keep why an event becomes a dead letter: the letter itself cannot say. Safe to repeat."""
    note = DeadLetter(
        reason=reason,
        source=source,
        attempts=attempts,
        died_at=clock.to_text(clock.now_ms()),
        ttl=DeadLetter.time_to_live(),
    )
    books.note_dead_letter(log, letter_hash(body), note)


def letter_hash(body: str) -> str:
    """What a dead letter is known by: the same letter, once more dead, is the same."""
    return digest("letter", body)


def type_of(body: str) -> str | None:
    """The `type` that an event says it has; None where it says none."""
    try:
        found = json.loads(body)
    except ValueError:
        return None
    kind = found.get("type") if isinstance(found, dict) else None
    return kind if isinstance(kind, str) and len(kind) <= _SHORT else None
