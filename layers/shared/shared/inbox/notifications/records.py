"""Access patterns of notifications."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from boto3.dynamodb.conditions import Attr, Key

from shared.aws.dynamodb import ConditionFailed
from shared.inbox.live.items import PARTITION_KEY, SORT_KEY
from shared.inbox.notifications.items import Notification
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shared.aws.dynamodb import Table

MOST: Final = 200  # of an owner that are ever read: about 50 KB, 13 read units


def put(table: Table, found: Sequence[Notification]) -> None:
    """Store notifications. Safe to repeat."""
    for one in found:
        table.put(one.attributes())


def add(table: Table, one: Notification) -> bool:
    """Store a notification whose key every report of its event has; False if it is stored. Safe to repeat."""
    try:
        table.put(one.attributes(), when=Attr(PARTITION_KEY).not_exists())
    except ConditionFailed:
        return False
    return True


def newest(table: Table, company: str, owner: str, since: str = "") -> list[Notification]:
    """Return the notifications of an owner since a time, newest first; MOST at most, read in one call."""
    partition = Key(PARTITION_KEY).eq(Notification.partition(company, owner))
    # `~` sorts after all times.
    items, _ = table.query(
        None, partition & Key(SORT_KEY).between(since or "0", "~"), limit=MOST, newest_first=True
    )
    return [one for one in map(Notification.read, items) if not clock.is_over(one.ttl)]
