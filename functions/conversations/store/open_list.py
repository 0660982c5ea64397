"""
The open conversations of a project: for agents' lists and for the limit on active conversations.

A conversation is counted from its acceptance until it is removed from the list. Its entry says whether it is counted;
entry and count change in one transaction, so that the limit is exact. When the limit is reached, conversations
without activity for ACTIVE_HOURS, and accepted ones that no worker began, are no longer counted.
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
from shared.failures import Transient
from shared.runtime import clock

ACTIVE_HOURS = 72
# A worker begins an accepted conversation within this time, or the conversation is no longer counted.
BEGINS_WITHIN_MS = clock.HOUR_MS
RECOUNT_EVERY_MS = 60 * clock.SECOND_MS
# A key of refs makes 32 parts. A call compares some of them, within the time of a request.
PARTS_A_CALL = 16
MOST_WRONG = 1_000  # of a part, in memory; the next recount changes the others
_START, _AFTER = "-", "~"  # before and after every character of refs
_COUNTED_FIELDS = ("ref", "last_activity_at", "begins_by", "is_counted")
_AT_ONCE = MOST_IN_TRANSACTION - 1  # beside the count
_HOUR = len("2026-03-01T09")
# Another worker may change the entry between two attempts.
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


def admit(table: Table, company_id: str, project_id: str, opening: Open, most: int) -> bool:
    """
    List and count a new conversation unless *most* are active; return whether it is listed. Idempotent.

    Agents do not see it until `keep`. Raises Transient after repeated conflicts.
    """
    begins_by = clock.to_text(clock.now_ms() + BEGINS_WITHIN_MS)
    entry = _entry(company_id, project_id, opening.model_copy(update={"begins_by": begins_by}))
    new = table.to_put(entry, when=Open.attr("ref").not_exists())
    is_below = Active.attr("is_complete").eq(True) & Active.attr("active").lt(most)
    one_more = _count(table, company_id, project_id, opening.ref, 1, is_below)
    if _is_admitted(table, new, one_more):
        return True
    return recount(table, company_id, project_id) and _is_admitted(table, new, one_more)


def keep(table: Table, company_id: str, project_id: str, opening: Open) -> None:
    """
    Write the list entry of an open conversation and count it if it is not counted. Idempotent; the last write wins.

    Without a limit: the conversation was admitted before, or an agent opened it. Raises Transient as above.
    """
    entry = _entry(company_id, project_id, opening)
    for _ in range(_ATTEMPTS):
        try:
            table.put(entry, when=_is_counted())
        except ConditionFailed:
            uncounted = table.to_put(entry, when=~_is_counted())
            if _transact(table, [uncounted], _count(table, company_id, project_id, opening.ref, 1)):
                return
        else:
            return
    raise Transient("open_list_conflict")


def remove(table: Table, company_id: str, project_id: str, ref: str) -> None:
    """Delete the list entry of a conversation, which is no longer counted. Idempotent. Raises Transient as above."""
    where = key_of(company_id, project_id, ref)
    for _ in range(_ATTEMPTS):
        try:
            table.delete(where, when=~_is_counted())
        except ConditionFailed:
            counted = table.to_delete(where, when=_is_counted())
            if _transact(table, [counted], _count(table, company_id, project_id, ref, -1)):
                return
        else:
            return
    raise Transient("open_list_conflict")


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
    entries = Key(PARTITION_KEY).eq(Open.partition(company_id, project_id))
    if position != _START:
        entries &= Key(SORT_KEY).gt(f"{position}{_AFTER}")
    items, _ = table.query(None, entries, limit=1, fields=(SORT_KEY,))
    numbers = _read(table, key(Active.partition(company_id, project_id))).parts
    parts = [part for part, number in numbers.items() if number and part > position]
    return min(parts + [Active.part_of(str(item[SORT_KEY])) for item in items], default=None)


def _recount_part(table: Table, company_id: str, project_id: str, part: str) -> None:
    """Correct the number of a part, then change the entries whose flag is wrong."""
    where = key(Active.partition(company_id, project_id))
    number_name, changes_name = Active.names_of(part)
    wrong: list[_Flag] = []
    for _ in range(_ATTEMPTS):
        before = _read(table, where)
        number, changes = before.in_part(part)
        counted, wrong = _read_part(table, company_id, project_id, part)
        drift = counted - number
        # Before the first recount with parts, `active` has entries that no part has.
        add = {number_name: drift} | Active.named(active=drift if before.is_split else 0)
        try:
            table.update(where, add=add, when=_is_unchanged(Attr(changes_name), changes))
        except ConditionFailed:
            continue  # A change meanwhile.
        break
    for is_counted in (False, True):
        openings = [one for one in wrong if one.is_counted == is_counted]
        for first in range(0, len(openings), _AT_ONCE):
            _change(table, company_id, project_id, openings[first : first + _AT_ONCE])


def _read_part(
    table: Table, company_id: str, project_id: str, part: str
) -> tuple[int, list[_Flag]]:
    """
    Return how many entries of a part are counted, and at most MOST_WRONG of those that should not be, or should.

    Includes entries that expired and are not deleted yet: their removal would be subtracted.
    """
    entries = Key(PARTITION_KEY).eq(Open.partition(company_id, project_id))
    entries &= Key(SORT_KEY).begins_with(part)
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


def _read(table: Table, where: Attributes) -> Active:
    # In a batch, since the router's role does not allow GetItem.
    items = table.get_many([where])
    return Active.read(items[0]) if items else Active()


def _is_active(opening: _Flag) -> bool:
    now = clock.now_ms()
    if opening.begins_by:
        return opening.begins_by > clock.to_text(now)
    return opening.last_activity_at >= clock.to_text(now - ACTIVE_HOURS * clock.HOUR_MS)


def _change(table: Table, company_id: str, project_id: str, openings: list[_Flag]) -> None:
    """Count conversations that are not counted, or the reverse; changed ones stay as they are."""
    writes = [
        table.to_update(
            key_of(company_id, project_id, opening.ref),
            put=Open.named(is_counted=not opening.is_counted),
            when=_is_as_read(opening),
        )
        for opening in openings
    ]
    change = -len(writes) if openings[0].is_counted else len(writes)
    ref = openings[0].ref  # All of them are in its part.
    if not _transact(table, writes, _count(table, company_id, project_id, ref, change)):
        for opening in openings if len(openings) > 1 else ():
            _change(table, company_id, project_id, [opening])


def _is_as_read(opening: _Flag) -> ConditionBase:
    flag = _is_counted() if opening.is_counted else ~_is_counted()
    begins_by = Open.attr("begins_by")
    begun = begins_by.eq(opening.begins_by) if opening.begins_by else begins_by.not_exists()
    return Open.attr("last_activity_at").eq(opening.last_activity_at) & flag & begun


def page(
    table: Table, company_id: str, project_id: str, limit: int, start: Attributes | None
) -> tuple[list[Open], Attributes | None]:
    """
    Return one page of a project's open conversations, not ordered by time, and the key of the next page.

    Accepted conversations that no worker began are omitted.
    """
    partition = Key(PARTITION_KEY).eq(Open.partition(company_id, project_id))
    items, last = table.query(None, partition, limit=limit, start=start)
    openings = [Open.read(item) for item in items if not clock.is_over(item.get("ttl"))]
    return [one for one in openings if not one.begins_by], last


def idle(
    table: Table, company_id: str, project_id: str, before: str, limit: int
) -> tuple[list[Open], str]:
    """
    Return the conversations without activity since *before* among the next *limit* of the list, and the position
    after them, for `note_idle`: empty after the last one.
    """
    position = _read(table, key(Active.partition(company_id, project_id))).idle_position
    start = key_of(company_id, project_id, position) if position else None
    openings, last = page(table, company_id, project_id, limit, start)
    return [one for one in openings if one.last_activity_at < before], ref_in(last) if last else ""


def note_idle(table: Table, company_id: str, project_id: str, position: str) -> None:
    """Let the next call of `idle` continue after a position. Of concurrent searches the last one counts."""
    facts = {"item_type": Active.item_type} | Active.named(idle_position=position)
    table.update(key(Active.partition(company_id, project_id)), put=facts)


def entry_of(table: Table, company_id: str, project_id: str, ref: str) -> Open | None:
    """Return the entry of a conversation, strongly consistent, or None."""
    item = table.get(key_of(company_id, project_id, ref))
    return Open.read(item) if item else None


def hour_of(time: str) -> str:
    """Return a time truncated to the hour, in the same format."""
    return f"{time[:_HOUR]}:00:00.000Z"


def key_of(company_id: str, project_id: str, ref: str) -> Attributes:
    """Return the whole key of an entry, at which a page can begin or end."""
    return key(Open.partition(company_id, project_id), ref)


def ref_in(position: Attributes) -> str:
    """Return the conversation `ref` of an entry's key."""
    return str(position[SORT_KEY])


def _entry(company_id: str, project_id: str, opening: Open) -> Attributes:
    entry = opening.model_copy(update={"is_counted": True})
    return entry.attributes(key_of(company_id, project_id, opening.ref))


def _is_admitted(table: Table, new: Attributes, one_more: Attributes) -> bool:
    """Make both writes; return also True if an earlier attempt made them, False at the limit."""
    try:
        table.transact(new, one_more)
    except TransactionRefused as refusal:
        return 0 in refusal.positions
    return True


def _is_counted() -> ConditionBase:
    return Open.attr("is_counted").eq(True)


def _count(  # noqa: PLR0917 - the key, and the change
    table: Table,
    company_id: str,
    project_id: str,
    ref: str,
    change: int,
    when: ConditionBase | None = None,
) -> Attributes:
    where = key(Active.partition(company_id, project_id))
    facts = {"item_type": Active.item_type}
    number, changes = Active.names_of(Active.part_of(ref))
    add = Active.named(active=change, changes=1) | {number: change, changes: 1}
    return table.to_update(where, put=facts, add=add, when=when)


def _transact(table: Table, entries: list[Attributes], count: Attributes) -> bool:
    """Make all writes; return False if the condition of an entry does not hold."""
    try:
        table.transact(*entries, count)
    except TransactionRefused:
        return False
    return True
