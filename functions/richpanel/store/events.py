"""Event rows, apart from their leases: batch reads, covered messages, parking, reopening, replays, dead letters."""

from collections.abc import Iterable
from contextlib import suppress

from richpanel.store.items import DeadLetter, Event, EventStatus, key_of
from shared.aws.dynamodb import ConditionFailed, Table

REOPENED = "reopened"  # the owner of the expired lease of a reopened event


def get_many(table: Table, event_ids: Iterable[str]) -> dict[str, Event]:
    """Read at most 100 events; returns the existing ones by id."""
    items = table.get_many([key_of(Event, event_id) for event_id in dict.fromkeys(event_ids)])
    rows = [Event.read(item) for item in items]
    return {row.event_id: row for row in rows}


def cover(table: Table, row: Event, by: str) -> None:
    """
    Mark an older message's event as processed, covered by the event *by* of a newer one. An existing row is kept.

    Safe to repeat.
    """
    covered = row.model_copy(
        update={
            "status": EventStatus.PROCESSED,
            "covered_by": by,
            "lease_owner": None,
            "lease_until": None,
        }
    )
    try:
        table.put(covered.attributes(), when=Event.attr(Event.partition_key).not_exists())
    except ConditionFailed:
        return


def park(table: Table, row: Event) -> Event:
    """Write the parked row of an unclaimed event; return the stored row. Safe to repeat: the first one stays."""
    try:
        table.put(row.attributes(), when=Event.attr(Event.partition_key).not_exists())
    except ConditionFailed as refusal:
        return Event.read(refusal.existing or {})
    return row


def reopen(table: Table, event_id: str) -> bool:
    """
    Let the next delivery process a parked event again; False if it is not parked (any more).

    Safe to repeat: a second call finds it reopened. The row gets an expired lease, which the next delivery takes over.
    """
    facts = Event.named(status=EventStatus.PROCESSING, lease_owner=REOPENED, lease_until=0)
    try:
        table.update(
            key_of(Event, event_id),
            put=facts,
            drop=("reason", "replayed_at"),
            when=Event.attr("status").eq(EventStatus.PARKED),
        )
    except ConditionFailed as refusal:
        # Possibly this call's own write, whose response was lost.
        return bool(refusal.existing and refusal.existing.get("lease_owner") == REOPENED)
    return True


def mark_replayed(table: Table, event_id: str, *, number: int, at: str, by: str) -> None:
    """Record that a replay was queued, and by which caller. Idempotent; the highest number wins."""
    count = Event.attr("replay_count")
    facts = Event.named(replay_count=number, replayed_at=at, replayed_by=by)
    is_newer = Event.attr(Event.partition_key).exists() & (count.not_exists() | count.lt(number))
    with suppress(ConditionFailed):  # Expired, or replayed again meanwhile.
        table.update(key_of(Event, event_id), put=facts, when=is_newer)


def note_dead_letter(table: Table, note: DeadLetter) -> None:
    """Store the reason of a dead letter. Idempotent; the newest failure wins."""
    table.put(note.attributes())


def dead_letter_notes(table: Table, bodies: Iterable[str]) -> dict[str, DeadLetter]:
    """Return the notes about at most 100 dead letters, by body."""
    keys = {DeadLetter.key(body): body for body in bodies}
    notes = map(DeadLetter.read, table.get_many([key_of(DeadLetter, key) for key in keys]))
    return {keys[note.event_id]: note for note in notes}
