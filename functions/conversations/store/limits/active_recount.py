"""
The recount of a project's active conversations.

It goes through the list part by part, a part being the entries with the same beginning of `ref`. It corrects the
number of a part only if that did not change while the part was read.
"""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Self

from boto3.dynamodb.conditions import Attr, ConditionBase, Key

from conversations.store.items.base import PARTITION_KEY, SORT_KEY, key
from conversations.store.items.routes import Active, ActiveShard, Open
from conversations.store.limits import active_count
from conversations.store.limits.active_count import change, is_counted, read, transact
from shared.aws.dynamodb import (
    MOST_IN_TRANSACTION,
    Attributes,
    ConditionFailed,
    Table,
)
from shared.runtime import clock

ACTIVE_HOURS = 72
RECOUNT_EVERY_MS = 60 * clock.SECOND_MS
# A key of refs makes 32 parts. A call compares some of them, within the time of a request.
PARTS_A_CALL = 16
MOST_WRONG = 1_000  # of a part, in memory; the next recount changes the others
_START, _AFTER = "-", "~"  # before and after every character of refs
_COUNTED_FIELDS = ("ref", "last_activity_at", "begins_by", "is_counted")
_AT_ONCE = MOST_IN_TRANSACTION - 1  # beside the count
# Another worker may change a part between two attempts.
_ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class _Before:
    """The count, and the shards of it that may have conversations of a part, before the part is read."""

    count: Active
    shards: dict[str, ActiveShard]

    def number_of(self, part: str) -> int:
        """Return the number of a part, the sum of all these items."""
        return sum(one.in_part(part)[0] for one in (self.count, *self.shards.values()))


@dataclass(frozen=True, slots=True)
class _Flag:
    """The fields of an entry that decide whether it is counted."""

    ref: str
    last_activity_at: str
    begins_by: str | None
    is_counted: bool

    @classmethod
    def read(cls, item: Attributes) -> Self:
        """Parse the fields of a stored entry."""
        return cls(
            str(item["ref"]),
            str(item["last_activity_at"]),
            item.get("begins_by"),
            bool(item.get("is_counted")),
        )


def recount(table: Table, company_id: str, project_id: str, seen: Active | None = None) -> bool:
    """
    Compare the counts with some parts of the list; return False if no recount is due. Safe to repeat.

    *seen*: the count, if the caller has just read it.

    A recount begins RECOUNT_EVERY_MS after the last one, and is continued by the next calls. It corrects the count
    where entries expired, stops counting idle conversations, and counts active conversations that an earlier release
    listed. A part is corrected if its number did not change while it was read, so changes meanwhile are neither lost
    nor counted twice. Raises Transient as above.
    """
    where = key(Active.partition(company_id, project_id))
    seen = seen or read(table, company_id, project_id)
    position = _begun(table, where, seen)
    if position is None:
        return False
    found = active_count.shards(table, company_id, project_id, seen).values()
    of_shards = {part for shard in found for part in shard.parts}
    for _ in range(PARTS_A_CALL):
        part = _next_part(table, company_id, project_id, position, of_shards)
        if part is None:
            _end(table, company_id, project_id)
            return True
        _recount_part(table, company_id, project_id, part)
        try:
            is_ours = Active.attr("position").eq(position)
            table.update(where, put=Active.named(position=part), when=is_ours)
        except ConditionFailed:
            return True  # Another request continues.
        position = part
    return True


def _begun(table: Table, where: Attributes, seen: Active) -> str | None:
    """Return the position of the recount under way, or of one that begins now; None if none is due."""
    if seen.position is not None:
        return seen.position
    now = clock.now_ms()
    earlier = clock.to_text(now - RECOUNT_EVERY_MS)
    # Until the first count is complete, every request counts: a refusal would be wrong.
    is_due = Active.attr("is_complete").not_exists() | Active.attr("recounted_at").lt(earlier)
    began = {"item_type": Active.item_type} | Active.named(
        recounted_at=clock.to_text(now), position=_START
    )
    try:
        table.update(where, put=began, when=is_due & Active.attr("position").not_exists())
    except ConditionFailed:
        return None
    return _START


def _next_part(
    table: Table, company_id: str, project_id: str, position: str, of_shards: AbstractSet[str]
) -> str | None:
    """Return the first part after *position* that has entries, or numbers other than 0."""
    entries: ConditionBase = Key(PARTITION_KEY).eq(Open.partition(company_id, project_id))
    if position != _START:
        entries &= Key(SORT_KEY).gt(f"{position}{_AFTER}")
    items, _ = table.query(None, entries, limit=1, fields=(SORT_KEY,))
    numbers = read(table, company_id, project_id).parts
    counted = {part for part, number in numbers.items() if number} | of_shards
    parts = [part for part in counted if part > position]
    return min(parts + [Active.part_of(str(item[SORT_KEY])) for item in items], default=None)


def _recount_part(table: Table, company_id: str, project_id: str, part: str) -> None:
    """Correct the number of a part, then change the entries whose flag is wrong."""
    wrong: list[_Flag] = []
    for _ in range(_ATTEMPTS):
        before = _before(table, company_id, project_id, part)
        counted, wrong = _read_part(table, company_id, project_id, part)
        if _is_corrected(table, company_id, project_id, part, before, counted):
            break
    for flag in (False, True):
        openings = [one for one in wrong if one.is_counted == flag]
        for first in range(0, len(openings), _AT_ONCE):
            _flag(table, company_id, project_id, openings[first : first + _AT_ONCE])


def _before(table: Table, company_id: str, project_id: str, part: str) -> _Before:
    count = read(table, company_id, project_id)
    names = ActiveShard.names_of_part(part)
    shards = active_count.shards_named(table, company_id, project_id, count, names)
    return _Before(count, shards)


def _is_corrected(  # noqa: PLR0917 - the key, and the part before and after its read
    table: Table, company_id: str, project_id: str, part: str, before: _Before, counted: int
) -> bool:
    """Set the number of a part; return False if it changed since *before*."""
    drift = counted - before.number_of(part)
    if not drift:
        return True
    number, changes = Active.names_of(part)
    # The correction is a change, too: a repetition of it, and one of another request, find that.
    add = {number: drift, changes: 1} | Active.named(changes=1)
    split = Active.attr("is_split")
    same = _is_unchanged(Attr(changes), before.count.in_part(part)[1])
    if before.count.is_split:
        add |= Active.named(active=drift)
        same &= split.eq(True)
    else:  # `active` has entries that no part has; the end of this recount sets it.
        same &= split.not_exists()
    if before.count.most is None:  # Shards that begin meanwhile would count the changes.
        same &= Active.attr("most").not_exists()
    where = key(Active.partition(company_id, project_id))
    unchanged = [
        table.to_update(
            key(ActiveShard.partition(company_id, project_id, name)),
            add={changes: 1},
            when=_is_unchanged(Attr(changes), shard.in_part(part)[1]),
        )
        for name, shard in before.shards.items()
    ]
    if unchanged:
        return transact(table, unchanged, table.to_update(where, add=add, when=same))
    try:
        table.update(where, add=add, when=same)
    except ConditionFailed:
        return False
    return True


def _read_part(
    table: Table, company_id: str, project_id: str, part: str
) -> tuple[int, list[_Flag]]:
    """
    Return how many entries of a part are counted, and at most MOST_WRONG of those that should not be, or should.

    Includes entries that expired and are not deleted yet: their removal would be subtracted.
    """
    of_project = Key(PARTITION_KEY).eq(Open.partition(company_id, project_id))
    entries = of_project & Key(SORT_KEY).begins_with(part)
    counted, wrong = 0, list[_Flag]()
    start: Attributes | None = None
    while True:
        items, start = table.query(None, entries, start=start, fields=_COUNTED_FIELDS)
        for item in items:
            opening = _Flag.read(item)
            counted += opening.is_counted
            if _is_active(opening) != opening.is_counted and len(wrong) < MOST_WRONG:
                wrong.append(opening)
        if start is None:
            return counted, wrong


def _end(table: Table, company_id: str, project_id: str) -> None:
    """End the recount after its last part; the first one with parts sets the sum of them."""
    where = key(Active.partition(company_id, project_id))
    for _ in range(_ATTEMPTS):
        seen = read(table, company_id, project_id)
        done = Active.named(is_complete=True, is_split=True)
        if seen.most is None:
            done |= Active.named(active=sum(seen.parts.values()))
        empty = [name for part, n in seen.parts.items() if not n for name in Active.names_of(part)]
        unchanged = _is_unchanged(Active.attr("changes"), seen.changes)
        try:
            table.update(where, put=done, drop=["position", *empty], when=unchanged)
        except ConditionFailed:
            continue  # A change meanwhile.
        return
    if seen.is_split:  # The sum is right without it. Otherwise the next call ends the recount.
        table.update(where, drop=["position"])


def _is_unchanged(changes: Attr, seen: int) -> ConditionBase:
    return changes.eq(seen) if seen else changes.not_exists()


def _is_active(opening: _Flag) -> bool:
    now = clock.now_ms()
    if opening.begins_by:
        return opening.begins_by > clock.to_text(now)
    return opening.last_activity_at >= clock.to_text(now - ACTIVE_HOURS * clock.HOUR_MS)


def _flag(table: Table, company_id: str, project_id: str, openings: list[_Flag]) -> None:
    """Count conversations that are not counted, or the reverse; changed ones stay as they are."""
    writes = [
        table.to_update(
            key(Open.partition(company_id, project_id), opening.ref),
            put=Open.named(is_counted=not opening.is_counted),
            when=_is_as_read(opening),
        )
        for opening in openings
    ]
    by = -len(writes) if openings[0].is_counted else len(writes)
    ref = openings[0].ref  # All of them are in its part.
    if not transact(table, writes, change(table, company_id, project_id, ref, by)):
        for opening in openings if len(openings) > 1 else ():
            _flag(table, company_id, project_id, [opening])


def _is_as_read(opening: _Flag) -> ConditionBase:
    flag = is_counted() if opening.is_counted else ~is_counted()
    begins_by = Open.attr("begins_by")
    begun = begins_by.eq(opening.begins_by) if opening.begins_by else begins_by.not_exists()
    return Open.attr("last_activity_at").eq(opening.last_activity_at) & flag & begun
