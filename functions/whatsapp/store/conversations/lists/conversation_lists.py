"""
Lists of conversations, newest first: of a number or of an assignee, in some folders, unread, read or both.

Each combination is a partition of an index that holds nothing but conversations, and a list merges partitions. So a
page is full, however many other entries the inbox has.
"""

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from boto3.dynamodb.conditions import ConditionBase, Key

from shared.aws.dynamodb import Attributes, Table
from whatsapp.store.items import Conversation
from whatsapp.store.items.conversations import Folder

NUMBER_INDEX = "gsi_inbox_list"
ASSIGNEE_INDEX = "gsi_inbox_assignee"
READ_AHEAD = 400  # entries per query after the first one


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationList:
    """The merged partitions of one index. *field*: the partition key of the index, *partitions* its values."""

    index: str
    field: str
    partitions: Sequence[str]

    @classmethod
    def of_number(
        cls, phone: str, folders: Sequence[Folder], unread: Sequence[bool]
    ) -> "ConversationList":
        """Return the list of a number."""
        partitions = [
            Conversation.list_of(phone, folder, unread=is_unread)
            for folder, is_unread in product(folders, unread)
        ]
        return cls(index=NUMBER_INDEX, field="list_pk", partitions=partitions)

    @classmethod
    def of_assignee(
        cls, company: str, assignee: str, folders: Sequence[Folder], unread: Sequence[bool]
    ) -> "ConversationList":
        """Return the list of an agent, of all numbers of the company."""
        partitions = [
            Conversation.assigned_list_of(company, assignee, folder, unread=is_unread)
            for folder, is_unread in product(folders, unread)
        ]
        return cls(index=ASSIGNEE_INDEX, field="assignee_pk", partitions=partitions)


@dataclass(frozen=True, slots=True)
class Position:
    """
    Where a page ended: its last time, and the keys of the entries of that time that are on earlier pages.

    One position for all partitions: a conversation that moves to another partition between two pages is not repeated.
    """

    received_at: str
    shown: tuple[str, ...]

    def after(self, head: Conversation) -> "Position":
        """Return the position after *head*, the next entry."""
        at = head.received_at or ""
        return Position(at, (*self.shown, head.pk) if at == self.received_at else (head.pk,))


START = Position("", ())


def entries(
    table: Table, listed: ConversationList, *, limit: int, start: Position = START
) -> Iterator[Conversation]:
    """
    Return the entries after *start*, newest first, read as they are needed. *limit*: how many will be, at least.

    The indexes are eventually consistent: an entry may be some milliseconds older than its item.
    """
    parts = [
        _of_partition(table, listed, partition, limit + len(start.shown), start)
        for partition in listed.partitions
    ]
    seen = set(start.shown)
    for head in heapq.merge(*parts, key=lambda one: one.received_at or "", reverse=True):
        # A conversation that changes its partition during the queries would be in both.
        if head.pk not in seen:
            seen.add(head.pk)
            yield head


def _of_partition(
    table: Table, listed: ConversationList, partition: str, limit: int, start: Position
) -> Iterator[Conversation]:
    condition: ConditionBase = Key(Conversation.name_of(listed.field)).eq(partition)
    if start.received_at:
        condition &= Key(Conversation.name_of("received_at")).lte(start.received_at)
    last: Attributes | None = None
    while True:
        found, last = table.query(
            listed.index, condition, limit=limit, start=last, newest_first=True
        )
        yield from map(Conversation.read, found)
        if last is None:
            return
        limit = READ_AHEAD
