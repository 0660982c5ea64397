"""
Access patterns of changes of many conversations.

A person has one at a time. Its run holds the lease of the item, and writes only while it does; a person who stops the
change sets a mark beside the lease, which the next write of the run returns.
"""

from __future__ import annotations

from itertools import batched
from typing import TYPE_CHECKING, Any, Final

from boto3.dynamodb.conditions import Attr, Key

from console.store.bulk.items import OPEN_LIST, BulkChange, BulkPage, BulkUndo, Kept
from shared.aws.dynamodb import ConditionFailed
from shared.aws.tables import leases
from shared.aws.tables.leases import LeaseLost, Leases
from shared.inbox.items import LIST_INDEX, pk
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shared.aws.dynamodb import Table

PAGE: Final = 100  # conversations of a page: one call reads their entries
MOST_OPEN: Final = 50  # changes that one look at the list of open ones finds


class Running(Exception):
    """Another change of the person is not ended."""


def get(table: Table, company: str, principal: str) -> BulkChange | None:
    """Return a person's newest change."""
    item = table.get(pk(BulkChange.key(company, principal)))
    return BulkChange.read(item) if item else None


def begin(table: Table, change: BulkChange) -> BulkChange:
    """Store a change, and return it. Safe to repeat. Raises Running."""
    ended = BulkChange.attr("stage").eq("ended")
    over = Attr(table.ttl_attribute).lte(clock.now_ms() // clock.SECOND_MS)
    try:
        table.put(change.attributes(), when=BulkChange.attr("pk").not_exists() | ended | over)
    except ConditionFailed as refusal:
        existing = BulkChange.read(refusal.existing or change.attributes())
        if existing.change_id != change.change_id:
            raise Running("another change of many conversations is not ended") from None
        return existing
    return change


def opened(table: Table) -> list[tuple[str, str]]:
    """Return company and principal of the open changes of all companies, the oldest first; MOST_OPEN at most."""
    where = Key(BulkChange.name_of("list_pk")).eq(OPEN_LIST)
    items, _ = table.query(LIST_INDEX, where, limit=MOST_OPEN)
    found = map(BulkChange.read, items)
    return [(one.company_id, one.principal) for one in found]


def held(table: Table, change: BulkChange, owner: str, remaining_ms: int) -> BulkChange:
    """Take a change over for a run, and return it. Raises Held and Finished."""
    mine = BulkChange.named(owner=owner, lease_until=leases.expiry(remaining_ms))
    of = Leases(table, BulkChange.lease())
    return BulkChange.read(of.take_over(pk(change.pk), change.attributes(), mine))


def save(
    table: Table,
    change: BulkChange,
    *,
    drop: Sequence[str] = (),
    **values: Any,  # noqa: ANN401 - values of any field
) -> BulkChange:
    """Store values of a change that this run holds, and return it as stored. Raises LeaseLost."""
    dropped = [BulkChange.name_of(name) for name in drop]
    owned = BulkChange.attr("owner").eq(change.owner)
    try:
        stored = table.update(
            pk(change.pk), put=BulkChange.named(**values), drop=dropped, when=owned
        )
    except ConditionFailed as refusal:
        if values.get("stage") == "ended" and _has_ended(refusal.existing, change):
            return BulkChange.read(refusal.existing or {})  # by this write, whose response was lost
        raise LeaseLost from None
    return BulkChange.read(stored)


def release(table: Table, change: BulkChange) -> None:
    """End the lease of this run: the next one continues."""
    if change.owner is not None:
        Leases(table, BulkChange.lease()).release(pk(change.pk), change.owner)


def stop(table: Table, change: BulkChange) -> BulkChange:
    """Ask the run of a change to end it. Returns the change as it is stored; an ended one stays."""
    same = BulkChange.attr("change_id").eq(change.change_id)
    goes_on = BulkChange.attr("stage").ne("ended")
    try:
        item = table.update(
            pk(change.pk), put=BulkChange.named(is_stopping=True), when=same & goes_on
        )
    except ConditionFailed as refusal:
        return BulkChange.read(refusal.existing) if refusal.existing else change
    return BulkChange.read(item)


def keep_page(table: Table, change: BulkChange, number: int, entries: Sequence[str]) -> None:
    """Store a page of conversations. Safe to repeat: the newest one counts until the change counts it."""
    page = BulkPage(
        pk=BulkPage.key(change.change_id, number),
        company_id=change.company_id,
        entries=list(entries),
        ttl=change.ttl,
    )
    table.put(page.attributes())


def add(table: Table, change: BulkChange, entries: Sequence[str]) -> None:
    """
    Store further conversations behind the change's *total*, in pages of PAGE. Safe to repeat: none counts until the
    total is stored.
    """
    number, filled = divmod(change.total, PAGE)
    before = page_of(table, change, number)[:filled] if filled else []
    for page, part in enumerate(batched([*before, *entries], PAGE, strict=False), number):
        keep_page(table, change, page, part)


def page_of(table: Table, change: BulkChange, number: int) -> list[str]:
    """Return the entries of a page; none once it has expired."""
    item = table.get(pk(BulkPage.key(change.pages_id, number)))
    return BulkPage.read(item).entries if item else []


def keep(table: Table, change: BulkChange, at: int, kept: Kept, *, is_new: bool) -> Kept:
    """
    Store how a conversation is put back, if *is_new* unless an earlier attempt has, and return what is stored.

    Safe to repeat.
    """
    undo = BulkUndo(
        pk=BulkUndo.key(change.change_id, at),
        company_id=change.company_id,
        kept=kept.model_dump_json(),
        ttl=change.ttl,
    )
    try:
        table.put(undo.attributes(), when=BulkUndo.attr("pk").not_exists() if is_new else None)
    except ConditionFailed as refusal:
        if refusal.existing is None:
            raise
        return Kept.model_validate_json(BulkUndo.read(refusal.existing).kept)
    return kept


def forget(table: Table, change: BulkChange, at: int) -> None:
    """Remove what is kept of a conversation that was not changed. Safe to repeat."""
    table.delete(pk(BulkUndo.key(change.change_id, at)))


def kept_of(table: Table, change: BulkChange, at: int) -> Kept | None:
    """Return how a conversation of the change that this one undoes is put back; None if it was not changed."""
    item = table.get(pk(BulkUndo.key(change.pages_id, at)))
    return Kept.model_validate_json(BulkUndo.read(item).kept) if item else None


def _has_ended(item: dict[str, Any] | None, change: BulkChange) -> bool:
    if not item:
        return False
    stored = BulkChange.read(item)
    return stored.stage == "ended" and stored.change_id == change.change_id
