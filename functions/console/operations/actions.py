"""The audit log of changes over the APIs: items that each API writes about its changes (`shared.api.audit_log`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from console.operations.measurements import Unavailable
from console.operations.views import ActionsView, ActionView, FieldChangeView
from console.store import changes
from console.store.changes import Whose
from shared.api.auth import Forbidden, Scope
from shared.api.cursors import InvalidCursor, Page
from shared.api.principals import Kind

if TYPE_CHECKING:
    from console.operations.inputs import ActionsQuery
    from shared.api.audit_log.items import Change
    from shared.api.auth import Caller
    from shared.aws.dynamodb import Table

_PEOPLE, _SOFTWARE = (f"{Kind.PERSON}:",), (f"{Kind.API_KEY}:", f"{Kind.CLIENT}:")
_ACTORS = {"people": _PEOPLE, "keys": _SOFTWARE, "all": ()}


def made(table: Table, caller: Caller, query: ActionsQuery) -> Page[ActionsView]:
    """
    Return changes by callers of one company, newest first: the caller's, or for operators the one that they name.

    Raises Forbidden for another company, InvalidCursor and Unavailable.
    """
    company = query.company or caller.company
    if company != caller.company and Scope.OPERATOR not in caller.scopes:
        raise Forbidden(f"company: requires the scope {Scope.OPERATOR}")
    since, until = str(query.first_day), str(query.last_day)
    if query.cursor is not None and not since <= query.cursor <= f"{until}~":
        raise InvalidCursor("cursor: must belong to this period")
    try:
        found, before = changes.of_company(
            table,
            company,
            since=since,
            until=until,
            whose=Whose(query.principal, _ACTORS[query.actors], query.kind, query.object),
            limit=query.limit,
            before=query.cursor,
        )
    except (ClientError, BotoCoreError) as failure:
        raise Unavailable.of("DynamoDB", failure) from None
    return Page(ActionsView(actions=[_view(change) for change in found]), before)


def _view(change: Change) -> ActionView:
    return ActionView(
        at=change.at,
        company=change.company,
        principal=change.principal,
        context=change.context,
        change=change.change,
        kind=change.kind,
        object=change.object,
        changes=[
            FieldChangeView(field=one.field, before=one.before, after=one.after)
            for one in change.changes
        ],
        more=change.more or 0,
        basis=change.basis,
        outcome=change.outcome,
        status=change.status,
        correlation_id=change.request_id,
    )
