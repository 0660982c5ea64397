"""The list of parked events in GSI1."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boto3.dynamodb.conditions import Key

from newsletters.store.items import DeadLetterNote, ParkedEvent
from newsletters.store.items.item import (
    INDEX,
    INDEX_PARTITION_KEY,
    INDEX_SORT_KEY,
    PARTITION_KEY,
    SORT_KEY,
)
from newsletters.store.items.recovery import PARKED
from shared.events.recovery.event_store import EventStore, ParkedItems, whole

if TYPE_CHECKING:
    from boto3.dynamodb.conditions import ConditionBase

    from shared.aws.dynamodb import Attributes, Table


def events_of(table: Table) -> EventStore[ParkedEvent]:
    """Return the parked events in the table."""
    return EventStore(table, ParkedItems(ParkedEvent, DeadLetterNote, _page, _position_of))


def _page(
    table: Table, company_id: str | None, limit: int, start: Attributes | None
) -> tuple[list[ParkedEvent], Attributes | None]:
    """Without a company the list is ordered by company."""
    condition: ConditionBase = Key(INDEX_PARTITION_KEY).eq(PARKED)
    if company_id is not None:
        condition &= Key(INDEX_SORT_KEY).begins_with(ParkedEvent.list_of(company_id))
    rows, last = table.query(INDEX, condition, limit=limit, start=start, newest_first=True)
    return whole(table, ParkedEvent, rows), last


def _position_of(event: ParkedEvent, _: str | None) -> Attributes:
    names = (PARTITION_KEY, SORT_KEY, INDEX_PARTITION_KEY, INDEX_SORT_KEY)
    return {name: getattr(event, name) for name in names}
