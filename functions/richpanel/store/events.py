"""Event rows, apart from their leases: batch reads, covered messages, parking and reopening."""

from collections.abc import Iterable

from richpanel.store.items import Event, EventStatus, key_of
from shared.aws.dynamodb import ConditionFailed, Table


def get_many(table: Table, event_ids: Iterable[str]) -> dict[str, Event]:
    """Read at most 100 events; returns those that exist, by id."""
    found = table.get_many([key_of(Event, event_id) for event_id in dict.fromkeys(event_ids)])
    rows = [Event.read(item) for item in found]
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
    facts = Event.named(status=EventStatus.PROCESSING, lease_owner="reopened", lease_until=0)
    try:
        table.update(
            key_of(Event, event_id),
            put=facts,
            drop=("reason",),
            when=Event.attr("status").eq(EventStatus.PARKED),
        )
    except ConditionFailed as refusal:
        # Possibly this call's own write, whose response was lost.
        return bool(refusal.existing and refusal.existing.get("lease_owner") == "reopened")
    return True
