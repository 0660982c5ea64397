"""Access patterns of public lists, and of the archive of their issues."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from boto3.dynamodb.conditions import Key

from newsletters.store.items import ArchivedIssue, PublicList
from newsletters.store.items.item import PARTITION_KEY, SORT_KEY
from newsletters.store.readers import successors

if TYPE_CHECKING:
    from boto3.dynamodb.conditions import ConditionBase

    from newsletters.store.items import Issue
    from shared.aws.dynamodb import Table

MOST_LISTS: Final = 100  # of a company, as of contacts
_LISTS: Final = PublicList.sort.partition("{")[0]


def get(table: Table, company_id: str, list_id: str) -> PublicList | None:
    """Return what the public sees of a list; None if the company has published nothing of it."""
    item = table.get(PublicList.key(company_id, list_id))
    return PublicList.read(item) if item else None


def of_company(table: Table, company_id: str) -> list[PublicList]:
    """Return all public lists of a company."""
    partition = PublicList.key(company_id, "-")[PARTITION_KEY]
    condition = Key(PARTITION_KEY).eq(partition) & Key(SORT_KEY).begins_with(_LISTS)
    rows, _ = table.query(None, condition, limit=MOST_LISTS)
    return [PublicList.read(row) for row in rows]


def put(table: Table, given: PublicList) -> PublicList:
    """Write a public list as the successor of its version. Safe to repeat. Raises StaleVersion."""
    return successors.put(table, given, "list")


def remove(table: Table, company_id: str, list_id: str) -> None:
    """Publish nothing of a list any more. Idempotent."""
    table.delete(PublicList.key(company_id, list_id))


def archive(table: Table, issue: Issue, sent_at: str) -> None:
    """Write the entries of a sent issue in the archives of its lists. Safe to repeat with the same time."""
    for list_id in issue.list_ids:
        entry = ArchivedIssue(
            **ArchivedIssue.key(issue.company_id, list_id, sent_at, issue.issue_id),
            issue_id=issue.issue_id,
            subject=issue.subject,
            preheader=issue.preheader,
            sent_at=sent_at,
        )
        table.put(entry.attributes())


def archived(
    table: Table, company_id: str, list_id: str, *, limit: int, before: str | None = None
) -> tuple[list[ArchivedIssue], str | None]:
    """Return issues in the archive of a list, newest first, and the position of the next page, None on the last."""
    key = ArchivedIssue.key(company_id, list_id, "-", "-")
    prefix = str(key[SORT_KEY]).removesuffix("-#-")
    condition: ConditionBase = Key(PARTITION_KEY).eq(key[PARTITION_KEY])
    condition &= (
        Key(SORT_KEY).between(prefix, f"{prefix}{before}")
        if before
        else Key(SORT_KEY).begins_with(prefix)
    )
    rows, last = table.query(None, condition, limit=limit, newest_first=True)
    found = [ArchivedIssue.read(row) for row in rows]
    return found, found[-1].sent_at if last else None
