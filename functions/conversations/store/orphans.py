"""The items that lead from a subject to its unmatched messages and parked events."""

from collections.abc import Collection, Iterator

from boto3.dynamodb.conditions import Key

from conversations.store.items.base import PARTITION_KEY, SORT_KEY, key
from conversations.store.items.records import Stray
from shared import clock
from shared.aws.dynamodb import Attributes, Table

LONGER_SECONDS = 7 * clock.DAY_SECONDS


def lead(table: Table, subjects: Collection[str], to: Attributes, ttl: int | None) -> None:
    """Let each subject lead to the item with the key *to*. Call it before that item is written. Safe to repeat."""
    # DynamoDB deletes some days late, and in no order: what leads to an item has to be there as long as the item.
    ttl = ttl + LONGER_SECONDS if ttl else None
    stray = Stray(stray_pk=to[PARTITION_KEY], stray_sk=to[SORT_KEY], ttl=ttl)
    for subject in subjects:
        table.put(stray.attributes(_key(subject, to)))


def of(table: Table, subject: str, *, newest_first: bool = False) -> Iterator[Attributes]:
    """
    The keys of all items that a subject leads to, those whose time is over among them.

    The item of one may be gone, or not be written yet.
    """
    start: Attributes | None = None
    while True:
        items, start = table.query(
            None,
            Key(PARTITION_KEY).eq(Stray.partition(subject)),
            start=start,
            newest_first=newest_first,
        )
        found = map(Stray.read, items)
        yield from (key(stray.stray_pk, stray.stray_sk) for stray in found)
        if start is None:
            return


def forget(table: Table, subjects: Collection[str], to: Attributes) -> None:
    """Let subjects lead to an item no more. Safe to repeat."""
    for subject in subjects:
        table.delete(_key(subject, to))


def _key(subject: str, to: Attributes) -> Attributes:
    return key(Stray.partition(subject), Stray.sk(str(to[PARTITION_KEY]), str(to[SORT_KEY])))
