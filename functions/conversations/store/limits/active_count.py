"""
The number of a project's active conversations: its changes with the list entries, and its recount.

A recount goes through the list part by part, a part being the entries with the same beginning of `ref`. It corrects
the number of a part only if that did not change while the part was read.
"""

from dataclasses import dataclass
from typing import Self

from boto3.dynamodb.conditions import Attr, ConditionBase, Key

from conversations.store.items.base import PARTITION_KEY, SORT_KEY, key
from conversations.store.items.routes import Active, Open
from shared.aws.dynamodb import (
    MOST_IN_TRANSACTION,
    Attributes,
    ConditionFailed,
    Table,
    TransactionRefused,
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


def change(  # noqa: PLR0917 - the key, and the change
    table: Table,
    company_id: str,
    project_id: str,
    ref: str,
    by: int,
    when: ConditionBase | None = None,
) -> Attributes:
    """Return the write of a change of the count, for the transaction with the list entry of a `ref`."""
    where = key(Active.partition(company_id, project_id))
    facts = {"item_type": Active.item_type}
    number, changes = Active.names_of(Active.part_of(ref))
    add = Active.named(active=by, changes=1) | {number: by, changes: 1}
    return table.to_update(where, put=facts, add=add, when=when)


def is_counted() -> ConditionBase:
    """Return the condition that an entry is counted."""
    return Open.attr("is_counted").eq(True)


def transact(table: Table, entries: list[Attributes], count: Attributes) -> bool:
    """Make all writes; return False if the condition of an entry does not hold."""
    try:
        table.transact(*entries, count)
    except TransactionRefused:
        return False
    return True


def recount(table: Table, company_id: str, project_id: str) -> bool:
    """
    Compare the counts with some parts of the list; return False if no recount is due. Safe to repeat.

    A recount begins RECOUNT_EVERY_MS after the last one, and is continued by the next calls. It corrects the count
    where entries expired, stops counting idle conversations, and counts active conversations that an earlier release
    listed. A part is corrected if its number did not change while it was read, so changes meanwhile are neither lost
    nor counted twice. Raises Transient as above.
    """
    where = key(Active.partition(company_id, project_id))
    position = _begun(table, where)
    if position is None:
        return False
    for _ in range(PARTS_A_CALL):
        part = _next_part(table, company_id, project_id, position)
        if part is None:
            _end(table, where)
            return True
        _recount_part(table, company_id, project_id, part)
        try:
            is_ours = Active.attr("position").eq(position)
            table.update(where, put=Active.named(position=part), when=is_ours)
        except ConditionFailed:
            return True  # Another request continues.
        position = part
    return True


def _begun(table: Table, where: Attributes) -> str | None:
    """Return the position of the recount under way, or of one that begins now; None if none is due."""
    seen = _read(table, where)
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


def _next_part(table: Table, company_id: str, project_id: str, position: str) -> str | None:
    """Return the first part after *position* that has entries, or whose number is not 0."""
    entries: ConditionBase = Key(PARTITION_KEY).eq(Open.partition(company_id, project_id))
    if position != _START:
        entries &= Key(SORT_KEY).gt(f"{position}{_AFTER}")
    items, _ = table.query(None, entries, limit=1, fields=(SORT_KEY,))
    numbers = read(table, company_id, project_id).parts
    parts = [part for part, number in numbers.items() if number and part > position]
    return min(parts + [Active.part_of(str(item[SORT_KEY])) for item in items], default=None)


def _recount_part(table: Table, company_id: str, project_id: str, part: str) -> None:
    """Correct the number of a part, then change the entries whose flag is wrong."""
    wrong: list[_Flag] = []
    for _ in range(_ATTEMPTS):
        before = read(table, company_id, project_id)
        counted, wrong = _read_part(table, company_id, project_id, part)
        if _is_corrected(table, company_id, project_id, part, before, counted):
            break
    for flag in (False, True):
        openings = [one for one in wrong if one.is_counted == flag]
        for first in range(0, len(openings), _AT_ONCE):
            _flag(table, company_id, project_id, openings[first : first + _AT_ONCE])


def _is_corrected(  # noqa: PLR0917 - the key, and the part before and after its read
    table: Table, company_id: str, project_id: str, part: str, before: Active, counted: int
) -> bool:
    """Set the number of a part; return False if it changed since *before*."""
    number, changes = before.in_part(part)
    drift = counted - number
    if not drift:
        return True
    number_name, changes_name = Active.names_of(part)
    # The correction is a change, too: a repetition of it, and one of another request, find that.
    add = {number_name: drift, changes_name: 1} | Active.named(changes=1)
    split = Active.attr("is_split")
    same = _is_unchanged(Attr(changes_name), changes)
    if before.is_split:
        add |= Active.named(active=drift)
        same &= split.eq(True)
    else:  # `active` has entries that no part has; the end of this recount sets it.
        same &= split.not_exists()
    try:
        table.update(key(Active.partition(company_id, project_id)), add=add, when=same)
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


def _end(table: Table, where: Attributes) -> None:
    """End the recount after its last part; the first one with parts sets the sum of them."""
    for _ in range(_ATTEMPTS):
        seen = _read(table, where)
        done = Active.named(is_complete=True, is_split=True, active=sum(seen.parts.values()))
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


def read(table: Table, company_id: str, project_id: str) -> Active:
    """Return the count of a project, strongly consistent."""
    return _read(table, key(Active.partition(company_id, project_id)))


def _read(table: Table, where: Attributes) -> Active:
    # In a batch, since the router's role does not allow GetItem.
    items = table.get_many([where])
    return Active.read(items[0]) if items else Active()


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
