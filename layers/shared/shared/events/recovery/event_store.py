"""
Parked events, their replays and the notes about dead letters, in the table of a context.

For contexts whose queued events are JSON bodies (`shared.events.queued_events`). The id of a parked event is a hash of
its event and reason. Replays are numbered; workers record their outcomes at any time and in any order, so the state is
derived from the highest number sent and the highest number parked again.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from boto3.dynamodb.conditions import Attr

from shared.aws.dynamodb import ConditionFailed
from shared.aws.sqs_fifo import digest, to_json
from shared.events.recovery.event_items import DeadLetterNote, ParkedEvent
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from boto3.dynamodb.conditions import ConditionBase

    from shared.aws.dynamodb import Attributes, Table
    from shared.events.queued_events import QueuedEvent
    from shared.events.recovery.port import Position

KEPT_DAYS: Final = 30  # parked events and notes
# Set by a replay; left out of the id, so that an event that is parked again keeps it.
_OF_REPLAYS = frozenset({"replay_of", "replay"})

type Event = Mapping[str, Any]


@dataclass(slots=True, eq=False)
class ParkedItems[E: ParkedEvent]:
    """
    The item classes of a context, and its lists of parked events.

    *page* returns events of a company, or with None of all companies and of none, newest first, and the next position.
    *position_of* returns the position after an event in the list of that company.
    """

    event: type[E]
    note: type[DeadLetterNote]
    page: Callable[[Table, str | None, int, Position], tuple[list[E], Position]]
    position_of: Callable[[E, str | None], Attributes]


@dataclass(slots=True, eq=False)
class EventStore[E: ParkedEvent]:
    """The parked events and notes in one table."""

    table: Table
    items: ParkedItems[E]

    def park(
        self, body: str, event: Event, reason: str, company: str | None, **facts: str | None
    ) -> None:
        """
        Store an event with the reason, and record it at the event that it replays. Idempotent.

        *event* is the body's JSON or a part of it, empty if the body has none. *facts* are further attributes.
        """
        original = {name: value for name, value in event.items() if name not in _OF_REPLAYS}
        whole = to_json(original) if event else body
        event_id = digest("parked", reason, whole)
        parked_at = clock.to_text(clock.now_ms())
        ttl = clock.expires_in(KEPT_DAYS * clock.DAY_SECONDS)
        self._add(
            self.items.event(
                **self.items.event.key(event_id),
                **self.items.event.listed(event_id, company, parked_at, ttl),
                **facts,
                event_id=event_id,
                company_id=company,
                parked_at=parked_at,
                ttl=ttl,
                reason=reason,
                kind=text(event.get("type")),
                received_at=text(event.get("received_at")),
                body=whole,
            )
        )
        if (replay_of := text(event.get("replay_of"))) is not None:
            self._record_parked_replay(event, replay_of, event_id)

    def resolve(self, event: QueuedEvent) -> None:
        """Record that a replayed event was processed, which is final. Writes nothing for other events."""
        if event.replay_of:
            facts = {"resolved_at": clock.to_text(clock.now_ms())}
            self._mark(event.replay_of, facts, self._attr("resolved_at").not_exists())

    def get(self, event_id: str) -> E | None:
        """Return the parked event with this id."""
        item = self.table.get(self.items.event.key(event_id))
        return self.items.event.read(item) if item else None

    def remove(self, event_id: str) -> None:
        """Remove a parked event. Idempotent."""
        self.table.delete(self.items.event.key(event_id))

    def mark_replayed(self, event_id: str, *, replay: int, at: str, by: str) -> None:
        """Record that a replay was queued, and its caller. Repeated or after a later replay, it changes nothing."""
        count = self._attr("replay_count")
        facts = {"replay_count": replay, "replayed_at": at, "replayed_by": by}
        self._mark(event_id, facts, count.not_exists() | count.lt(replay))

    def note_dead_letter(self, body: str, reason: str, attempts: int) -> None:
        """Store the reason of a dead letter, which the letter itself does not contain. The newest is kept."""
        note = self.items.note(
            **self.items.note.identity(letter_id(body)),
            reason=reason,
            attempts=attempts,
            failed_at=clock.to_text(clock.now_ms()),
            ttl=clock.expires_in(KEPT_DAYS * clock.DAY_SECONDS),
        )
        self.table.put(note.attributes())

    def dead_letter_notes(self, bodies: Iterable[str]) -> dict[str, DeadLetterNote]:
        """Return the notes about dead letters with these bodies, by body."""
        keys = {body: self.items.note.key(letter_id(body)) for body in bodies}
        items = self.table.get_many([*keys.values()])
        return {
            body: self.items.note.read(item)
            for body, key in keys.items()
            for item in items
            if item.items() >= key.items()
        }

    def mark_redriven(self, body: str, *, at: str, by: str) -> None:
        """Record that a dead letter was queued again. A missing note has expired."""
        key = self.items.note.key(letter_id(body))
        self._update(key, {"redriven_at": at, "redriven_by": by})

    def _add(self, event: E) -> None:
        """Store a parked event; one that is parked already stays as it is."""
        # An expired event may still be stored for two days.
        is_over = self._attr("ttl").lte(clock.now_ms() // clock.SECOND_MS)
        is_absent = Attr(next(iter(self.items.event.key(event.event_id)))).not_exists()
        with suppress(ConditionFailed):
            self.table.put(event.attributes(), when=is_absent | is_over)

    def _record_parked_replay(self, event: Event, replay_of: str, event_id: str) -> None:
        """Record that a replay was parked again, for the same reason or as another event."""
        number = event.get("replay")
        replay = number if isinstance(number, int) else 0
        returned = self._attr("returned")
        is_newest = returned.not_exists() | returned.lte(replay)
        if replay_of == event_id:
            facts = {"returned": replay, "parked_again_at": clock.to_text(clock.now_ms())}
            self._mark(replay_of, facts, is_newest, drop=("replaced_by",))
            return
        # The other event may have been replaced by this one. First it is open again: after a crash at least one is.
        self._mark(event_id, {}, drop=("replaced_by",))
        self._mark(replay_of, {"returned": replay, "replaced_by": event_id}, is_newest)

    def _mark(
        self,
        event_id: str,
        facts: Attributes,
        when: ConditionBase | None = None,
        drop: Sequence[str] = (),
    ) -> None:
        # *when* fails if the fact is recorded already, or superseded by a later replay.
        event = self.items.event
        self._update(event.key(event_id), event.named(**facts), when, drop)

    def _update(
        self,
        key: Attributes,
        facts: Attributes,
        when: ConditionBase | None = None,
        drop: Sequence[str] = (),
    ) -> None:
        exists = Attr(next(iter(key))).exists()
        with suppress(ConditionFailed):  # Also of an item that has expired.
            self.table.update(key, put=facts, drop=drop, when=exists & when if when else exists)

    def _attr(self, field: str) -> Attr:
        return self.items.event.attr(field)


def whole[E: ParkedEvent](table: Table, event: type[E], rows: list[Attributes]) -> list[E]:
    """Return the whole items of an index's rows, in their order; those that have expired are left out."""
    names = list(event.key("-"))
    items = table.get_many([{name: row[name] for name in names} for row in rows])
    found = {str(item[names[0]]): event.read(item) for item in items}
    return [found[key] for row in rows if (key := str(row[names[0]])) in found]


def letter_id(body: str) -> str:
    """Return the id of the note about a dead letter with this body."""
    return digest("letter", body)


def text(value: object) -> str | None:
    """Return a value that is a text and not empty."""
    return value if isinstance(value, str) and value else None
