"""Access patterns of parked events, their replays, and the notes about dead letters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boto3.dynamodb.conditions import Attr, Key

from newsletters.store.items import DeadLetterNote, ParkedEvent
from newsletters.store.items.item import (
    INDEX,
    INDEX_PARTITION_KEY,
    INDEX_SORT_KEY,
    PARTITION_KEY,
    SORT_KEY,
)
from newsletters.store.items.recovery import PARKED
from shared.aws.dynamodb import ConditionFailed
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Iterable

    from boto3.dynamodb.conditions import ConditionBase

    from shared.aws.dynamodb import Attributes, Table

_of = ParkedEvent.attr


def add(table: Table, event: ParkedEvent) -> None:
    """Store a parked event; one that is parked already stays as it is."""
    try:
        # An expired event may still be stored for two days.
        is_over = _of("ttl").lte(clock.now_ms() // clock.SECOND_MS)
        table.put(event.attributes(), when=Attr(PARTITION_KEY).not_exists() | is_over)
    except ConditionFailed:
        return


def get(table: Table, event_id: str) -> ParkedEvent | None:
    """Return the parked event with this id."""
    item = table.get(ParkedEvent.key(event_id))
    return ParkedEvent.read(item) if item else None


def page(
    table: Table, company_id: str | None, *, limit: int, start: Attributes | None
) -> tuple[list[ParkedEvent], Attributes | None]:
    """
    Return parked events of a company, newest first, and the next start key.

    Without a company: all parked events, ordered by company; events without a company too.
    """
    condition: ConditionBase = Key(INDEX_PARTITION_KEY).eq(PARKED)
    if company_id is not None:
        condition &= Key(INDEX_SORT_KEY).begins_with(ParkedEvent.list_of(company_id))
    rows, last = table.query(INDEX, condition, limit=limit, start=start, newest_first=True)
    return _read(table, rows), last


def position_of(event: ParkedEvent) -> Attributes:
    """Return the start key after an event, for `page`."""
    names = (PARTITION_KEY, SORT_KEY, INDEX_PARTITION_KEY, INDEX_SORT_KEY)
    return {name: getattr(event, name) for name in names}


def mark_replayed(table: Table, event_id: str, *, replay: int, at: str, by: str) -> None:
    """Record that a replay was queued, and by which caller. Repeated or after a later replay, it changes nothing."""
    is_newer = _of("replay_count").not_exists() | _of("replay_count").lt(replay)
    _mark(table, event_id, {"replay_count": replay, "replayed_at": at, "replayed_by": by}, is_newer)


def mark_resolved(table: Table, event_id: str, *, at: str) -> None:
    """Record that a replay was processed, which is final. The first time is kept."""
    _mark(table, event_id, {"resolved_at": at}, _of("resolved_at").not_exists())


def mark_returned(table: Table, event_id: str, *, replay: int, at: str) -> None:
    """Record that a replay was parked again for the same reason. After a later replay it changes nothing."""
    facts = {"returned": replay, "parked_again_at": at}
    _mark(table, event_id, facts, _not_after(replay))


def mark_replaced(table: Table, event_id: str, *, replay: int, by: str) -> None:
    """Record that a replay was parked for another reason, as event *by*. After a later replay it changes nothing."""
    _mark(table, event_id, {"returned": replay, "replaced_by": by}, _not_after(replay))


def note_dead_letter(table: Table, note: DeadLetterNote) -> None:
    """Write the error of an event's last attempt; after a redrive, the newest is kept."""
    table.put(note.attributes())


def dead_letter_notes(table: Table, event_ids: Iterable[str]) -> dict[str, DeadLetterNote]:
    """Return the notes about these dead letters, by their keys."""
    items = table.get_many([DeadLetterNote.key(one) for one in dict.fromkeys(event_ids)])
    return {note.event_id: note for note in (DeadLetterNote.read(item) for item in items)}


def mark_redriven(table: Table, event_id: str, *, at: str, by: str) -> None:
    """Record that a dead letter was queued again. A missing note has expired."""
    try:
        table.update(
            DeadLetterNote.key(event_id),
            put={"redriven_at": at, "redriven_by": by},
            when=Attr(PARTITION_KEY).exists(),
        )
    except ConditionFailed:
        return


def _read(table: Table, rows: list[Attributes]) -> list[ParkedEvent]:
    keys = [{name: row[name] for name in (PARTITION_KEY, SORT_KEY)} for row in rows]
    found = {str(item[PARTITION_KEY]): ParkedEvent.read(item) for item in table.get_many(keys)}
    return [found[key] for row in rows if (key := str(row[PARTITION_KEY])) in found]


def _not_after(replay: int) -> ConditionBase:
    return _of("returned").not_exists() | _of("returned").lte(replay)


def _mark(table: Table, event_id: str, facts: Attributes, when: ConditionBase) -> None:
    try:
        table.update(
            ParkedEvent.key(event_id),
            put=ParkedEvent.named(**facts),
            when=Attr(PARTITION_KEY).exists() & when,
        )
    except ConditionFailed:
        return  # Expired, already recorded, or superseded.
