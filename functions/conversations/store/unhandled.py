"""What nobody could place or handle."""

from collections.abc import Collection
from contextlib import suppress

from boto3.dynamodb.conditions import Key

from conversations.store import orphans
from conversations.store.items.base import PARTITION_KEY, SORT_KEY, key
from conversations.store.items.records import DeadLetter, Parked, Rate, Unmatched
from shared import clock
from shared.aws.dynamodb import Attributes, ConditionFailed, Table
from shared.rate_limits.fixed_window import Quotas
from shared.recovery import quota

_DAY = len("2026-03-01")


def park(table: Table, at: str, parked: Parked) -> None:
    """Keep an event that can never be handled. The same event is kept once for each time."""
    where = _parked(at, parked.parked_id)
    orphans.lead(table, parked.subjects, where, parked.ttl)
    table.put(parked.attributes(where))


def has_room(table: Table, subject: str) -> bool:
    """Count one parked event of a subject for today; False above the quota."""
    quotas = Quotas(table, lambda one: key(Rate.partition("parked", one)))
    return quota.has_room(quotas, subject)


def one_parked(table: Table, at: str, parked_id: str) -> Parked | None:
    """One event that was parked at a time."""
    item = table.get(_parked(at, parked_id))
    return Parked.read(item) if item else None


def newest_parked(
    table: Table, day: str, start: Attributes | None
) -> tuple[list[tuple[str, Parked]], Attributes | None]:
    """One page of what was parked on a day, newest first, each with its time, and the key to go on from."""
    condition = Key(PARTITION_KEY).eq(Parked.partition(day))
    items, last = table.query(None, condition, start=start, newest_first=True)
    alive = [item for item in items if not clock.is_over(item.get("ttl"))]
    return [(str(item[SORT_KEY]).partition("#")[0], Parked.read(item)) for item in alive], last


def note_replay(table: Table, at: str, parked_id: str, number: int) -> None:
    """Say that a parked event is on its queue again. Safe to repeat; the highest number stands."""
    replays = Parked.attr("replays")
    is_newer = replays.not_exists() | replays.lt(number)
    facts = Parked.named(replays=number, replayed_at=clock.to_text(clock.now_ms()))
    with suppress(ConditionFailed):  # Gone, or put back once more meanwhile.
        table.update(
            _parked(at, parked_id), put=facts, when=Parked.attr("parked_id").exists() & is_newer
        )


def _parked(at: str, parked_id: str) -> Attributes:
    return key(Parked.partition(at[:_DAY]), Parked.sk(at, parked_id))


def note_dead_letter(table: Table, body_hash: str, note: DeadLetter) -> None:
    """Keep why an event becomes a dead letter. Safe to repeat; the newest death stands."""
    table.put(note.attributes(key(DeadLetter.partition(body_hash))))


def why_dead(table: Table, body_hashes: list[str]) -> dict[str, DeadLetter]:
    """What is known of at most 100 dead letters, by the hashes of their bodies."""
    wanted = {DeadLetter.partition(one): one for one in body_hashes}
    found = table.get_many([key(pk) for pk in wanted]) if wanted else []
    return {wanted[str(item[PARTITION_KEY])]: DeadLetter.read(item) for item in found}


def keep_unmatched(
    table: Table, company_id: str, unmatched: Unmatched, subjects: Collection[str]
) -> None:
    """Keep a message that belongs to no conversation; *subjects* lead to it. Safe to repeat."""
    where = position(company_id, unmatched)
    orphans.lead(table, subjects, where, unmatched.ttl)
    try:
        table.put(unmatched.attributes(where), when=Unmatched.attr("unmatched_id").not_exists())
    except ConditionFailed:
        return


def unmatched(
    table: Table, company_id: str, limit: int, start: Attributes | None
) -> tuple[list[Unmatched], Attributes | None]:
    """One page of a company's messages that belong to no conversation, newest first."""
    condition = Key(PARTITION_KEY).eq(Unmatched.partition(company_id))
    items, last = table.query(None, condition, limit=limit, start=start, newest_first=True)
    return [Unmatched.read(item) for item in items if not clock.is_over(item.get("ttl"))], last


def one_unmatched(table: Table, company_id: str, sk: str) -> Unmatched | None:
    """One message of them, by its sort key."""
    item = table.get({PARTITION_KEY: Unmatched.partition(company_id), SORT_KEY: sk})
    return Unmatched.read(item) if item else None


def attach(table: Table, company_id: str, sk: str, ref: str, by: Attributes) -> bool:
    """
    Note where a message was placed; False where it was placed elsewhere, or is gone. Safe to repeat.

    *by* says who placed it (`Unmatched.named`); the first call's stays.
    """
    where = {PARTITION_KEY: Unmatched.partition(company_id), SORT_KEY: sk}
    attached_to = Unmatched.attr("attached_to")
    is_free = attached_to.not_exists() | attached_to.eq(ref)
    # Also where the update below is refused, which leaves an item that leads to another's message until it expires.
    orphans.lead(table, [ref], where, Unmatched.time_to_live())
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
    """The sort key of a message that belongs to no conversation."""
    return Unmatched.sk(unmatched.received_at, unmatched.unmatched_id)


def position(company_id: str, unmatched: Unmatched) -> Attributes:
    """Where a page ends that ends with this message."""
    return key(Unmatched.partition(company_id), sk_of(unmatched))
