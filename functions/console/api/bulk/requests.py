"""Requests of a person: to change many conversations, to show the progress, to stop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from console.api import inbox
from console.api.bulk.inputs import checked_value
from console.api.bulk.run import job_of
from console.api.bulk.views import BulkChangeState, BulkChangeView, BulkRefusal, NewestBulkChange
from console.reading_rights import is_readable, readable
from console.store.bulk import changes as bulk_changes
from console.store.bulk.items import KEPT_DAYS, OPEN_LIST, BulkChange
from shared.api import principals
from shared.api.auth import Forbidden, Scope
from shared.api.opaque_ids import NotOurs
from shared.inbox.items import Context, Entry, pk
from shared.inbox.references import whatsapp_address
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Callable

    from console.api.bulk.inputs import BulkChangeInput, NamedChange
    from console.api.bulk.run import BulkDependencies
    from shared.api.auth import Caller
    from shared.api.opaque_ids import Seal
    from shared.api.routing.routes import Request

SCOPES: Final = (Scope.WHATSAPP_WRITE, Scope.CONVERSATIONS_REPLY, Scope.EMAIL_WRITE)
ID_DIGITS: Final = 32
UNKNOWN: Final = "unknown"  # the entry of a key that names none


class NotUndone(Exception):
    """A change cannot be undone."""


class NoSuchChange(Exception):
    """The caller's newest change is another one, or there is none."""


def begin(
    deps: BulkDependencies, request: Request[BulkChangeInput]
) -> Callable[[], BulkChangeState]:
    """
    Return the function that begins a change. Raises Forbidden unless a person asks, and InvalidInput.

    The function raises Running while another change of the person goes on.
    """
    caller, body = request.caller, request.input
    if not principals.is_person(caller.principal):
        raise Forbidden("changes of many conversations are made for people, who can sign out")
    value = checked_value(body)
    seal = deps.inbox.seal
    chosen = [_entry_key(seal, caller, one.context, one.key) for one in body.conversations or ()]

    def begun() -> BulkChangeState:
        keys = list(dict.fromkeys(chosen))
        change = _change_of(request, value, len(keys))
        for page, first in enumerate(range(0, len(keys), bulk_changes.PAGE)):
            part = keys[first : first + bulk_changes.PAGE]
            bulk_changes.keep_page(deps.table, change, page, part)
        stored = bulk_changes.begin(deps.table, change)
        deps.runs.start(job_of(caller.company, caller.principal))
        return BulkChangeState(change_id=stored.change_id, stage=stored.stage)

    return begun


def newest(deps: BulkDependencies, caller: Caller) -> NewestBulkChange:
    """Return the caller's newest change."""
    change = bulk_changes.get(deps.table, caller.company, caller.principal)
    return NewestBulkChange(change=_shown(deps, caller, change) if change else None)


def stop(deps: BulkDependencies, request: Request[NamedChange]) -> Callable[[], BulkChangeState]:
    """
    Return the function that stops the caller's change: what was changed stays, the rest is not changed.

    Raises NoSuchChange if it is not the newest one.
    """
    caller = request.caller
    change = bulk_changes.get(deps.table, caller.company, caller.principal)
    if change is None or change.change_id != request.input.change_id:
        raise NoSuchChange("the caller's newest change is another one")

    def stopped() -> BulkChangeState:
        stored = bulk_changes.stop(deps.table, change)
        if stored.stage != "ended":
            deps.runs.start(job_of(caller.company, caller.principal))
        return BulkChangeState(change_id=stored.change_id, stage=stored.stage)

    return stopped


def undo(deps: BulkDependencies, request: Request[NamedChange]) -> Callable[[], BulkChangeState]:
    """
    Return the function that begins the undo of the caller's ended change: each conversation that was not changed since.

    Raises NoSuchChange if it is not the newest one, and NotUndone if it goes on or nothing of it can be put back.
    """
    caller = request.caller
    change = bulk_changes.get(deps.table, caller.company, caller.principal)
    own_id = request.cause[:ID_DIGITS]
    # The undo that an earlier attempt of this call has begun stands for it.
    if change is None or change.change_id not in {request.input.change_id, own_id}:
        raise NoSuchChange("the caller's newest change is another one")
    if change.change_id != own_id and not change.may_be_undone:
        raise NotUndone("the change goes on, or changed nothing that can be put back")

    def undone() -> BulkChangeState:
        stored = change
        if change.change_id != own_id:
            stored = bulk_changes.begin(deps.table, _undo_of(request, change, own_id))
        deps.runs.start(job_of(caller.company, caller.principal))
        return BulkChangeState(change_id=stored.change_id, stage=stored.stage)

    return undone


def _undo_of(request: Request[NamedChange], change: BulkChange, own_id: str) -> BulkChange:
    """Return a change over the handled conversations of *change*, with the access that the caller has now."""
    caller = request.caller
    return BulkChange(
        pk=change.pk,
        company_id=caller.company,
        principal=caller.principal,
        scopes=set(caller.scopes),
        projects=set(caller.projects),
        issued_at=caller.issued_at,
        change_id=own_id,
        undoes=change.change_id,
        list_pk=OPEN_LIST,
        activity=clock.to_text(clock.now_ms()),
        action=change.action,
        value=change.value,
        stage="changing",
        total=change.at,
        ttl=change.ttl,
    )


def _change_of(request: Request[BulkChangeInput], value: str | None, chosen: int) -> BulkChange:
    caller, body = request.caller, request.input
    filters = body.filters.model_dump(mode="json", exclude_none=True) if body.filters else {}
    return BulkChange(
        pk=BulkChange.key(caller.company, caller.principal),
        company_id=caller.company,
        principal=caller.principal,
        scopes=set(caller.scopes),
        projects=set(caller.projects),
        issued_at=caller.issued_at,
        change_id=request.cause[:ID_DIGITS],
        list_pk=OPEN_LIST,
        activity=clock.to_text(clock.now_ms()),
        action=body.action,
        value=value,
        filters=filters,
        stage="changing" if body.filters is None else "listing",
        total=chosen,
        ttl=clock.expires_in(KEPT_DAYS * clock.DAY_SECONDS),
    )


def _entry_key(seal: Seal, caller: Caller, context: Context, key: str) -> str:
    """Return the key of the entry of a conversation, whether there is one or not: the run decides about access."""
    if context is not Context.WHATSAPP:
        return Entry.key(context, key)
    try:
        return Entry.key(context, seal.open(key, bound_to=whatsapp_address(caller.company)))
    except NotOurs:
        return Entry.key(context, UNKNOWN)


def _shown(deps: BulkDependencies, caller: Caller, change: BulkChange) -> BulkChangeView:
    return BulkChangeView(
        change_id=change.change_id,
        requested_at=change.activity,
        action=change.action,
        stage=change.stage,
        outcome=change.outcome,
        is_stopping=change.is_stopping and change.stage != "ended",
        is_cut=change.is_cut,
        total=change.total,
        handled=change.at,
        done=change.done,
        skipped=change.skipped,
        stale=change.stale,
        undoes=change.undoes,
        may_be_undone=change.may_be_undone,
        refused=change.refused,
        refusals=_refusals(deps, caller, change),
    )


def _refusals(deps: BulkDependencies, caller: Caller, change: BulkChange) -> list[BulkRefusal]:
    if not change.refusals:
        return []
    keys = list({one["entry"] for one in change.refusals})
    found = map(Entry.read, deps.table.get_many([pk(key) for key in keys]))
    contexts, now = readable(caller), clock.to_text(clock.now_ms())
    rows = {
        entry.pk: inbox.row_of(deps.inbox.seal, entry, now)
        for entry in found
        if is_readable(caller, contexts, entry)
    }
    return [
        BulkRefusal(conversation=rows.get(one["entry"]), code=one["code"])
        for one in change.refusals
    ]
