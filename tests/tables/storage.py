"""
The stored items of a table, under their keys, and its stream.

Stored items are never changed: an update replaces them. Copies of moto's tables therefore share their items.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from functools import cached_property
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

from tests.tables.conditions import of_attributes
from tests.tables.errors import Impossible, Invalid, Refused
from tests.tables.values import bytes_of, order

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.tables.conditions import Projection
    from tests.tables.values import Item, Value

ACCOUNT: Final = "123456789012"
REGION: Final = "us-east-1"
MOST_BYTES: Final = 400 * 1_024  # of an item
_MOST_BYTES_OF_KEY: Final = {True: 2_048, False: 1_024}  # the partition key, the sort key
_FIRST_RECORD: Final = 1_100_000_000_017_454_423_009
# Looked up by name: moto does not type its internals.
_stubber: Any = resolve_name("moto.core.models:botocore_stubber")
_backends: Any = resolve_name("moto.dynamodb.models:dynamodb_backends")


class Stored(dict[str, "Value"]):
    """An item that is stored, with its size in bytes."""

    __slots__ = ("__weakref__", "size")
    size: int

    def __deepcopy__(self, _: dict[int, Any]) -> Stored:
        return self


def stored(item: Item) -> Stored:
    """Return an item to store."""
    new = Stored(item)
    new.size = bytes_of(item)
    return new


@dataclass(frozen=True)
class Key:
    """The key of a table or an index. *attributes* sort its entries: the table's own key is the end of an index's."""

    partition: str
    sort: str | None
    attributes: tuple[str, ...]
    projection: Projection | None = None
    is_global: bool = False

    @cached_property
    def own(self) -> tuple[str, ...]:
        """The attributes without which an item is not in the index."""
        return (self.partition,) if self.sort is None else (self.partition, self.sort)

    def order_of(self, item: Item) -> tuple[Any, ...]:
        return tuple([order(item[name]) for name in self.attributes])


class Schema:
    """The keys of a table, as moto knows them."""

    def __init__(self, table: Any) -> None:
        self.source = table.global_indexes
        self.key = Key(table.hash_key_attr, table.range_key_attr, tuple(table.table_key_attrs))
        self.names = frozenset(table.table_key_attrs)
        self.types = {one["AttributeName"]: one["AttributeType"] for one in table.attr}
        self.indexes = {
            index.name: self._index(index, is_global=index in table.global_indexes)
            for index in [*table.global_indexes, *table.indexes]
        }
        self.of_indexes = sorted(
            {name for index in self.indexes.values() for name in index.own} - self.names
        )

    def _index(self, index: Any, *, is_global: bool) -> Key:
        names = [one["AttributeName"] for one in index.schema]
        attributes = tuple(dict.fromkeys([*names, *self.key.attributes]))
        kind = index.projection.get("ProjectionType")
        kept = [*attributes, *index.projection.get("NonKeyAttributes", ())]
        projection = None if kind in {None, "ALL"} else of_attributes(kept)
        return Key(
            names[0], names[1] if len(names) > 1 else None, attributes, projection, is_global
        )


_schemas: Final[WeakKeyDictionary[Any, Schema]] = WeakKeyDictionary()


class Table:
    """The items of one of moto's tables."""

    __slots__ = ("name", "rows", "schema", "settings")

    def __init__(self, name: str) -> None:
        self.settings: Any = settings_of(name)
        self.name = name
        # Partitions by the value of their key, and items by the value of their sort key; None without one.
        self.rows: dict[Any, dict[Any, Stored]] = self.settings.items
        schema = _schemas.get(self.settings)
        if schema is None or schema.source is not self.settings.global_indexes:
            schema = _schemas[self.settings] = Schema(self.settings)
        self.schema = schema

    # Keys

    def place(self, key: Item) -> tuple[Any, Any]:
        """Return the place of a key. Raises Invalid unless it has exactly the key's attributes."""
        if key.keys() != self.schema.names:
            raise Invalid("The provided key element does not match the schema")
        return self.place_of(key)

    def place_of(self, item: Item) -> tuple[Any, Any]:
        """Return the place of an item."""
        key = self.schema.key
        place = self._part(item, key.partition)
        return place, None if key.sort is None else self._part(item, key.sort)

    def _part(self, item: Item, name: str) -> Any:
        if name not in item:
            raise Invalid(
                f"One or more parameter values were invalid: Missing the key {name} in the item"
            )
        self._check_type(item, name)
        value = order(item[name])
        is_partition = name == self.schema.key.partition
        if "N" not in item[name]:
            if not value:
                raise Invalid(
                    "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain "
                    f"an empty string value. Key: {name}"
                )
            size = len(value.encode() if isinstance(value, str) else value)
            if size > _MOST_BYTES_OF_KEY[is_partition]:
                what = (
                    "Size of hashkey has exceeded"
                    if is_partition
                    else "Aggregated size of all range keys has exceeded"
                )
                raise Invalid(
                    f"One or more parameter values were invalid: {what} the maximum size limit of"
                    f"{_MOST_BYTES_OF_KEY[is_partition]} bytes"
                )
        return value  # fmt: skip

    def _check_type(self, item: Item, name: str) -> None:
        wanted = self.schema.types[name]
        if wanted not in item[name]:
            (kind,) = item[name]
            raise Impossible(
                "One or more parameter values were invalid: "
                f"Type mismatch for key {name} expected: {wanted} actual: {kind}"
            )

    def index(self, name: str | None) -> Key:
        """Return an index, or the table's own key."""
        if name is None:
            return self.schema.key
        if name not in self.schema.indexes:
            raise Invalid(f"The table does not have the specified index: {name}")
        return self.schema.indexes[name]

    # Items

    def get(self, place: tuple[Any, Any]) -> Stored | None:
        row = self.rows.get(place[0])
        return None if row is None else row.get(place[1])

    def checked(self, item: Item, too_large: str = "Item size") -> Stored:
        """Return an item to store. Raises Impossible if an index or the table cannot have it."""
        for name in self.schema.of_indexes:
            if name in item:
                self._check_type(item, name)
                if item[name] in ({"S": ""}, {"B": b""}):
                    raise Impossible(f"A secondary index key has no empty value. IndexKey: {name}")
        new = stored(item)
        if new.size > MOST_BYTES:
            raise Impossible(f"{too_large} has exceeded the maximum allowed size")
        return new

    def set(self, place: tuple[Any, Any], item: Stored | None) -> None:
        """Replace the item at a place, or remove it; records the change in the stream."""
        row = self.rows.get(place[0], {})
        old = row.get(place[1])
        if item is not None:
            row[place[1]] = item
            self.rows[place[0]] = row
        elif old is not None:
            del row[place[1]]
            if not row:
                del self.rows[place[0]]
        if self.settings.stream_shard is not None and (old is not None or item is not None):
            self._record(old, item)

    def _record(self, old: Item | None, new: Item | None) -> None:
        shown = old if new is None else new
        assert shown is not None
        records, kind = (
            self.settings.stream_shard.items,
            self.settings.stream_specification["StreamViewType"],
        )
        about = {
            "StreamViewType": kind,
            "SequenceNumber": str(_FIRST_RECORD + len(records)),
            "Keys": {name: shown[name] for name in self.schema.key.attributes},
        }
        if kind in {"NEW_IMAGE", "NEW_AND_OLD_IMAGES"} and new is not None:
            about["NewImage"] = new
        if kind in {"OLD_IMAGE", "NEW_AND_OLD_IMAGES"} and old is not None:
            about["OldImage"] = old
        records.append(
            {
                "eventID": f"{len(records):032x}",
                "eventName": "INSERT" if old is None else "REMOVE" if new is None else "MODIFY",
                "eventSource": "aws:dynamodb",
                "eventVersion": "1.0",
                "awsRegion": REGION,
                "dynamodb": about,
            }
        )  # fmt: skip

    def all(self) -> Iterable[Stored]:
        """Return all items, in no order."""
        return (item for row in self.rows.values() for item in row.values())


def settings_of(name: str) -> Any:
    """Return moto's table of this name or ARN."""
    tables = _backends[ACCOUNT][REGION].tables
    found = tables.get(name.rpartition("table/")[2])
    if found is None:
        raise Refused("ResourceNotFoundException", "Requested resource not found")
    return found


# Creation of tables

_empty: Final[dict[str, Any]] = {}


def is_mocked() -> bool:
    """Whether moto answers calls."""
    return bool(_stubber.enabled)


def add_empty(name: str, description: str) -> bool:
    """Add a copy of a kept table; False if there is none, or moto would refuse the name."""
    tables = _backends[ACCOUNT][REGION].tables
    if not is_mocked() or description not in _empty or name in tables:
        return False
    tables[name] = copy.deepcopy(_empty[description])
    return True


def remove(name: str) -> None:
    """Remove a table and its items, without the call of a client, which takes a hundred times as long."""
    del _backends[ACCOUNT][REGION].tables[name]


def keep_empty(name: str, description: str) -> None:
    """Keep a table that was just created, for copies."""
    if is_mocked():
        _empty[description] = copy.deepcopy(settings_of(name))
