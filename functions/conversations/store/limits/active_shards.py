"""
Shards of a project's count, for rates at which the writers of one item conflict.

    count    `active` = counted conversations + free places of all shards, at most the limit
    shard    a new entry takes a free place, a removed one leaves it: the count is not written

A shard without a free place takes a block of the count's, one with many returns a block: in the transaction of the
entry, so the limit is exact. Only limits from SHARDED_FROM on have shards, and a process uses them after a conflict.
Their places are of one limit. Before it changes, or is exceeded by conversations that need no place, all are returned.
"""

from contextlib import suppress
from functools import partial

from boto3.dynamodb.conditions import ConditionBase

from conversations.store.items.base import key
from conversations.store.items.routes import Active, ActiveShard
from conversations.store.limits import active_count
from shared.aws.dynamodb import (
    Attributes,
    ConditionFailed,
    Table,
    TransactionConflict,
    TransactionRefused,
    repeated,
)
from shared.runtime import clock
from shared.runtime.failures import Transient

# A shard takes and returns a block, and keeps fewer than MOST_FREE places: all 64 shards at most 3,072.
BLOCK, MOST_FREE = 32, 48
SHARDED_FROM = 5_000
USED_FOR_MS = 300 * clock.SECOND_MS
# Twice the time for which a process may still know an earlier limit.
LIMIT_SETTLES_MS = 60 * clock.SECOND_MS

CLOSED = 0  # as the limit: the shards have no places

# The time of this process's last conflict at the count of a project.
_conflicts: dict[tuple[str, str], int] = {}


def admit(  # noqa: PLR0917 - the key, and the entry
    table: Table, company_id: str, project_id: str, new: Attributes, ref: str, most: int
) -> bool:
    """
    List a conversation with the write *new* and count it; return False at the limit. Idempotent.

    *new* fails if the entry exists: an earlier attempt has made it. Raises Transient after repeated conflicts.
    """
    return repeated(partial(_admit_once, table, company_id, project_id, new, ref, most))


def remove(table: Table, company_id: str, project_id: str, gone: Attributes, ref: str) -> bool:
    """
    Make the write *gone*, which removes a counted entry, and count one less; return False if it is not counted.

    Raises Transient after repeated conflicts.
    """
    return repeated(partial(_remove_once, table, company_id, project_id, gone, ref))


def keep(table: Table, company_id: str, project_id: str, new: Attributes, ref: str) -> bool:
    """
    Make the write *new* of an entry that is not counted, and count it without a limit; return False if it is counted.

    Above the limit shards have no free places: they would admit conversations. Raises Transient as above.
    """
    most = Active.attr("most")
    is_below = most.not_exists() | Active.attr("active").lt(most)
    try:
        table.transact(new, active_count.change(table, company_id, project_id, ref, 1, is_below))
    except TransactionRefused as refusal:
        if 0 in refusal.positions:
            return False
    else:
        return True
    seen = active_count.read(table, company_id, project_id)
    if not _is_closed(table, company_id, project_id, seen):
        raise Transient("open_list_conflict")
    one_more = active_count.change(table, company_id, project_id, ref, 1)
    return active_count.transact(table, [new], one_more)


def reclaim(table: Table, company_id: str, project_id: str, seen: Active) -> bool:
    """Return the free places of the shard with most of them to the count; False if no shard has one."""
    shards = active_count.shards(table, company_id, project_id, seen)
    for name, shard in sorted(shards.items(), key=lambda one: -one[1].free):
        if shard.free <= 0:
            return False
        if _is_returned(table, company_id, project_id, name, shard):
            return True
    return False


def _admit_once(  # noqa: PLR0917 - as `admit`
    table: Table, company_id: str, project_id: str, new: Attributes, ref: str, most: int
) -> bool:
    is_below = Active.attr("is_complete").eq(True) & Active.attr("active").lt(most)
    one_more = active_count.change(table, company_id, project_id, ref, 1, is_below)
    if most < SHARDED_FROM:
        return _is_made(table, new, one_more)
    if _is_used(company_id, project_id):
        return _takes_free(table, company_id, project_id, new, ref, most) or _is_made(
            table, new, one_more
        )
    try:
        return _is_made(table, new, one_more)
    except TransactionConflict:
        _conflicts[company_id, project_id] = clock.now_ms()
        raise


def _remove_once(
    table: Table, company_id: str, project_id: str, gone: Attributes, ref: str
) -> bool:
    is_used = _is_used(company_id, project_id)
    if is_used:
        is_removed = _leaves_free(table, company_id, project_id, gone, ref)
        if is_removed is not None:
            return is_removed
    one_less = active_count.change(table, company_id, project_id, ref, -1)
    try:
        table.transact_once(gone, one_less)
    except TransactionRefused:
        return False
    except TransactionConflict:
        if not is_used and active_count.read(table, company_id, project_id).most is not None:
            _conflicts[company_id, project_id] = clock.now_ms()
        raise
    return True


def _is_used(company_id: str, project_id: str) -> bool:
    at = _conflicts.get((company_id, project_id))
    return at is not None and clock.now_ms() < at + USED_FOR_MS


def _takes_free(  # noqa: PLR0917 - as `admit`
    table: Table, company_id: str, project_id: str, new: Attributes, ref: str, most: int
) -> bool:
    """List a conversation and count it in its shard; False if neither shard nor count has places for it."""
    has_free = ActiveShard.attr("free").gte(1) & ActiveShard.attr("most").eq(most)
    one = _change(table, company_id, project_id, ref, free=-1, number=1, when=has_free)
    if _is_made(table, new, one):
        return True
    seen = active_count.read(table, company_id, project_id)
    if seen.most != most:
        _open(table, company_id, project_id, seen, most)
        return _is_made(table, new, one)
    # Near the limit a block is smaller, so that all shards find some.
    block = _block(seen, most)
    if block <= 1:
        return False
    granted = _change(table, company_id, project_id, ref, free=block - 1, number=1, most=most)
    has_block = Active.attr("most").eq(most) & Active.attr("active").lte(most - block)
    taken = _of_count(table, company_id, project_id, active=block, when=has_block)
    return _is_made(table, new, granted, taken)


def _leaves_free(
    table: Table, company_id: str, project_id: str, gone: Attributes, ref: str
) -> bool | None:
    """Remove an entry and count one less in its shard; False if it is not counted, None if there is no such shard."""
    free = ActiveShard.attr("free")
    left = _change(table, company_id, project_id, ref, free=1, number=-1, when=free.lt(MOST_FREE))
    fewer = _change(
        table, company_id, project_id, ref, free=1 - BLOCK, number=-1, when=free.gte(MOST_FREE)
    )
    returned = _of_count(table, company_id, project_id, active=-BLOCK)
    for writes in ([left], [fewer, returned]):
        try:
            table.transact_once(gone, *writes)
        except TransactionRefused as refusal:
            if 0 in refusal.positions:
                return False
        else:
            return True
    return None


def _block(seen: Active, most: int) -> int:
    return max(0, min(BLOCK, (most - seen.active) // len(ActiveShard.names)))


def _open(table: Table, company_id: str, project_id: str, seen: Active, most: int) -> None:
    """Give all shards free places of a limit, unless the last change was less than a minute ago."""
    now = clock.now_ms()
    if seen.most_since is not None and seen.most_since > clock.to_text(now - LIMIT_SETTLES_MS):
        return
    if not _is_closed(table, company_id, project_id, seen):
        return
    block = _block(seen, most) // 2
    stored = Active.attr("most")
    same: ConditionBase = stored.not_exists() if seen.most is None else stored.eq(CLOSED)
    same &= Active.attr("is_complete").eq(True) & Active.attr("is_split").eq(True)
    # All free places, also those that entries have left since, are below this limit then.
    same &= Active.attr("active").lte(most - block * len(ActiveShard.names))
    opened = [
        table.to_update(
            key(ActiveShard.partition(company_id, project_id, name)),
            put={"item_type": ActiveShard.item_type} | ActiveShard.named(most=most),
            add=ActiveShard.named(free=block),
        )
        for name in ActiveShard.names
    ]
    facts = Active.named(most=most, most_since=clock.to_text(now))
    taken = _of_count(
        table, company_id, project_id, active=block * len(opened), put=facts, when=same
    )
    with suppress(TransactionRefused):  # Another process has opened them.
        table.transact_once(*opened, taken)


def _is_closed(table: Table, company_id: str, project_id: str, seen: Active) -> bool:
    """Return all free places to the count, and let no shard take others; False if another process changes them."""
    if seen.most is None:
        return True
    facts = Active.named(most=CLOSED, most_since=clock.to_text(clock.now_ms()))
    same = Active.attr("most").eq(seen.most)
    if seen.most != CLOSED:
        try:
            table.update(key(Active.partition(company_id, project_id)), put=facts, when=same)
        except ConditionFailed:
            return False
    shards = active_count.shards(table, company_id, project_id, seen)
    return all(
        _is_returned(table, company_id, project_id, name, shard, drop=("most",))
        for name, shard in shards.items()
        if shard.free or shard.most is not None
    )


def _is_returned(  # noqa: PLR0917 - the key, and the shard as read
    table: Table,
    company_id: str,
    project_id: str,
    name: str,
    shard: ActiveShard,
    drop: tuple[str, ...] = (),
) -> bool:
    """Return all free places of a shard to the count; False if their number has changed."""
    none = table.to_update(
        key(ActiveShard.partition(company_id, project_id, name)),
        put=ActiveShard.named(free=0),
        drop=drop,
        when=ActiveShard.attr("free").eq(shard.free),
    )
    returned = _of_count(table, company_id, project_id, active=-shard.free)
    return active_count.transact(table, [none], returned)


def _change(
    table: Table,
    company_id: str,
    project_id: str,
    ref: str,
    *,
    free: int,
    number: int,
    most: int | None = None,
    when: ConditionBase | None = None,
) -> Attributes:
    """Return the change of the shard that has a `ref`. *most*: the limit of its free places from now on."""
    facts = {} if most is None else ActiveShard.named(most=most)
    numbers = ActiveShard.names_of(ActiveShard.part_of(ref))
    add = ActiveShard.named(free=free) | dict(zip(numbers, (number, 1), strict=True))
    where = key(ActiveShard.partition(company_id, project_id, ActiveShard.name_of(ref)))
    return table.to_update(where, put=facts, add=add, when=when)


def _of_count(
    table: Table,
    company_id: str,
    project_id: str,
    *,
    active: int,
    put: Attributes | None = None,
    when: ConditionBase | None = None,
) -> Attributes:
    """Return the change of the count by places that shards take or return."""
    add = Active.named(active=active, changes=1)
    return table.to_update(
        key(Active.partition(company_id, project_id)), put=put, add=add, when=when
    )


def _is_made(table: Table, new: Attributes, *counts: Attributes) -> bool:
    """Make all writes; return also True if an earlier attempt made them, False if a count has no place."""
    try:
        table.transact_once(new, *counts)
    except TransactionRefused as refusal:
        return 0 in refusal.positions
    return True
