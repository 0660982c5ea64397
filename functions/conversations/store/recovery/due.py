"""Scheduled work, at most one item per kind and conversation; found by a sparse index over four partitions."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from boto3.dynamodb.conditions import Key

from conversations.store.items import identifiers
from conversations.store.items.base import PARTITION_KEY, SORT_KEY
from conversations.store.items.conversation import ChannelMethod
from conversations.store.items.log import of
from conversations.store.items.parts.due import DUE_BUCKETS, DUE_INDEX, OF_COMPANY, Due, DueKind
from shared.aws.dynamodb import Attributes, ConditionFailed, Table
from shared.aws.workers import fair_shares
from shared.runtime import clock

_AFTER_ANY_COMPANY = "~"  # sorts after OF_COMPANY
LEFT_A_QUEUE = frozenset({DueKind.QUEUED, DueKind.QUEUED_REPLY})
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
    company: str,
    reason: str | None = None,
    message_sk: str | None = None,
    step: int | None = None,
    waiting_since: str | None = None,
) -> None:
    """
    Schedule work. If it is scheduled already, the time is replaced and `first_due_at` stays.

    *waiting_since* replaces `first_due_at`: the work that is scheduled already may wait for another reason.
    """
    facts = Due.named(
        kind=kind,
        due_bucket=identifiers.bucket_of(ref, DUE_BUCKETS),
        due_at=_due_at(at_ms, company),
        reason=reason,
        message_sk=message_sk,
        step=step,
    )
    began = Due.named(first_due_at=clock.to_text(clock.now_ms()))
    if waiting_since is not None:
        facts, began = {**facts, **Due.named(first_due_at=waiting_since)}, {}
    where = of(ref, Due.sk(kind))
    table.update(where, put={**facts, "item_type": Due.item_type}, put_once=began)


def put_back(
    table: Table, ref: str, channel: ChannelMethod | None, body: str, *, company: str
) -> None:
    """
    Keep a record that leaves the queue of a *channel*, None for the queue of replies, until a sweep hands it over.

    The newest record of a queue replaces an earlier one: it does the same or more, since both have waited.
    """
    kind = DueKind.QUEUED if channel else DueKind.QUEUED_REPLY
    facts = Due.named(
        kind=kind,
        due_bucket=identifiers.bucket_of(ref, DUE_BUCKETS),
        due_at=_due_at(clock.now_ms(), company),
        channel_method=channel,
        body=body,
    )
    table.update(of(ref, Due.sk(kind)), put={**facts, "item_type": Due.item_type})


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


def done_for(table: Table, ref: str, kind: DueKind, message_sk: str) -> None:
    """Delete the scheduled work of a kind if it is about this message. Idempotent."""
    with suppress(ConditionFailed):
        table.delete(of(ref, Due.sk(kind)), when=Due.attr("message_sk").eq(message_sk))


def taken(table: Table, waiting: Waiting, seen: Due) -> None:
    """Delete work that was handed over, unless it has changed since *seen*. Idempotent."""
    with suppress(ConditionFailed):
        table.delete(of(waiting.ref, Due.sk(waiting.kind)), when=Due.attr("due_at").eq(seen.due_at))


def list_due(table: Table, most: int, may_read: Callable[[], bool]) -> list[Waiting]:
    """
    Return due work, at most *most*, divided among companies; the oldest of each first; eventually consistent.

    Reads all entries of the index, while *may_read*: work of one company is found behind work of another one.
    """
    now = clock.to_text(clock.now_ms()) + _AFTER_ANY_COMPANY
    counts: dict[str, int] = defaultdict(int)
    found: dict[str, list[tuple[str, Waiting]]] = defaultdict(list)
    for bucket in range(DUE_BUCKETS):
        condition = Key("due_bucket").eq(str(bucket)) & Key("due_at").lte(now)
        of_bucket: dict[str, int] = defaultdict(int)
        start: Attributes | None = None
        while True:
            items, start = table.query(DUE_INDEX, condition, start=start)
            for item in items:
                at, _, company = str(item["due_at"]).partition(OF_COMPANY)
                counts[company] += 1
                of_bucket[company] += 1
                if of_bucket[company] <= most:
                    found[company].append((at, _waiting(item)))
            if start is None or not may_read():
                break
    shares = fair_shares.divide(most, counts)
    return [
        waiting
        for company, works in found.items()
        for _, waiting in sorted(works, key=lambda work: work[0])[: shares[company]]
    ]


def _due_at(at_ms: int, company: str) -> str:
    return f"{clock.to_text(at_ms)}{OF_COMPANY}{company}"


def _waiting(item: Attributes) -> Waiting:
    return Waiting(
        ref=str(item[PARTITION_KEY]).partition("#")[2],
        kind=DueKind(str(item[SORT_KEY]).partition("#")[2]),
    )


def postpone(table: Table, waiting: Waiting, seen: Due, at_ms: int, company: str) -> bool:
    """Postpone work if it is unchanged since *seen*, so that concurrent sweepers enqueue it once; False if changed."""
    same = Due.attr("due_at").eq(seen.due_at)
    facts = Due.named(due_at=_due_at(at_ms, company), attempts=seen.attempts + 1)
    try:
        table.update(of(waiting.ref, Due.sk(waiting.kind)), put=facts, when=same)
    except ConditionFailed:
        return False
    return True
