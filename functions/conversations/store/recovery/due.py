"""Scheduled work, at most one item per kind and conversation; found by a sparse index over four partitions."""

from collections.abc import Sequence
from dataclasses import dataclass

from boto3.dynamodb.conditions import Key

from conversations.store.items import identifiers
from conversations.store.items.base import PARTITION_KEY, SORT_KEY
from conversations.store.items.log import DUE_BUCKETS, DUE_INDEX, Due, DueKind, of
from shared.aws.dynamodb import Attributes, ConditionFailed, Table
from shared.runtime import clock

PROJECT_BUSY = "project_busy"  # the reason of a reply that waits for `max_concurrent_turns`


@dataclass(frozen=True, slots=True)
class Waiting:
    """A due item: the conversation and the kind of work."""

    ref: str
    kind: DueKind


def put(
    table: Table,
    ref: str,
    kind: DueKind,
    at_ms: int,
    *,
    reason: str | None = None,
    message_sk: str | None = None,
    waiting_since: str | None = None,
) -> None:
    """
    Schedule work. If it is scheduled already, the time is replaced and `first_due_at` stays.

    *waiting_since* replaces `first_due_at`: the work that is scheduled already may wait for another reason.
    """
    facts = Due.named(
        kind=kind,
        due_bucket=identifiers.bucket_of(ref, DUE_BUCKETS),
        due_at=clock.to_text(at_ms),
        reason=reason,
        message_sk=message_sk,
    )
    began = Due.named(first_due_at=clock.to_text(clock.now_ms()))
    if waiting_since is not None:
        facts, began = {**facts, **Due.named(first_due_at=waiting_since)}, {}
    where = of(ref, Due.sk(kind))
    table.update(where, put={**facts, "item_type": Due.item_type}, put_once=began)


def get(table: Table, ref: str, kind: DueKind) -> Due | None:
    """Return the scheduled work of a kind, strongly consistent, or None."""
    item = table.get(of(ref, Due.sk(kind)))
    return Due.read(item) if item else None


def get_many(table: Table, waiting: Sequence[Waiting]) -> dict[Waiting, Due]:
    """Return the scheduled work of several conversations, strongly consistent, without what is done."""
    items = table.get_many([of(one.ref, Due.sk(one.kind)) for one in waiting])
    return {_waiting(item): Due.read(item) for item in items}


def done(table: Table, ref: str, kind: DueKind) -> None:
    """Delete the scheduled work of a kind. Idempotent."""
    table.delete(of(ref, Due.sk(kind)))


def list_due(table: Table, limit: int) -> list[Waiting]:
    """Return due work, at most *limit* per partition, the oldest of each first; eventually consistent."""
    now = clock.to_text(clock.now_ms())
    waiting: list[Waiting] = []
    for bucket in range(DUE_BUCKETS):
        condition = Key("due_bucket").eq(str(bucket)) & Key("due_at").lte(now)
        items, _ = table.query(DUE_INDEX, condition, limit=limit)
        waiting += map(_waiting, items)
    return waiting


def _waiting(item: Attributes) -> Waiting:
    return Waiting(
        ref=str(item[PARTITION_KEY]).partition("#")[2],
        kind=DueKind(str(item[SORT_KEY]).partition("#")[2]),
    )


def postpone(table: Table, waiting: Waiting, seen: Due, at_ms: int) -> bool:
    """Postpone work if it is unchanged since *seen*, so that concurrent sweepers enqueue it once; False if changed."""
    same = Due.attr("due_at").eq(seen.due_at)
    facts = Due.named(due_at=clock.to_text(at_ms), attempts=seen.attempts + 1)
    try:
        table.update(of(waiting.ref, Due.sk(waiting.kind)), put=facts, when=same)
    except ConditionFailed:
        return False
    return True
