"""
Dead letters whose body is an event as JSON, with a note about its last attempt in the table of the context.

For contexts that redrive a letter unchanged to the queue that it came from.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shared.aws.sqs_fifo import Entry
from shared.events.recovery.port import NO_ERROR_REPORTED
from shared.events.recovery.views import DeadLetter, Redriven
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shared.aws.dead_letters import DeadLetters, Letter
    from shared.aws.sqs_fifo import FifoQueue
    from shared.events.recovery.event_items import DeadLetterNote, ParkedEvent
    from shared.events.recovery.event_store import EventStore


@dataclass(slots=True, eq=False)
class EventLetters[E: ParkedEvent]:
    """Implements `DeadLetterQueue`. *name* is the name in the API, *store* has the notes."""

    letters: DeadLetters
    queue: FifoQueue
    name: str
    store: EventStore[E]

    def views(self, letters: Sequence[Letter]) -> list[DeadLetter]:
        """Show each letter with the note about its last attempt."""
        notes = self.store.dead_letter_notes(letter.body for letter in letters)
        return [self._view(letter, notes.get(letter.body)) for letter in letters]

    def send_again(self, letter: Letter, deduplication: str, by: str) -> Redriven:
        """Queue the event again, unchanged."""
        self.queue.send([Entry(letter.body, letter.group, deduplication)])
        self.store.mark_redriven(letter.body, at=clock.to_text(clock.now_ms()), by=by)
        return Redriven(id=letter.id, queue=self.name, destination=self.queue.name)

    def _view(self, letter: Letter, note: DeadLetterNote | None) -> DeadLetter:
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
