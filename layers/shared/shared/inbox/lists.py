"""
Lists of the inbox, newest first: of a company or of an agent, by status, unread, read or both.

Each combination is a partition of an index, and a list merges partitions. The sort key is unique, so one text is the
position of a page in all of them: a conversation that moves to another partition between two pages is not repeated.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

from boto3.dynamodb.conditions import Key

from shared.inbox.items import ASSIGNEE_INDEX, LIST_INDEX, Entry, Status
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from boto3.dynamodb.conditions import ConditionBase

    from shared.aws.dynamodb import Attributes, Table

READ_AHEAD = 400  # entries per query after the first one


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxList:
    """The merged partitions of one index. *field*: the partition key of the index, *partitions* its values."""

    index: str
    field: str
    partitions: Sequence[str]

    @classmethod
    def of_company(
        cls, company: str, statuses: Sequence[Status], unread: Sequence[bool]
    ) -> InboxList:
        """Return the list of a company."""
        partitions = [
            Entry.list_of(company, status, unread=is_unread)
            for status, is_unread in product(statuses, unread)
        ]
        return cls(index=LIST_INDEX, field="list_pk", partitions=partitions)

    @classmethod
    def of_assignee(
        cls, company: str, assignee: str, statuses: Sequence[Status], unread: Sequence[bool]
    ) -> InboxList:
        """Return the list of an agent."""
        partitions = [
            Entry.assigned_list_of(company, assignee, status, unread=is_unread)
            for status, is_unread in product(statuses, unread)
        ]
        return cls(index=ASSIGNEE_INDEX, field="assignee_pk", partitions=partitions)


def entries(
    table: Table, listed: InboxList, *, limit: int, before: str | None = None
) -> Iterator[Entry]:
    """
    Return the entries before the position *before*, an `activity`, newest first, read as they are needed.

    *limit*: how many are needed at least. The indexes are eventually consistent.
    """
    parts = [
        _of_partition(table, listed, partition, limit, before) for partition in listed.partitions
    ]
    seen: set[str] = set()
    for entry in heapq.merge(*parts, key=lambda one: one.activity, reverse=True):
        # A conversation that changes its partition during the queries would be in both.
        if entry.pk not in seen and not clock.is_over(entry.ttl):
            seen.add(entry.pk)
            yield entry


def _of_partition(
    table: Table, listed: InboxList, partition: str, limit: int, before: str | None
) -> Iterator[Entry]:
    condition: ConditionBase = Key(Entry.name_of(listed.field)).eq(partition)
    if before is not None:
        condition &= Key(Entry.name_of("activity")).lt(before)
    last: Attributes | None = None
    while True:
        found, last = table.query(
            listed.index, condition, limit=limit, start=last, newest_first=True
        )
        yield from map(Entry.read, found)
        if last is None:
            return
        limit = READ_AHEAD
