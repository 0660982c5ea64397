"""Access patterns of parked events, their replays, and the notes about dead letters."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from boto3.dynamodb.conditions import Attr, Key

from email_threads.store.items import DeadLetterNote, ParkedEvent
from email_threads.store.items.item import PARTITION_KEY, date_of
from email_threads.store.items.thread import COMPANY_INDEX, PARTICIPANT_INDEX, TTL_INDEX
from shared.aws.dynamodb import ConditionFailed
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Iterable

    from boto3.dynamodb.conditions import ConditionBase

    from shared.aws.dynamodb import Attributes, Table

DAYS: Final = 30  # that a parked event is kept
_PREFIX: Final = ParkedEvent.pattern.partition("{")[0]

_of = ParkedEvent.attr


def add(table: Table, event: ParkedEvent) -> None:
    """Store a parked event; one that is parked already stays as it is."""
    try:
        table.put(event.attributes(), when=Attr(PARTITION_KEY).not_exists())
    except ConditionFailed:
        return


def get(table: Table, event_id: str) -> ParkedEvent | None:
    """Return the parked event with this id."""
    item = table.get(ParkedEvent.key(event_id))
    return ParkedEvent.read(item) if item else None


def of_company(
    table: Table, company_id: str | None, *, limit: int, start: Attributes | None
) -> tuple[list[ParkedEvent], Attributes | None]:
    """Return parked events of a company, or of none, newest first, and the next start key."""
    rows, last = table.query(
        COMPANY_INDEX,
        Key("company_status").eq(ParkedEvent.list_of(company_id)),
        limit=limit,
        start=start,
        newest_first=True,
    )
    return _read(table, rows), last


def of_subject(
    table: Table, subject: str, *, limit: int, start: Attributes | None
) -> tuple[list[ParkedEvent], Attributes | None]:
    """Return parked events of no company about a person, and the next start key."""
    rows, last = table.query(
        PARTICIPANT_INDEX, Key("participant").eq(subject), limit=limit, start=start
    )
    return _read(table, rows), last


def of_all(
    table: Table, *, limit: int, start: Attributes | None
) -> tuple[list[ParkedEvent], Attributes | None]:
    """
    Return parked events of all companies, newest first, and the next start key.

    The days of TTLIndex hold threads, too: for operators, not for a request path.
    """
    day = date_of(clock.expires_in(DAYS * clock.DAY_SECONDS))
    within: Attributes | None = None
    if start is not None:
        day, within = str(start["ttl_date"]), start if "ttl" in start else None
    oldest = date_of(clock.expires_in(0))
    rows: list[Attributes] = []
    while day >= oldest and len(rows) < limit:
        found, within = table.query(
            TTL_INDEX,
            Key("ttl_date").eq(day),
            limit=limit - len(rows),
            start=within,
            newest_first=True,
            only=Attr(PARTITION_KEY).begins_with(_PREFIX),
        )
        rows += found
        if within is None:
            day = _day_before(day)
    if day < oldest:
        return _read(table, rows), None
    return _read(table, rows), within or {"ttl_date": day}


def position_of(event: ParkedEvent, *, is_of_company: bool) -> Attributes:
    """Return the start key after an event, for `of_company` or `of_all`."""
    key: Attributes = {PARTITION_KEY: event.conversation_id}
    if is_of_company:
        return key | {"company_status": event.company_status, "updated_at": event.updated_at}
    return key | {"ttl_date": event.ttl_date, "ttl": event.ttl}


def remove(table: Table, event_id: str) -> None:
    """Remove a parked event. Idempotent."""
    table.delete(ParkedEvent.key(event_id))


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
    return {
        note.conversation_id.partition("#")[2]: note
        for note in (DeadLetterNote.read(item) for item in items)
    }


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
    keys = [{PARTITION_KEY: row[PARTITION_KEY]} for row in rows]
    found = {str(item[PARTITION_KEY]): ParkedEvent.read(item) for item in table.get_many(keys)}
    return [found[key] for row in rows if (key := str(row[PARTITION_KEY])) in found]


def _day_before(day: str) -> str:
    date = datetime.strptime(day, "%Y-%m-%d").replace(tzinfo=UTC) - timedelta(days=1)
    return f"{date:%Y-%m-%d}"


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
