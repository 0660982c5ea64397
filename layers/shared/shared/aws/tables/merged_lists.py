"""Several partitions of an index as one list of items, newest first."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import merge
from typing import TYPE_CHECKING

from boto3.dynamodb.conditions import Key

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from boto3.dynamodb.conditions import ConditionBase

    from shared.aws.dynamodb import Attributes, Table
    from shared.aws.tables.items import Item

READ_AHEAD = 400  # items per query after the first one
SPREAD = 8  # items that a shard may have beyond its share of a page, without a second query


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedList[Stored: Item]:
    """
    Some partitions of one index, or of the table (*index* None), that hold items of one class.

    *field* is the partition key of the index and *order* its sort key, as fields of *item*; *partitions* are values of
    *field*. If *shards* of them evenly share the items of one list, each query reads a share.
    """

    item: type[Stored]
    index: str | None
    field: str
    order: str
    partitions: Sequence[str]
    shards: int = 1

    def entries(
        self, table: Table, *, limit: int, where: ConditionBase | None = None
    ) -> Iterator[Stored]:
        """
        Return the items whose sort key fits *where*, newest first, read as they are needed.

        *limit*: how many are needed at least. Indexes are eventually consistent: an item may be some milliseconds
        old, and an item that changes its partition during the queries can be in both.
        """
        order = self.item.name_of(self.order)
        parts = [
            self._of_partition(table, partition, limit, where) for partition in self.partitions
        ]
        return map(self.item.read, merge(*parts, key=lambda one: str(one[order]), reverse=True))

    def _of_partition(
        self, table: Table, partition: str, limit: int, where: ConditionBase | None
    ) -> Iterator[Attributes]:
        condition: ConditionBase = Key(self.item.name_of(self.field)).eq(partition)
        if where is not None:
            condition &= where
        if self.shards > 1:
            limit = min(limit, -(-limit // self.shards) + SPREAD)
        last: Attributes | None = None
        while True:
            found, last = table.query(
                self.index, condition, limit=limit, start=last, newest_first=True
            )
            yield from found
            if last is None:
                return
            limit = READ_AHEAD // self.shards
