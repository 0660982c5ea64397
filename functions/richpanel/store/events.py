"""Rows of events that are no lease: looked up together, and those that a newer message answered along with it."""

from collections.abc import Iterable

from richpanel.store.items import Event, EventStatus, key_of
from shared.aws.dynamodb import ConditionFailed, Table


def get_many(table: Table, event_ids: Iterable[str]) -> dict[str, Event]:
    """Those of at most 100 events that are there, by id."""
    found = table.get_many([key_of(Event, event_id) for event_id in dict.fromkeys(event_ids)])
    rows = [Event.read(item) for item in found]
    return {row.event_id: row for row in rows}


def cover(table: Table, row: Event, by: str) -> None:
    """
    Say that the event of an older message is done with that of a newer one. A row that is there stays as it is.

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
    """Keep an event that cannot even be claimed, and return what stands there. Safe to repeat: the first one stays."""
    try:
        table.put(row.attributes(), when=Event.attr(Event.partition_key).not_exists())
    except ConditionFailed as refusal:
        return Event.read(refusal.existing or {})
    return row


def reopen(table: Table, event_id: str) -> bool:
    """
    Let a parked event be begun again by the next delivery; False where it is not parked (any more).

    Safe to repeat: the second time nobody finds it parked. Whoever takes it over finds a lease that is over.
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
        # Perhaps our own write, whose answer was lost.
        return bool(refusal.existing and refusal.existing.get("lease_owner") == "reopened")
    return True
