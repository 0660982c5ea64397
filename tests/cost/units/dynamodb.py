"""
Prices the calls of one DynamoDB client, from the items before and after them.

moto's own ConsumedCapacity is not used: it considers neither sizes nor projections.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.cost.units import capacity

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mypy_boto3_dynamodb import DynamoDBClient

    from tests.cost.units.capacity import Index, Item

REFUSED = frozenset({"ConditionalCheckFailedException", "TransactionCanceledException"})


@dataclass(frozen=True, slots=True)
class Units:
    """The costs of one call: request units of writing, or of reading."""

    write: int = 0
    read: float = 0


class Unpriced(Exception):
    """A call without a price here; names the call."""


@dataclass
class Pricing:
    """
    Hooks of botocore; `priced` has the units of every call that was made while `is_on`.

    Reads the items through *direct_client*, a client of its own. A call without a price raises Unpriced, so that no
    cost is left out in silence.
    """

    direct_client: DynamoDBClient
    indexes: Mapping[str, list[Index]]
    priced: list[Units] = field(default_factory=list)
    is_on: bool = False
    _keys: dict[str, list[str]] = field(default_factory=dict)

    def watch(self, client: DynamoDBClient) -> None:
        """Price the calls of *client*; once for each client."""
        client.meta.events.register("before-parameter-build.dynamodb", self._before)
        client.meta.events.register("after-call.dynamodb", self._after)

    def _before(
        self, params: dict[str, Any], model: Any, context: dict[str, Any], **_: Any
    ) -> None:
        if self.is_on:
            context["asked"] = params
            targets = self._targets(model.name, params)
            context["before"] = [self._item(*target) for target in targets]

    def _after(self, parsed: dict[str, Any], model: Any, context: dict[str, Any], **_: Any) -> None:
        if self.is_on:
            asked, before = context["asked"], context["before"]
            self.priced.append(self._units(model.name, asked, parsed, before))

    def _units(
        self,
        operation: str,
        asked: dict[str, Any],
        answer: dict[str, Any],
        before: list[Item | None],
    ) -> Units:
        if read := _READS.get(operation):
            return Units(read=read(asked, answer))
        # A transaction doubles the table's part; the indexes follow outside of it.
        times = 2 if operation == "TransactWriteItems" else 1
        if "Error" in answer:
            if answer["Error"]["Code"] not in REFUSED:
                raise Unpriced(f"{operation} failed: {answer['Error']['Code']}")
            return Units(write=times * sum(capacity.write_units(item, item) for item in before))
        units = 0
        for (table, key), old in zip(self._targets(operation, asked), before, strict=True):
            # Most updates return the new item; that saves a read.
            new = (
                answer["Attributes"]
                if asked.get("ReturnValues") == "ALL_NEW"
                else self._item(table, key)
            )
            units += times * capacity.write_units(old, new)
            units += capacity.index_units(old, new, self.indexes[table])
        return Units(write=units)

    def _targets(self, operation: str, asked: dict[str, Any]) -> list[tuple[str, Item]]:
        """Table and key of each item that a call writes."""
        if operation in _READS:
            return []
        if operation not in _WRITES:
            raise Unpriced(f"{operation} has no price here yet")
        parts = [asked]
        if operation == "TransactWriteItems":
            parts = [part for item in asked["TransactItems"] for part in item.values()]
        if operation == "BatchWriteItem":
            parts = [
                {"TableName": table, **part}
                for table, items in asked["RequestItems"].items()
                for item in items
                for part in item.values()
            ]
        return [
            (part["TableName"], part.get("Key") or self._key(part["TableName"], part["Item"]))
            for part in parts
        ]

    def _key(self, table: str, item: Item) -> Item:
        if table not in self._keys:
            schema = self.direct_client.describe_table(TableName=table)["Table"]["KeySchema"]
            self._keys[table] = [part["AttributeName"] for part in schema]
        return {name: item[name] for name in self._keys[table]}

    def _item(self, table: str, key: Item) -> Item | None:
        answer: dict[str, Any] = dict(self.direct_client.get_item(TableName=table, Key=dict(key)))
        item: Item | None = answer.get("Item")
        return item


def _of_get(asked: dict[str, Any], answer: dict[str, Any]) -> float:
    is_consistent = asked.get("ConsistentRead", False)
    return capacity.read_units([answer.get("Item", {})], is_consistent=is_consistent)


def _of_batch_get(asked: dict[str, Any], answer: dict[str, Any]) -> float:
    """Each item rounded up by itself; a missing one costs as much as a small one."""
    units = 0.0
    for table, wanted in asked["RequestItems"].items():
        found = answer["Responses"].get(table, [])
        absent: list[Item] = [{}] * (len(wanted["Keys"]) - len(found))
        is_consistent = wanted.get("ConsistentRead", False)
        for item in found + absent:
            units += capacity.read_units([item], is_consistent=is_consistent)
    return units


def _of_query(asked: dict[str, Any], answer: dict[str, Any]) -> float:
    """
    A page is rounded up as a whole. What filters and projections leave out is not considered: the answer does not show
    it.
    """
    is_filtered = "FilterExpression" in asked and answer["ScannedCount"] != answer["Count"]
    if is_filtered or "ProjectionExpression" in asked:
        raise Unpriced("a query that leaves something out has no price here yet")
    return capacity.read_units(answer["Items"], is_consistent=asked.get("ConsistentRead", False))


_READS: dict[str, Callable[[dict[str, Any], dict[str, Any]], float]] = {
    "GetItem": _of_get,
    "BatchGetItem": _of_batch_get,
    "Query": _of_query,
}
_WRITES = frozenset({"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"})
