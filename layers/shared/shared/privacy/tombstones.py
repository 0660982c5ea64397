"""
Tombstones of erased people: what happened to a subject up to a time is not stored again, whenever it arrives.

The item stays in the table of each context, whose worker reads it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shared.aws.dynamodb import ConditionFailed
from shared.aws.tables.items import Item
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shared.aws.dynamodb import Attributes, Table


class Tombstone(Item):
    """The end of what was erased, under a keyed hash of an id of the person; a context adds its key."""

    until: str  # as the context writes times
    ttl: int | None = None  # epoch seconds


def write(table: Table, stone: Tombstone) -> None:
    """Write a tombstone; a later one stays. Safe to repeat."""
    until = stone.attr("until")
    try:
        table.put(stone.attributes(), when=until.not_exists() | until.lte(stone.until))
    except ConditionFailed:
        return


def newest[T: Tombstone](table: Table, item: type[T], keys: Iterable[Attributes]) -> str:
    """Return the latest time of the tombstones with these keys; empty if none is left."""
    now = clock.now_ms() // clock.SECOND_MS
    found = list(keys)
    stones = [item.read(stored) for stored in table.get_many(found)] if found else []
    return max((stone.until for stone in stones if (stone.ttl or now) >= now), default="")
