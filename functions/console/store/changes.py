"""Access pattern of the audit log."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Final

from boto3.dynamodb.conditions import Attr, Key

from shared.api.audit_log.items import PARTITION_KEY, SORT_KEY, Change
from shared.runtime import clock

if TYPE_CHECKING:
    from boto3.dynamodb.conditions import ConditionBase

    from shared.aws.dynamodb import Table

MOST_READ: Final = 1_000  # items of one call; an item has less than 1 KB
_READ_AT_ONCE: Final = 250


@dataclass(frozen=True, slots=True)
class Whose:
    """
    Whose changes are wanted: of one principal, or of all that begin with one of the prefixes; none means all. Of one
    *kind* of objects, and of one *object*; None means all.
    """

    principal: str | None
    prefixes: tuple[str, ...]
    kind: str | None = None
    object: str | None = None


def of_company(
    table: Table,
    company: str,
    *,
    since: str,
    until: str,
    whose: Whose,
    limit: int,
    before: str | None,
) -> tuple[list[Change], str | None]:
    """
    Return up to *limit* changes of a company, newest first, and the sort key to continue before; None at the end.

    *since* and *until* are days, both included. Reads MOST_READ items at most, so a page may be short.
    """
    between = Key(PARTITION_KEY).eq(Change.partition(company)) & Key(SORT_KEY).between(
        since, f"{until}~"
    )
    start = Change.key(company, before) if before else None
    found: list[Change] = []
    for _ in range(MOST_READ // _READ_AT_ONCE):
        items, start = table.query(
            None,
            between,
            limit=_READ_AT_ONCE,
            start=start,
            newest_first=True,
            only=_wanted(table, whose),
        )
        found += map(Change.read, items)
        if len(found) > limit:
            return found[:limit], found[limit - 1].sk
        if start is None:
            return found, None
    return found, str(start[SORT_KEY]) if start else None


def _wanted(table: Table, whose: Whose) -> ConditionBase:
    """DynamoDB deletes expired items late."""
    is_kept: ConditionBase = Attr(table.ttl_attribute).gt(clock.now_ms() // clock.SECOND_MS)
    for name, value in (("kind", whose.kind), ("object", whose.object)):
        if value is not None:
            is_kept &= Change.attr(name).eq(value)
    principal = Change.attr("principal")
    if whose.principal is not None:
        return is_kept & principal.eq(whose.principal)
    begins = [principal.begins_with(prefix) for prefix in whose.prefixes]
    return is_kept & reduce(operator.or_, begins) if begins else is_kept
