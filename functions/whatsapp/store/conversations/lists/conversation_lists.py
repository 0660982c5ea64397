"""
Lists of conversations, newest first: of a number or of an assignee, in some folders, unread, read or both.

Each combination is a partition of an index that holds nothing but conversations, and a list merges partitions. So a
page is full, however many other entries the inbox has.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from boto3.dynamodb.conditions import ConditionBase, Key

from shared.aws.dynamodb import Table
from shared.aws.tables.merged_lists import MergedList
from whatsapp.store.items import Conversation
from whatsapp.store.items.conversations.conversations import Folder

NUMBER_INDEX = "gsi_inbox_list"
ASSIGNEE_INDEX = "gsi_inbox_assignee"


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


def of_number(
    phone: str, folders: Sequence[Folder], unread: Sequence[bool]
) -> MergedList[Conversation]:
    """Return the list of a number."""
    partitions = [
        Conversation.list_of(phone, folder, unread=is_unread)
        for folder, is_unread in product(folders, unread)
    ]
    return _merged(NUMBER_INDEX, "list_pk", partitions)


def of_assignee(
    company: str, assignee: str, folders: Sequence[Folder], unread: Sequence[bool]
) -> MergedList[Conversation]:
    """Return the list of an agent, of all numbers of the company."""
    partitions = [
        Conversation.assigned_list_of(company, assignee, folder, unread=is_unread)
        for folder, is_unread in product(folders, unread)
    ]
    return _merged(ASSIGNEE_INDEX, "assignee_pk", partitions)


def _merged(index: str, field: str, partitions: Sequence[str]) -> MergedList[Conversation]:
    return MergedList(
        item=Conversation, index=index, field=field, order="received_at", partitions=partitions
    )


def entries(
    table: Table, listed: MergedList[Conversation], *, limit: int, start: Position = START
) -> Iterator[Conversation]:
    """Return the entries after *start*; *limit*: how many are needed at least."""
    where: ConditionBase | None = None
    if start.received_at:
        where = Key(Conversation.name_of("received_at")).lte(start.received_at)
    seen = set(start.shown)
    for head in listed.entries(table, limit=limit + len(start.shown), where=where):
        if head.pk not in seen:
            seen.add(head.pk)
            yield head
