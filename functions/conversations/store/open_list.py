"""
The open conversations of a project: for agents' lists and for the limit on active conversations.

A conversation is counted from its acceptance until it is removed from the list. Its entry says whether it is counted;
entry and count change in one transaction, so that the limit is exact. When the limit is reached, conversations
without activity for ACTIVE_HOURS, and accepted ones that no worker began, are no longer counted.
"""

from contextlib import suppress

from boto3.dynamodb.conditions import ConditionBase, Key

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
_AT_ONCE = MOST_IN_TRANSACTION - 1  # beside the count
_HOUR = len("2026-03-01T09")
# Another worker may change the entry between two attempts.
_ATTEMPTS = 3


def admit(table: Table, company_id: str, project_id: str, opening: Open, most: int) -> bool:
    """
    List and count a new conversation unless *most* are active; return whether it is listed. Idempotent.

    Agents do not see it until `keep`. Raises Transient after repeated conflicts.
    """
    begins_by = clock.to_text(clock.now_ms() + BEGINS_WITHIN_MS)
    entry = _entry(company_id, project_id, opening.model_copy(update={"begins_by": begins_by}))
    new = table.to_put(entry, when=Open.attr("ref").not_exists())
    is_below = Active.attr("is_complete").eq(True) & Active.attr("active").lt(most)
    one_more = _count(table, company_id, project_id, 1, is_below)
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
            if _transact(table, [uncounted], _count(table, company_id, project_id, 1)):
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
            if _transact(table, [counted], _count(table, company_id, project_id, -1)):
                return
        else:
            return
    raise Transient("open_list_conflict")


def recount(table: Table, company_id: str, project_id: str) -> bool:
    """
    Compare the count with the list; return False if that was done within RECOUNT_EVERY_MS. Safe to repeat.

    Corrects the count where entries expired, stops counting idle conversations, and counts active conversations that
    an earlier release listed. Raises Transient as above.
    """
    where = key(Active.partition(company_id, project_id))
    now = clock.now_ms()
    earlier = clock.to_text(now - RECOUNT_EVERY_MS)
    # Until the first count is complete, every request counts: a refusal would be wrong.
    is_due = Active.attr("is_complete").not_exists() | Active.attr("recounted_at").lt(earlier)
    began = {"item_type": Active.item_type} | Active.named(recounted_at=clock.to_text(now))
    try:
        add = Active.named(active=0, changes=1)
        before = Active.read(table.update(where, put=began, add=add, when=is_due))
    except ConditionFailed:
        return False
    openings = _all(table, company_id, project_id)
    is_unchanged = Active.attr("changes").eq(before.changes)
    counted = sum(opening.is_counted for opening in openings)
    # After changes meanwhile a later recount corrects it. Those below are exact in any case.
    with suppress(ConditionFailed):
        table.update(where, put=Active.named(active=counted), when=is_unchanged)
    for is_counted in (False, True):
        wrong = [
            one
            for one in openings
            if one.is_counted == is_counted and _is_active(one) != is_counted
        ]
        for first in range(0, len(wrong), _AT_ONCE):
            _change(table, company_id, project_id, wrong[first : first + _AT_ONCE])
    table.update(where, put=Active.named(is_complete=True))
    return True


def _all(table: Table, company_id: str, project_id: str) -> list[Open]:
    """Return also entries that expired and are not deleted yet: their removal would be subtracted."""
    partition = Key(PARTITION_KEY).eq(Open.partition(company_id, project_id))
    items, start = table.query(None, partition)
    while start:
        more, start = table.query(None, partition, start=start)
        items += more
    return [Open.read(item) for item in items]


def _is_active(opening: Open) -> bool:
    now = clock.now_ms()
    if opening.begins_by:
        return opening.begins_by > clock.to_text(now)
    return opening.last_activity_at >= clock.to_text(now - ACTIVE_HOURS * clock.HOUR_MS)


def _change(table: Table, company_id: str, project_id: str, openings: list[Open]) -> None:
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
    if not _transact(table, writes, _count(table, company_id, project_id, change)):
        for opening in openings if len(openings) > 1 else ():
            _change(table, company_id, project_id, [opening])


def _is_as_read(opening: Open) -> ConditionBase:
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


def _count(
    table: Table, company_id: str, project_id: str, change: int, when: ConditionBase | None = None
) -> Attributes:
    where = key(Active.partition(company_id, project_id))
    facts = {"item_type": Active.item_type}
    return table.to_update(where, put=facts, add=Active.named(active=change, changes=1), when=when)


def _transact(table: Table, entries: list[Attributes], count: Attributes) -> bool:
    """Make all writes; return False if the condition of an entry does not hold."""
    try:
        table.transact(*entries, count)
    except TransactionRefused:
        return False
    return True
