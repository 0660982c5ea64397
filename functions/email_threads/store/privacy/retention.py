"""Access patterns of expired threads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from boto3.dynamodb.conditions import Attr, Key

from email_threads.store.items import Audit, Expiry, Note, Thread
from email_threads.store.items.item import PARTITION_KEY, date_of
from email_threads.store.items.threads.thread import TTL_INDEX
from shared.aws.dynamodb import ConditionFailed
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shared.aws.dynamodb import Attributes, Table

DAYS_BACK: Final = 2  # DynamoDB deletes expired items within days
_STEP: Final = 100


def expired(table: Table) -> Iterator[str]:
    """Yield the ids of threads that have expired today or on the two days before, some of them twice."""
    now = clock.now_ms() // clock.SECOND_MS
    for back in range(DAYS_BACK + 1):
        day = date_of(now - back * clock.DAY_SECONDS)
        start: Attributes | None = None
        while True:
            condition = Key("ttl_date").eq(day) & Key("ttl").lte(now)
            rows, start = table.query(TTL_INDEX, condition, start=start)
            for row in rows:
                thread_id, _, child = str(row[PARTITION_KEY]).partition("#")
                if child in {"", "expiry"}:
                    yield thread_id
            if start is None:
                break


def head(table: Table, conversation_id: str) -> Thread | None:
    """Return the head of a thread, also of an expired one; None if DynamoDB has deleted it."""
    # Not `table.get`, which leaves out expired items.
    items, _ = table.query(None, Key(PARTITION_KEY).eq(conversation_id))
    return Thread.read(items[0]) if items else None


def is_expired(thread: Thread) -> bool:
    """Whether the retention of a thread is over."""
    return clock.is_over(thread.ttl)


def remove_remainder(table: Table, conversation_id: str, thread: Thread | None) -> None:
    """Remove notes, record of changes, expiry item and, last, the head, unless it lives again. Idempotent."""
    for kind in (Note, Audit):
        _remove_numbered(table, conversation_id, kind)
    table.delete(Expiry.key(conversation_id))
    if thread is None:
        return
    try:
        table.delete(
            Thread.key(conversation_id), when=Attr("ttl").lte(clock.now_ms() // clock.SECOND_MS)
        )
    except ConditionFailed:
        return


def _remove_numbered(table: Table, conversation_id: str, kind: type[Note | Audit]) -> None:
    first = 1
    while True:
        keys = [kind.number(conversation_id, k) for k in range(first, first + _STEP)]
        items = table.get_many(keys)
        for item in items:
            table.delete({PARTITION_KEY: item[PARTITION_KEY]})
        if not items:
            return
        first += _STEP
