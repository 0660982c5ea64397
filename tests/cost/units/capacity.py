"""
DynamoDB's charges: request units from the sizes of items and of their entries in indexes. On-demand, no streams.

Sizes follow "DynamoDB item sizes and formats" in AWS's developer guide. It describes a number's size as
approximate and does not describe sets: they count here as the sum of their members, as measured by others. Not counted:
the storage overhead of 100 bytes an item, which is billed with storage and not with requests.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any, Final

from tests import template

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

# Attribute names to values in DynamoDB's JSON: {"pk": {"S": "..."}}.
type Item = Mapping[str, Mapping[str, Any]]

WRITE_UNIT_BYTES: Final = 1 << 10
READ_UNIT_BYTES: Final = 4 << 10
_NESTING_BYTES = 3  # of a list or map
_ELEMENT_BYTES = 1  # of each of its elements


@dataclass(frozen=True, slots=True)
class Index:
    """A secondary index: the attributes of its key, and the attributes of its entries; None for the whole item."""

    key: tuple[str, ...]
    carried: frozenset[str] | None

    def entry(self, item: Item | None) -> Item | None:
        """An item's entry; None if there is no item, or if it lacks a part of the key."""
        if item is None or not all(name in item for name in self.key):
            return None
        if self.carried is None:
            return item
        return {name: value for name, value in item.items() if name in self.carried}


def tables(**given: str) -> dict[str, list[Index]]:
    """The indexes of each table of the template, by the table's name under these parameters."""
    names = template.resources("AWS::DynamoDB::Table")
    wanted = [template.properties(name, **given) for name in names]
    return {table["TableName"]: _indexes(table) for table in wanted}


def _indexes(table: dict[str, Any]) -> list[Index]:
    own_key = _names(table)
    found = []
    for entry in table.get("GlobalSecondaryIndexes", []) + table.get("LocalSecondaryIndexes", []):
        projection = entry["Projection"]
        extra = projection.get("NonKeyAttributes", [])
        is_whole = projection["ProjectionType"] == "ALL"
        carried = None if is_whole else frozenset((*own_key, *_names(entry), *extra))
        found.append(Index(_names(entry), carried))
    return found


def _names(keyed: dict[str, Any]) -> tuple[str, ...]:
    return tuple(part["AttributeName"] for part in keyed["KeySchema"])


def write_units(before: Item | None, after: Item | None) -> int:
    """
    The table's charge for a write that replaces *before* by *after*; None means no item. A write whose condition does
    not hold costs as much as one that changes nothing.
    """
    largest = max(size_of(version or {}) for version in (before, after))
    return max(1, ceil(largest / WRITE_UNIT_BYTES))


def index_units(before: Item | None, after: Item | None, indexes: Sequence[Index]) -> int:
    """The indexes' charge for the same write: nothing if the entry is unchanged, and twice if its key changes."""
    return sum(_entry_units(index, index.entry(before), index.entry(after)) for index in indexes)


def read_units(items: list[Item], *, is_consistent: bool) -> float:
    """The cost of reading *items* at once: one by key (an empty one if there is none), or one page of a query."""
    size = sum(size_of(item) for item in items)
    return max(1, ceil(size / READ_UNIT_BYTES)) * (1 if is_consistent else 0.5)


def size_of(item: Item) -> int:
    """An item's size in bytes."""
    return sum(_bytes(name) + _size(value) for name, value in item.items())


def _entry_units(index: Index, before: Item | None, after: Item | None) -> int:
    if before == after:
        return 0
    if before and after and any(before[name] != after[name] for name in index.key):
        return write_units(before, None) + write_units(None, after)
    return write_units(before, after)


def _size(value: Mapping[str, Any]) -> int:
    ((kind, content),) = value.items()
    return _SIZES[kind](content)


def _size_of_number(text: str) -> int:
    """One byte for two significant digits, and one more; a minus adds another."""
    digits = text.lower().partition("e")[0].replace(".", "").lstrip("-").strip("0")
    return ceil(len(digits) / 2) + 1 + text.startswith("-")


def _bytes(text: str) -> int:
    return len(text.encode())


def _size_of_list(elements: list[Any]) -> int:
    return _NESTING_BYTES + sum(_ELEMENT_BYTES + _size(element) for element in elements)


def _size_of_map(entries: Item) -> int:
    return _NESTING_BYTES + _ELEMENT_BYTES * len(entries) + size_of(entries)


_SIZES: dict[str, Callable[[Any], int]] = {
    "S": _bytes,
    "N": _size_of_number,
    "B": len,
    "BOOL": lambda _: 1,
    "NULL": lambda _: 1,
    "SS": lambda texts: sum(map(_bytes, texts)),
    "NS": lambda numbers: sum(map(_size_of_number, numbers)),
    "BS": lambda values: sum(map(len, values)),
    "L": _size_of_list,
    "M": _size_of_map,
}
