"""
Makes the entries of the inbox again from the heads of the contexts, as their feeds do.

    1 heads      each head of the context's table is shown
    2 entries    entries without a head are removed
    3 parked     heads that the feed could not show are forgotten if they are shown by now

Each head is refreshed as a feed refreshes it, so a rebuild may run while feeds and agents work. An interrupted rebuild
goes on after the last page of its scan.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from boto3.dynamodb.types import TypeDeserializer, TypeSerializer
from botocore.exceptions import BotoCoreError, ClientError

from shared.failures import Permanent
from shared.inbox import entries
from shared.inbox.items import PARTITION_KEY, REBUILD_DAYS, Context, Entry, Rebuild, pk
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mypy_boto3_dynamodb import DynamoDBClient

    from shared.aws.dynamodb import Attributes, Table
    from shared.inbox.entries import Heads

ITEMS_PER_PAGE = 500
SHOWN, REMOVED, UNCHANGED, FAILED = "shown", "removed", "unchanged", "failed"

_serialize, _deserialize = TypeSerializer().serialize, TypeDeserializer().deserialize


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The heads of a context, and the table with an item for each of them."""

    heads: Heads
    table: str


@dataclass(slots=True, kw_only=True)
class Run:
    """One rebuild. *report* is called after each page with the number of heads so far by outcome."""

    client: DynamoDBClient
    table: Table  # of the inbox
    report: Callable[[Context, Counter[str]], None]
    counts: Counter[str] = field(default_factory=Counter)

    def rebuild(self, source: Source, *, restart: bool = False) -> None:
        """
        Rebuild the entries of a context. Goes on after an interrupted run, unless *restart*.

        Heads that cannot be shown are counted as failed and parked, as by a feed.
        """
        context = source.heads.context
        start = None if restart else self._position(source)
        for keys, position in self._pages(source.table, start, None):
            for reference in filter(None, map(source.heads.reference_of, keys)):
                self._refresh(source.heads, reference)
            self._keep(source, position)
            self.report(context, self.counts)
        prefix = Entry.pk_pattern.partition("{id}")[0].format(context=context)
        for keys, _ in self._pages(self.table.name, None, prefix):
            stored = self.table.get_many([pk(str(key[PARTITION_KEY])) for key in keys])
            for entry in map(Entry.read, stored):
                self._refresh(source.heads, entry.reference)
        for parked in list(entries.parked(self.table, context)):
            if self._refresh(source.heads, parked.reference):
                entries.unpark(self.table, context, parked.reference)
        self.table.delete(pk(Rebuild.key(context)))
        self.report(context, self.counts)

    def _refresh(self, heads: Heads, reference: str) -> bool:
        """Refresh an entry; return False if its head cannot be shown."""
        try:
            change = entries.refresh(self.table, heads, reference)
        except (ClientError, BotoCoreError):  # Some of them are ValueErrors.
            raise
        except (Permanent, TypeError, ValueError, LookupError, AttributeError) as failure:
            reason = failure.reason if isinstance(failure, Permanent) else "internal_error"
            entries.park(self.table, heads.context, reference, reason)
            self.counts[FAILED] += 1
            return False
        outcome = UNCHANGED if change is None else REMOVED if change.is_removed else SHOWN
        self.counts[outcome] += 1
        return True

    def _pages(
        self, table: str, start: dict[str, str] | None, prefix: str | None
    ) -> Iterator[tuple[Sequence[Attributes], dict[str, str] | None]]:
        """Yield the keys of a table page by page, each with the position after it, None at the end."""
        schema = self.client.describe_table(TableName=table)["Table"]["KeySchema"]
        names = [part["AttributeName"] for part in schema]
        options: dict[str, Any] = {
            "TableName": table,
            "ConsistentRead": True,
            "Limit": ITEMS_PER_PAGE,
            "ProjectionExpression": ", ".join(f"#k{n}" for n in range(len(names))),
            "ExpressionAttributeNames": {f"#k{n}": name for n, name in enumerate(names)},
        }
        if prefix is not None:
            options["FilterExpression"] = "begins_with(#k0, :prefix)"
            options["ExpressionAttributeValues"] = {":prefix": {"S": prefix}}
        position = start
        while True:
            if position is not None:
                options["ExclusiveStartKey"] = {n: _serialize(v) for n, v in position.items()}
            page = self.client.scan(**options)
            last = page.get("LastEvaluatedKey")
            position = {n: str(_deserialize(v)) for n, v in last.items()} if last else None
            yield (
                [{n: _deserialize(v) for n, v in item.items()} for item in page["Items"]],
                position,
            )
            if position is None:
                return

    def _position(self, source: Source) -> dict[str, str] | None:
        item = self.table.get(pk(Rebuild.key(source.heads.context)))
        found = Rebuild.read(item) if item else None
        return found.position if found is not None and found.table == source.table else None

    def _keep(self, source: Source, position: dict[str, str] | None) -> None:
        if position is None:
            return
        context = source.heads.context
        progress = Rebuild(
            pk=Rebuild.key(context),
            table=source.table,
            position=position,
            ttl=clock.expires_in(REBUILD_DAYS * clock.DAY_SECONDS),
        )
        self.table.put(progress.attributes())
