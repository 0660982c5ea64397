"""
The open conversations of a project: for agents' lists and for the limit on active conversations. The ended ones, for
agents' lists only, are a list beside it.

A conversation is counted from its acceptance until it is removed from the list. Its entry says whether it is counted;
entry and count change in one transaction, so that the limit is exact. When the limit is reached, conversations
without activity, and accepted ones that no worker began, are no longer counted: see `limits.active_recount`.
"""

from collections.abc import Sequence
from functools import partial

from boto3.dynamodb.conditions import Key

from conversations.store.items.base import PARTITION_KEY, SORT_KEY, key
from conversations.store.items.routes import Active, Ended, Open
from conversations.store.limits import active_count, active_recount, active_shards
from shared.aws.dynamodb import Attributes, ConditionFailed, Table, TransactionConflict, repeated
from shared.runtime import clock
from shared.runtime.failures import Transient

# A worker begins an accepted conversation within this time, or the conversation is no longer counted.
BEGINS_WITHIN_MS = clock.HOUR_MS
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
    return repeated(partial(_admit_once, table, company_id, project_id, new, opening.ref, most))


def _admit_once(  # noqa: PLR0917 - the key, and the entry
    table: Table, company_id: str, project_id: str, new: Attributes, ref: str, most: int
) -> bool:
    """Raises TransactionConflict if the count has room: another request completes the first count, or ended one."""
    given = (table, company_id, project_id, new, ref, most)
    if active_shards.admit(*given):
        return True
    seen = active_count.read(table, company_id, project_id)
    has_room = active_shards.reclaim(table, company_id, project_id, seen) or active_recount.recount(
        table, company_id, project_id, seen
    )
    if has_room and active_shards.admit(*given):
        return True
    if seen.is_complete and seen.active >= most:
        return False
    raise TransactionConflict


def keep(table: Table, company_id: str, project_id: str, opening: Open) -> None:
    """
    Write the list entry of an open conversation and count it if it is not counted. Idempotent; the last write wins.

    Without a limit: the conversation was admitted before, or an agent opened it. Raises Transient as above.
    """
    entry = _entry(company_id, project_id, opening)
    for _ in range(_ATTEMPTS):
        try:
            table.put(entry, when=active_count.is_counted())
        except ConditionFailed:
            uncounted = table.to_put(entry, when=~active_count.is_counted())
            if active_shards.keep(table, company_id, project_id, uncounted, opening.ref):
                return
        else:
            return
    raise Transient("open_list_conflict")


def remove(table: Table, company_id: str, project_id: str, ref: str) -> None:
    """Delete the list entry of a conversation, which is no longer counted. Idempotent. Raises Transient as above."""
    where = key_of(company_id, project_id, ref)
    for _ in range(_ATTEMPTS):
        try:
            table.delete(where, when=~active_count.is_counted())
        except ConditionFailed:
            counted = table.to_delete(where, when=active_count.is_counted())
            if active_shards.remove(table, company_id, project_id, counted, ref):
                return
        else:
            return
    raise Transient("open_list_conflict")


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


def end(table: Table, company_id: str, project_id: str, ended: Ended) -> None:
    """Move a conversation from the open list to the ended ones. Idempotent; the last write wins. Raises Transient."""
    # In this order: one that is opened again in between is in both lists, and shown as open.
    remove(table, company_id, project_id, ended.ref)
    where = key(Ended.partition(company_id, project_id), Ended.sk(ended.since, ended.ref))
    table.put(ended.attributes(where))


def add_ended(table: Table, company_id: str, project_id: str, ended: Ended) -> bool:
    """List a conversation that has ended before; return False if it is listed already."""
    where = key(Ended.partition(company_id, project_id), Ended.sk(ended.since, ended.ref))
    try:
        table.put(ended.attributes(where), when=Ended.attr("ref").not_exists())
    except ConditionFailed:
        return False
    return True


def forget_ended(table: Table, company_id: str, project_id: str, since: str, ref: str) -> None:
    """Delete the entry of an ended conversation. Idempotent."""
    table.delete(key(Ended.partition(company_id, project_id), Ended.sk(since, ref)))


def ended_page(
    table: Table, company_id: str, project_id: str, limit: int, after: str
) -> tuple[list[Ended], str | None]:
    """
    Return one page of a project's ended conversations, newest first, and the sort key after which the next page begins.

    *after*: such a sort key, or empty. Some may be open again, see `open_among`.
    """
    partition = Ended.partition(company_id, project_id)
    start = key(partition, after) if after else None
    items, last = table.query(
        None, Key(PARTITION_KEY).eq(partition), limit=limit, start=start, newest_first=True
    )
    found = [Ended.read(item) for item in items if not clock.is_over(item.get("ttl"))]
    return found, ref_in(last) if last else None


def open_among(table: Table, company_id: str, refs: Sequence[tuple[str, str]]) -> set[str]:
    """Return which of some conversations, as pairs of project and `ref`, are in the open lists. One read each."""
    items = table.get_many([key_of(company_id, project, ref) for project, ref in refs])
    return {ref_in(item) for item in items}


def idle(
    table: Table, company_id: str, project_id: str, before: str, limit: int
) -> tuple[list[Open], str]:
    """
    Return the conversations without activity since *before* among the next *limit* of the list, and the position
    after them, for `note_idle`: empty after the last one.
    """
    position = active_count.read(table, company_id, project_id).idle_position
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
