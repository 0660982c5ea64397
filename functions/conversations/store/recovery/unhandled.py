"""Parked events, dead-letter reasons, unmatched messages, and the index from subjects to them (`Stray` items)."""

from collections.abc import Collection, Iterator
from contextlib import suppress

from boto3.dynamodb.conditions import Key

from conversations.store.items.base import PARTITION_KEY, SORT_KEY, key
from conversations.store.items.records import DeadLetter, Parked, Rate, Stray, Unmatched
from shared.aws.dynamodb import Attributes, ConditionFailed, Table
from shared.aws.tables.rate_limits.fixed_window import Quotas
from shared.events.recovery import quota
from shared.runtime import clock

LONGER_SECONDS = 7 * clock.DAY_SECONDS
_DAY = len("2026-03-01")


def park(table: Table, at: str, parked: Parked) -> None:
    """Store an event that can never be handled, one item per time at which it was parked."""
    where = parked_key(at, parked.parked_id)
    _add_entries(table, parked.subjects, where, parked.ttl)
    table.put(parked.attributes(where))


def has_room(table: Table, subject: str) -> bool:
    """Count one parked event of a subject for today; False above the quota."""
    quotas = Quotas(table, lambda subject_id: key(Rate.partition("parked", subject_id)))
    return quota.has_room(quotas, subject)


def one_parked(table: Table, at: str, parked_id: str) -> Parked | None:
    """Return the event with this id that was parked at a time, or None."""
    item = table.get(parked_key(at, parked_id))
    return Parked.read(item) if item else None


def newest_parked(
    table: Table, *, limit: int, start: Attributes | None
) -> tuple[list[tuple[str, Parked]], Attributes | None]:
    """
    Return up to *limit* parked events with their times, newest first, and the key at which the next page starts.

    Events are stored by the day on which they were parked; days without any cost one query each.
    """
    events: list[tuple[str, Parked]] = []
    for day in _days_until_expiry(str(start[SORT_KEY]) if start else None):
        items, last = table.query(
            None,
            Key(PARTITION_KEY).eq(Parked.partition(day)),
            limit=limit - len(events),
            start=start,
            newest_first=True,
        )
        alive = [item for item in items if not clock.is_over(item.get("ttl"))]
        events += [(str(item[SORT_KEY]).partition("#")[0], Parked.read(item)) for item in alive]
        if last is not None:
            return events, last
        start = None
        if len(events) == limit:
            at, parked = events[-1]
            return events, parked_key(at, parked.parked_id)
    return events, None


def many_parked(table: Table, item_keys: list[Attributes]) -> list[tuple[str, Parked]]:
    """Return the existing ones of at most 100 parked events with these keys, each with its time, in this order."""
    events = {str(item[SORT_KEY]): Parked.read(item) for item in table.get_many(item_keys)}
    ordered = [str(item_key[SORT_KEY]) for item_key in item_keys]
    return [(sk.partition("#")[0], events[sk]) for sk in ordered if sk in events]


def _days_until_expiry(newest: str | None) -> Iterator[str]:
    """Yield the days on which events that still exist were parked, from the day of *newest* or from today."""
    now = clock.now_ms()
    for age in range((Parked.ttl_days or 0) + 1):
        day = clock.to_text(now - age * clock.DAY_SECONDS * clock.SECOND_MS)[:_DAY]
        if newest is None or day <= newest[:_DAY]:
            yield day


def note_replay(
    table: Table, at: str, parked_id: str, number: int, *, replayed_at: str, by: str
) -> None:
    """Record the replay of a parked event, and its caller. Idempotent; the highest number wins."""
    replays = Parked.attr("replays")
    is_newer = replays.not_exists() | replays.lt(number)
    facts = Parked.named(replays=number, replayed_at=replayed_at, replayed_by=by)
    with suppress(ConditionFailed):  # Deleted, or replayed again meanwhile.
        table.update(
            parked_key(at, parked_id), put=facts, when=Parked.attr("parked_id").exists() & is_newer
        )


def parked_key(at: str, parked_id: str) -> Attributes:
    """Return the whole key of an event that was parked at this time."""
    return key(Parked.partition(at[:_DAY]), Parked.sk(at, parked_id))


def note_dead_letter(table: Table, body_hash: str, note: DeadLetter) -> None:
    """Store the reason of a dead letter. Idempotent; the newest failure wins."""
    table.put(note.attributes(key(DeadLetter.partition(body_hash))))


def dead_letter_notes(table: Table, body_hashes: list[str]) -> dict[str, DeadLetter]:
    """Return the stored reasons of at most 100 dead letters, by the hashes of their bodies."""
    hashes_by_key = {DeadLetter.partition(body_hash): body_hash for body_hash in body_hashes}
    items = table.get_many([key(pk) for pk in hashes_by_key]) if hashes_by_key else []
    return {hashes_by_key[str(item[PARTITION_KEY])]: DeadLetter.read(item) for item in items}


def keep_unmatched(
    table: Table, company_id: str, unmatched: Unmatched, subjects: Collection[str]
) -> None:
    """Store an unmatched message and index it under *subjects*. Idempotent."""
    where = position(company_id, unmatched)
    _add_entries(table, subjects, where, unmatched.ttl)
    try:
        table.put(unmatched.attributes(where), when=Unmatched.attr("unmatched_id").not_exists())
    except ConditionFailed:
        return


def unmatched(
    table: Table, company_id: str, limit: int, start: Attributes | None
) -> tuple[list[Unmatched], Attributes | None]:
    """Return one page of a company's unmatched messages, newest first, and the key of the next page."""
    condition = Key(PARTITION_KEY).eq(Unmatched.partition(company_id))
    items, last = table.query(None, condition, limit=limit, start=start, newest_first=True)
    return [Unmatched.read(item) for item in items if not clock.is_over(item.get("ttl"))], last


def one_unmatched(table: Table, company_id: str, sk: str) -> Unmatched | None:
    """Return one unmatched message by its sort key, or None."""
    item = table.get({PARTITION_KEY: Unmatched.partition(company_id), SORT_KEY: sk})
    return Unmatched.read(item) if item else None


def attach(table: Table, company_id: str, sk: str, ref: str, by: Attributes) -> bool:
    """
    Record the conversation to which a message is attached; False if it is attached elsewhere or gone. Idempotent.

    *by* holds agent and caller (`Unmatched.named`); the values of the first call are kept.
    """
    where = {PARTITION_KEY: Unmatched.partition(company_id), SORT_KEY: sk}
    attached_to = Unmatched.attr("attached_to")
    is_free = attached_to.not_exists() | attached_to.eq(ref)
    # Also written if the update below is refused: the index entry then points to another's message until it expires.
    _add_entries(table, [ref], where, Unmatched.time_to_live())
    try:
        table.update(
            where,
            put=Unmatched.named(attached_to=ref),
            put_once=by,
            when=Unmatched.attr("unmatched_id").exists() & is_free,
        )
    except ConditionFailed:
        return False
    return True


def sk_of(unmatched: Unmatched) -> str:
    """Return the sort key of an unmatched message."""
    return Unmatched.sk(unmatched.received_at, unmatched.unmatched_id)


def position(company_id: str, unmatched: Unmatched) -> Attributes:
    """Return the whole key of an unmatched message, at which a page can end."""
    return key(Unmatched.partition(company_id), sk_of(unmatched))


def _add_entries(table: Table, subjects: Collection[str], to: Attributes, ttl: int | None) -> None:
    """Index the item with the key *to* under each subject. Call it before that item is written. Idempotent."""
    # DynamoDB deletes some days late and in no order: an index entry has to exist as long as its item.
    ttl = ttl + LONGER_SECONDS if ttl else None
    stray = Stray(stray_pk=to[PARTITION_KEY], stray_sk=to[SORT_KEY], ttl=ttl)
    for subject in subjects:
        table.put(stray.attributes(entry_key(subject, to)))


def indexed(table: Table, subject: str) -> Iterator[Attributes]:
    """
    Yield the keys of all items indexed under a subject, including expired ones.

    An indexed item may be deleted or not written yet.
    """
    start: Attributes | None = None
    while True:
        item_keys, start = indexed_page(table, subject, start=start)
        yield from item_keys
        if start is None:
            return


def indexed_page(
    table: Table,
    subject: str,
    *,
    limit: int | None = None,
    start: Attributes | None = None,
    newest_first: bool = False,
) -> tuple[list[Attributes], Attributes | None]:
    """Return one page of the keys that `indexed` yields, and the key at which the next page starts."""
    items, last = table.query(
        None,
        Key(PARTITION_KEY).eq(Stray.partition(subject)),
        limit=limit,
        start=start,
        newest_first=newest_first,
    )
    strays = map(Stray.read, items)
    return [key(stray.stray_pk, stray.stray_sk) for stray in strays], last


def forget_entries(table: Table, subjects: Collection[str], to: Attributes) -> None:
    """Delete the index entries of an item under these subjects. Idempotent."""
    for subject in subjects:
        table.delete(entry_key(subject, to))


def entry_key(subject: str, to: Attributes) -> Attributes:
    """Return the whole key of the index entry of an item under a subject."""
    return key(Stray.partition(subject), Stray.sk(str(to[PARTITION_KEY]), str(to[SORT_KEY])))
