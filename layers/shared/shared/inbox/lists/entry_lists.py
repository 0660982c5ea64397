"""
Lists of the inbox, newest first: of a company or of an agent, by status, unread, read or both.

Each combination is a partition of an index, or several of a large company (`shared.inbox.lists.partitions`). A list
merges partitions. The sort key is unique, so one text is the position of a page in all of them: a conversation that
moves to another partition between two pages is not repeated.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from boto3.dynamodb.conditions import Key

from shared.aws.tables.merged_lists import MergedList
from shared.inbox.items import ASSIGNEE_INDEX, LIST_INDEX, Entry, Status
from shared.inbox.lists import partitions
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shared.aws.dynamodb import Table


def of_company(
    table: Table, company: str, statuses: Sequence[Status], unread: Sequence[bool]
) -> MergedList[Entry]:
    """Return the list of a company."""
    shards = partitions.merged(table, company)
    return MergedList(
        item=Entry,
        index=LIST_INDEX,
        field="list_pk",
        order="activity",
        partitions=[
            Entry.list_of(company, status, unread=is_unread, shard=shard)
            for status, is_unread, shard in product(statuses, unread, range(shards))
        ],
        shards=shards,
    )


def of_assignee(
    company: str, assignee: str, statuses: Sequence[Status], unread: Sequence[bool]
) -> MergedList[Entry]:
    """Return the list of an agent."""
    assigned = [
        Entry.assigned_list_of(company, assignee, status, unread=is_unread)
        for status, is_unread in product(statuses, unread)
    ]
    return MergedList(
        item=Entry,
        index=ASSIGNEE_INDEX,
        field="assignee_pk",
        order="activity",
        partitions=assigned,
    )


def entries(
    table: Table, listed: MergedList[Entry], *, limit: int, before: str | None = None
) -> Iterator[Entry]:
    """Return the entries before the position *before*, an `activity`; *limit*: how many are needed at least."""
    where = Key(Entry.name_of("activity")).lt(before) if before is not None else None
    seen: set[str] = set()
    for entry in listed.entries(table, limit=limit, where=where):
        if entry.pk not in seen and not clock.is_over(entry.ttl):
            seen.add(entry.pk)
            yield entry
