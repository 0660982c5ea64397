"""
Dead letters whose body is an event as JSON, with a note about its last attempt in the table of the context.

For contexts that redrive a letter unchanged to the queue that it came from.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from shared.aws.sqs_fifo import Entry, digest
from shared.recovery.port import NO_ERROR_REPORTED
from shared.recovery.views import DeadLetter, Redriven
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from shared.aws.dead_letters import DeadLetters, Letter
    from shared.aws.dynamodb import Table
    from shared.aws.sqs_fifo import FifoQueue


class Note(Protocol):
    """Why the last attempt at an event failed: an item of the context."""

    reason: str
    attempts: int
    failed_at: str
    redriven_at: str | None


class Notes(Protocol):
    """The access patterns of notes: the context's store module."""

    def dead_letter_notes(self, table: Table, event_ids: Iterable[str]) -> Mapping[str, Note]:
        """Return the notes with these ids, by id."""
        ...

    def mark_redriven(self, table: Table, event_id: str, *, at: str, by: str) -> None:
        """Record that a letter was queued again."""
        ...


def letter_id(body: str) -> str:
    """Return the id of the note about a dead letter with this body."""
    return digest("letter", body)


@dataclass(frozen=True, slots=True)
class EventLetters:
    """Implements `DeadLetterQueue`. *name* is the name in the API, *notes* the context's `store.parked`."""

    letters: DeadLetters
    table: Table
    queue: FifoQueue
    name: str
    notes: Notes

    def views(self, letters: Sequence[Letter]) -> list[DeadLetter]:
        """Show each letter with the note about its last attempt."""
        notes = self.notes.dead_letter_notes(
            self.table, [letter_id(letter.body) for letter in letters]
        )
        return [self._view(letter, notes.get(letter_id(letter.body))) for letter in letters]

    def send_again(self, letter: Letter, deduplication: str, by: str) -> Redriven:
        """Queue the event again, unchanged."""
        self.queue.send([Entry(letter.body, letter.group, deduplication)])
        at = clock.to_text(clock.now_ms())
        self.notes.mark_redriven(self.table, letter_id(letter.body), at=at, by=by)
        return Redriven(id=letter.id, queue=self.name, destination=self.queue.name)

    def _view(self, letter: Letter, note: Note | None) -> DeadLetter:
        # An older note describes the failure before the redrive.
        is_newest = note is not None and (
            note.redriven_at is None or note.failed_at > note.redriven_at
        )
        return DeadLetter(
            id=letter.id,
            queue=self.name,
            kind=_kind_of(letter.body),
            reason=note.reason if note and is_newest else NO_ERROR_REPORTED,
            attempts=note.attempts if note and is_newest else None,
            dead_since=clock.to_text(letter.dead_since),
            redriven_at=note.redriven_at if note else None,
        )


def _kind_of(body: str) -> str:
    with suppress(ValueError, RecursionError):
        event = json.loads(body)
        if isinstance(event, dict):
            return str(event.get("type") or "notification")
    return "unreadable"
