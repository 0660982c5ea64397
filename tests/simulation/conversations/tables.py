"""Test access to the stored items of the three tables and the objects of the bucket."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from boto3.dynamodb.types import TypeDeserializer, TypeSerializer

from shared.aws.tables.dynamodb_json import storable
from tests.simulation import stored

KEY_NAMES = {
    "conversations": ("primary_channel", "conversation_id"),
    "log": ("pk", "sk"),
    "company": ("company_id", "project_id"),
    "spending": ("pk", "sk"),
}

_deserialize = TypeDeserializer().deserialize
_serialize = TypeSerializer().serialize

# Table (conversations, log, company, spending) and key.
type Key = tuple[str, ...]
type Rows = dict[Key, dict[str, Any]]


@dataclass(kw_only=True)
class Tables:
    """*tables* are their names by use (conversations, log, company, spending), *bucket* is the name of the bucket."""

    tables: dict[str, str]
    bucket: str

    def write(self, use: str, item: dict[str, Any]) -> None:
        """Write an item as another system does, without a condition."""
        encoded = {name: _serialize(_decimal(storable(value))) for name, value in item.items()}
        stored.put(self.tables[use], encoded)

    def remove(self, *key: str) -> None:
        """Delete an item as another system does, by its table and key."""
        stored.remove(self.tables[key[0]], *key[1:])

    def rows(self) -> Rows:
        """All items of the tables by table and key, as plain values."""
        return {key: _plain(item) for key, item in self._stored().items()}

    def row(self, *key: str) -> dict[str, Any] | None:
        """One item by its table and key; None where there is none."""
        item = stored.item_of(self.tables[key[0]], *key[1:])
        return None if item is None else _plain(item)

    def conversation(self, ref: str) -> dict[str, Any]:
        """The contract's item."""
        state_ = self.state(ref)
        found = self.row("conversations", state_["primary_channel"], state_["conversation_id"])
        assert found is not None
        return found

    def state(self, ref: str) -> dict[str, Any]:
        """The state of a conversation."""
        found = self.row("log", f"CONV#{ref}", "STATE")
        assert found is not None
        return found

    def log(self, ref: str) -> list[dict[str, Any]]:
        """The messages of a conversation, in order."""
        return self._of(ref, "MSG#")

    def changes(self, ref: str) -> list[str]:
        """The statuses of a conversation, in order."""
        return [str(row["to_status"]) for row in self._of(ref, "EVT#")]

    def due_at(self) -> list[str]:
        """The due times of all conversations."""
        items = stored.items_of(self.tables["log"])
        return [item["due_at"]["S"] for item in items if "due_at" in item]

    def parked(self) -> list[str]:
        """The reasons of parked events, oldest first."""
        rows = sorted(self.rows().items())
        return [str(row["reason"]) for key, row in rows if key[1].startswith("PARK#")]

    def objects(self) -> dict[str, bytes]:
        """All objects of the bucket by key."""
        return stored.objects_of(self.bucket)

    def _of(self, ref: str, begins: str) -> list[dict[str, Any]]:
        found = stored.items_under(self.tables["log"], f"CONV#{ref}")
        rows = (_plain(item) for item in found if item["sk"]["S"].startswith(begins))
        return sorted(rows, key=lambda row: str(row["sk"]))

    def _stored(self) -> dict[Key, Any]:
        """All items by table and key, in DynamoDB's JSON."""
        return {
            (use, *(item[name]["S"] for name in KEY_NAMES[use])): item
            for use, table in self.tables.items()
            for item in stored.items_of(table)
        }

    def _write(self, wanted: dict[Key, Any]) -> None:
        """Replace the content of the tables by these items."""
        now = self._stored()
        for key in now.keys() - wanted.keys():
            stored.remove(self.tables[key[0]], *key[1:])
        for key, item in wanted.items():
            if now.get(key) != item:
                stored.put(self.tables[key[0]], item)


def _decimal(value: Any) -> Any:
    """Numbers as DynamoDB has them."""
    if isinstance(value, float):
        return Decimal(repr(value))
    if isinstance(value, dict):
        return {name: _decimal(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_decimal(part) for part in value]
    return value


def _plain(item: dict[str, Any]) -> dict[str, Any]:
    return {name: _deserialize(value) for name, value in item.items()}
