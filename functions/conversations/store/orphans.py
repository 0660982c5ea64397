"""The index from subjects to unmatched messages and parked events (`Stray` items)."""

from collections.abc import Collection, Iterator

from boto3.dynamodb.conditions import Key

from conversations.store.items.base import PARTITION_KEY, SORT_KEY, key
from conversations.store.items.records import Stray
from shared.aws.dynamodb import Attributes, Table
from shared.runtime import clock

LONGER_SECONDS = 7 * clock.DAY_SECONDS


def add_entries(table: Table, subjects: Collection[str], to: Attributes, ttl: int | None) -> None:
    """Index the item with the key *to* under each subject. Call it before that item is written. Idempotent."""
    # DynamoDB deletes some days late and in no order: an index entry has to exist as long as its item.
    ttl = ttl + LONGER_SECONDS if ttl else None
    stray = Stray(stray_pk=to[PARTITION_KEY], stray_sk=to[SORT_KEY], ttl=ttl)
    for subject in subjects:
        table.put(stray.attributes(entry_key(subject, to)))


def of(table: Table, subject: str) -> Iterator[Attributes]:
    """
    Yield the keys of all items indexed under a subject, including expired ones.

    An indexed item may be deleted or not written yet.
    """
    start: Attributes | None = None
    while True:
        item_keys, start = page(table, subject, start=start)
        yield from item_keys
        if start is None:
            return


def page(
    table: Table,
    subject: str,
    *,
    limit: int | None = None,
    start: Attributes | None = None,
    newest_first: bool = False,
) -> tuple[list[Attributes], Attributes | None]:
    """Return one page of the keys that `of` yields, and the key at which the next page starts."""
    items, last = table.query(
        None,
        Key(PARTITION_KEY).eq(Stray.partition(subject)),
        limit=limit,
        start=start,
        newest_first=newest_first,
    )
    strays = map(Stray.read, items)
    return [key(stray.stray_pk, stray.stray_sk) for stray in strays], last


def forget(table: Table, subjects: Collection[str], to: Attributes) -> None:
    """Delete the index entries of an item under these subjects. Idempotent."""
    for subject in subjects:
        table.delete(entry_key(subject, to))


def entry_key(subject: str, to: Attributes) -> Attributes:
    """Return the whole key of the index entry of an item under a subject."""
    return key(Stray.partition(subject), Stray.sk(str(to[PARTITION_KEY]), str(to[SORT_KEY])))
