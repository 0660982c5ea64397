"""
Entries of several partitions of an index as one list in time order, for lists whose entries are compared one by one.

A list may be of one conversation, of the conversations that are linked to it, of a number, or of a contact. The entries
are small; the items behind them are read by key (`items_of`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from boto3.dynamodb.conditions import Key

from shared.aws.sqs_fifo import digest
from whatsapp.store.items import pk
from whatsapp.store.items.item import PARTITION_KEY

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boto3.dynamodb.conditions import ConditionBase

    from shared.aws.dynamodb import Attributes, Table

_EARLIEST, _LATEST = "0", "9"  # before and after all times as text
_SHORT = 8  # characters that tell the partitions of one list apart

# The position in each partition, by a short hash: the time and key of its last entry, empty at its beginning.
# Partitions that have ended are absent.
type Positions = dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryList:
    """*field* is the partition key of *index*, *time* its sort key, as stored; *since* and *until* are inclusive."""

    index: str
    field: str
    time: str
    partitions: Sequence[str]
    since: str | None = None
    until: str | None = None
    newest_first: bool = True

    def first_positions(self) -> Positions:
        """Return the positions of the first page."""
        return {_short(partition): "" for partition in self.partitions}


@dataclass(frozen=True, slots=True)
class EntryPage:
    """Some entries in their order, and where the list continues."""

    listed: EntryList
    entries: list[Attributes]
    starts: Positions
    unread: frozenset[str]  # partitions that have more entries than were read

    def after(self, count: int) -> Positions:
        """Return the positions after the first *count* entries; empty at the end of the list."""
        positions: Positions = {}
        for short, start in self.starts.items():
            own = [n for n, e in enumerate(self.entries) if self._partition_of(e) == short]
            shown = [n for n in own if n < count]
            if len(shown) == len(own) and short not in self.unread:
                continue
            positions[short] = self._position_of(self.entries[shown[-1]]) if shown else start
        return positions

    def _partition_of(self, entry: Attributes) -> str:
        return _short(str(entry[self.listed.field]))

    def _position_of(self, entry: Attributes) -> str:
        return f"{entry[self.listed.time]}|{entry[PARTITION_KEY]}"


def page(table: Table, listed: EntryList, positions: Mapping[str, str], *, limit: int) -> EntryPage:
    """Return up to *limit* entries from *positions* on. One query for each partition that has not ended."""
    read: list[Attributes] = []
    unread: set[str] = set()
    since, until = _bounds(listed)
    for partition in listed.partitions:
        short = _short(partition)
        if (
            short not in positions or since > until
        ):  # DynamoDB refuses a range that ends before it begins.
            continue
        found, last = table.query(
            listed.index,
            _condition(listed, partition),
            limit=limit,
            start=_start(listed, partition, positions[short]),
            newest_first=listed.newest_first,
        )
        read += found
        if last is not None:
            unread.add(short)
    # Stable: entries of the same time keep the order of their index.
    read.sort(key=lambda entry: str(entry[listed.time]), reverse=listed.newest_first)
    unread |= {_short(str(entry[listed.field])) for entry in read[limit:]}
    return EntryPage(listed, read[:limit], dict(positions), frozenset(unread))


def items_of(table: Table, entries: Sequence[Attributes]) -> list[Attributes]:
    """Return the items behind entries, in their order (strongly consistent read); deleted items are omitted."""
    keys = [str(entry[PARTITION_KEY]) for entry in entries]
    items = {item[PARTITION_KEY]: item for item in table.get_many([pk(key) for key in keys])}
    return [items[key] for key in keys if key in items]


def _condition(listed: EntryList, partition: str) -> ConditionBase:
    condition: ConditionBase = Key(listed.field).eq(partition)
    if listed.since is None and listed.until is None:
        return condition
    return condition & Key(listed.time).between(*_bounds(listed))


def _bounds(listed: EntryList) -> tuple[str, str]:
    """Return the bounds of the sort key. Times with more digits follow `since` without its `Z`, and precede `until`."""
    return (listed.since or _EARLIEST).removesuffix("Z"), listed.until or _LATEST


def _start(listed: EntryList, partition: str, position: str) -> Attributes | None:
    if not position:
        return None
    time, _, key = position.partition("|")
    return {PARTITION_KEY: key, listed.field: partition, listed.time: time}


def _short(partition: str) -> str:
    return digest(partition)[:_SHORT]
