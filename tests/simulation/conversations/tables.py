"""Test access to the stored items of the tables and the objects of the bucket."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from boto3.dynamodb.types import TypeSerializer

from shared.aws.tables.dynamodb_json import storable
from tests.simulation import stored
from tests.simulation.queues.workers import Workers
from tests.simulation.simulated_system import Key, plain

_serialize = TypeSerializer().serialize

# Table (conversations, log, company, spending, contacts, inbox) and key.
type Rows = dict[Key, dict[str, Any]]


@dataclass(kw_only=True)
class Tables(Workers):
    """The parts of a simulated system with its tables and its bucket."""

    def write(self, use: str, item: dict[str, Any]) -> None:
        """Write an item as another system does, without a condition."""
        encoded = {name: _serialize(_decimal(storable(value))) for name, value in item.items()}
        stored.put(self.tables[use], encoded)

    def remove(self, *key: str) -> None:
        """Delete an item as another system does, by its table and key."""
        stored.remove(self.tables[key[0]], *key[1:])

    def rows(self) -> Rows:
        """All items of the tables by table and key, as plain values."""
        return {key: plain(item) for key, item in self.stored().items()}

    def row(self, *key: str) -> dict[str, Any] | None:
        """One item by its table and key; None where there is none."""
        item = stored.item_of(self.tables[key[0]], *key[1:])
        return None if item is None else plain(item)

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
        return [item["due_at"]["S"].partition("#")[0] for item in items if "due_at" in item]

    def parked(self) -> list[str]:
        """The reasons of parked events, oldest first."""
        rows = sorted(self.rows().items())
        return [str(row["reason"]) for key, row in rows if key[1].startswith("PARK#")]

    def objects(self) -> dict[str, bytes]:
        """All objects of the bucket by key."""
        return stored.objects_of(self.buckets[0])

    def _of(self, ref: str, begins: str) -> list[dict[str, Any]]:
        found = stored.items_under(self.tables["log"], f"CONV#{ref}")
        rows = (plain(item) for item in found if item["sk"]["S"].startswith(begins))
        return sorted(rows, key=lambda row: str(row["sk"]))


def _decimal(value: Any) -> Any:
    """Numbers as DynamoDB has them."""
    if isinstance(value, float):
        return Decimal(repr(value))
    if isinstance(value, dict):
        return {name: _decimal(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_decimal(part) for part in value]
    return value
