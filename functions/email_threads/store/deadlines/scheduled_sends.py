"""Access patterns of sends that wait for their time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boto3.dynamodb.conditions import Key

from email_threads.store.items import ScheduledSend
from email_threads.store.items.threads.thread import TTL_INDEX
from shared.aws.dynamodb import ConditionFailed
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shared.aws.dynamodb import Attributes, Table


def put(table: Table, send: ScheduledSend) -> None:
    """Store a send for its time, in place of an earlier one of its draft. Idempotent."""
    table.put(send.attributes())


def to_put(table: Table, send: ScheduledSend) -> Attributes:
    """Return the write of a transaction that stores a send for its time."""
    return table.to_put(send.attributes())


def due(table: Table, within_seconds: int) -> Iterator[ScheduledSend]:
    """Yield the sends whose time comes within so many seconds, the earliest first."""
    latest = ScheduledSend.lifetime_at(clock.now_ms() // clock.SECOND_MS + within_seconds)
    condition = Key("ttl_date").eq(ScheduledSend.PARTITION) & Key("ttl").lte(latest)
    start: Attributes | None = None
    while True:
        rows, start = table.query(TTL_INDEX, condition, start=start)
        items = table.get_many([{"conversation_id": row["conversation_id"]} for row in rows])
        yield from sorted(map(ScheduledSend.read, items), key=lambda one: one.send_at)
        if start is None:
            break


def remove(table: Table, send: ScheduledSend) -> None:
    """Remove a send that was queued, unless its draft was approved for another time since. Idempotent."""
    try:
        table.delete(
            {"conversation_id": send.conversation_id},
            when=ScheduledSend.attr("version").eq(send.version)
            & ScheduledSend.attr("attempt").eq(send.attempt),
        )
    except ConditionFailed:
        return
