"""
Searches a list of messages and calls entry by entry, within a bound, and returns the position of its end.

For lists that are narrower than their index: of one direction, of one company in a shared partition, with a text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from whatsapp.store.conversations.lists import merged_entries
from whatsapp.store.items import Message
from whatsapp.store.items.conversations.groups import Call

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from shared.aws.dynamodb import Attributes, Table
    from whatsapp.store.conversations.lists.merged_entries import EntryList, Positions

type Entry = Message | Call

READ_AHEAD = 100  # entries per query, and items per batch


def every_entry(_: Attributes) -> bool:
    """Accept every entry of the index."""
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """
    *fits_entry* compares an entry of the index, before its item is read; *fits* the message or call itself.

    At most *most* entries are compared in one call.
    """

    company: str
    listed: EntryList
    fits_entry: Callable[[Attributes], bool] = every_entry
    fits: Callable[[Entry], bool]
    most: int


@dataclass(frozen=True, slots=True)
class Found:
    """
    The result of one call: entries, the number of compared entries, the time of the last of them, and the next
    position; empty at the end.
    """

    entries: list[Entry]
    looked_at: int
    looked_to: str | None
    positions: Positions


def search(
    table: Table, wanted: Search, *, limit: int, start: Mapping[str, str] | None = None
) -> Found:
    """Return up to *limit* messages and calls that fit, in the order of the list. Deleted and erased ones never do."""
    found: list[Entry] = []
    looked_at = 0
    looked_to: str | None = None
    positions: Positions = dict(start) if start else wanted.listed.first_positions()
    while positions and looked_at < wanted.most:
        size = min(READ_AHEAD, wanted.most - looked_at)
        page = merged_entries.page(table, wanted.listed, positions, limit=size)
        read = _read(table, wanted, [e for e in page.entries if wanted.fits_entry(e)])
        for count, entry in enumerate(page.entries, start=1):
            looked_at, looked_to = looked_at + 1, str(entry[wanted.listed.time])
            item = read.get(str(entry["pk"]))
            if item is not None and wanted.fits(item):
                found.append(item)
            if len(found) == limit:
                return Found(found, looked_at, looked_to, page.after(count))
        positions = page.after(len(page.entries))
    return Found(found, looked_at, looked_to, positions)


def _read(table: Table, wanted: Search, entries: list[Attributes]) -> dict[str, Entry]:
    """Return the visible messages and calls of the company behind entries, by key."""
    items = [item_of(item) for item in merged_entries.items_of(table, entries)]
    return {
        item.pk: item
        for item in items
        if item is not None and item.company == wanted.company and is_visible(item)
    }


def item_of(item: Attributes) -> Entry | None:
    """Return a stored message or call; None for an item of another type."""
    if item["itemType"] == Message.item_type:
        return Message.read(item)
    return Call.read(item) if item["itemType"] == Call.item_type else None


def is_visible(entry: Entry) -> bool:
    """Whether lists show a message or call: it is neither erased nor deleted."""
    return not entry.erased and not (isinstance(entry, Message) and entry.deleted_at)
