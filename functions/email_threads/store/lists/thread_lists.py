"""
Lists of a company's threads, newest change first: by status and by participant, from CompanyIndex.

A list yields its entries with the position behind each. Rows are filtered by mailbox and text before heads are read, so
a page of the index may have none that fits: the end of each page is an entry, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import batched
from typing import TYPE_CHECKING, Final, NamedTuple

from boto3.dynamodb.conditions import Attr, Key

from email_threads.store import threads
from email_threads.store.items import Participant, Status, Thread
from email_threads.store.items.item import PARTITION_KEY
from email_threads.store.items.threads.thread import COMPANY_INDEX

if TYPE_CHECKING:
    from collections.abc import Iterator

    from boto3.dynamodb.conditions import ConditionBase

    from shared.aws.dynamodb import Attributes, Table

_KEY: Final = (PARTITION_KEY, "company_status", "updated_at")
ROWS: Final = 50  # heads read at once; and rows of the index, if none is left out
ROWS_OF_SEARCH: Final = 1_000  # a row has under a KB, and a page of an index a MB


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadList:
    """A partition of the index, and what its rows and heads must have."""

    company_id: str
    partition: str
    only: ConditionBase | None = None
    status: Status | None = None
    rows: int = ROWS

    @classmethod
    def of_status(
        cls, company_id: str, status: Status, *, mailbox: str | None, text: str | None
    ) -> ThreadList:
        """Threads of a company with this status, of one mailbox, that contain a case-folded text."""
        only: ConditionBase | None = Attr("mailbox").eq(mailbox) if mailbox else None
        if text:
            contains = Attr("full_text_search").contains(text)
            only = only & contains if only else contains
        return cls(
            company_id=company_id,
            partition=Thread.list_of(company_id, status),
            only=only,
            status=status,
            rows=ROWS_OF_SEARCH if only else ROWS,
        )

    @classmethod
    def of_participant(cls, company_id: str, address: str, *, mailbox: str | None) -> ThreadList:
        """Threads of a company with this person, of one mailbox."""
        only = Attr("mailbox").eq(mailbox) if mailbox else None
        return cls(
            company_id=company_id,
            partition=Participant.list_of(company_id, address),
            only=only,
            rows=ROWS_OF_SEARCH if only else ROWS,
        )


class ListEntry(NamedTuple):
    """
    The position after a row, a key of the index, and its thread, None for a row without a fitting one; or *ends_page*:
    the position after a page of the index that others follow.
    """

    position: Attributes
    thread: Thread | None = None
    ends_page: bool = False


def entries(
    table: Table, listed: ThreadList, start: Attributes | None = None
) -> Iterator[ListEntry]:
    """Yield the entries of a list after a position."""
    while True:
        rows, start = table.query(
            COMPANY_INDEX,
            Key("company_status").eq(listed.partition),
            limit=listed.rows,
            start=start,
            newest_first=True,
            only=listed.only,
        )
        for some in batched(rows, ROWS, strict=False):
            ids = [str(row[PARTITION_KEY]).partition("#")[0] for row in some]
            found = threads.get_many(table, ids)
            for row, thread_id in zip(some, ids, strict=True):
                position = {name: row[name] for name in _KEY}
                yield ListEntry(position, _fitting(listed, found.get(thread_id)))
        if start is None:
            return
        yield ListEntry(start, ends_page=True)


def ids_of(
    table: Table, listed: ThreadList, start: Attributes | None
) -> tuple[list[str], Attributes | None]:
    """Return the thread ids of a page of rows, whether their threads live or not, and where the next page starts."""
    rows, last = table.query(
        COMPANY_INDEX,
        Key("company_status").eq(listed.partition),
        limit=ROWS,
        start=start,
        only=listed.only,
    )
    return list(dict.fromkeys(str(row[PARTITION_KEY]).partition("#")[0] for row in rows)), last


def _fitting(listed: ThreadList, thread: Thread | None) -> Thread | None:
    """Return the thread if it is the company's and, as an index may lag, has the status of the list."""
    if thread is None or thread.company_id != listed.company_id or thread.merged_into is not None:
        return None
    return thread if listed.status in {None, thread.status} else None
