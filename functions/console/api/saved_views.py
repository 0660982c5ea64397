"""
Saved views of the inbox: filters under a name, of a person or of a team, with the number of conversations that fit.

Presets are views that everyone has. Views of a team belong to its name: every person of the company may read and
change them, as every person may assign conversations to a team.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from console.api import inbox
from console.api.inputs import InboxQuery, ViewFilters
from console.api.views import OwnedViews, SavedView, SavedViews, SavedViewState
from console.store import saved_views
from shared.api import principals
from shared.api.auth import EVERY_PROJECT, Forbidden, Scope
from shared.api.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from console.api.inbox import InboxDependencies
    from console.api.inputs import SaveViewInput, ViewsQuery
    from console.store.saved_views import Views
    from shared.api.auth import Caller

MOST_VIEWS = 20  # of an owner
# People who change conversations may save views of them.
SCOPES: Final = (Scope.WHATSAPP_WRITE, Scope.CONVERSATIONS_REPLY, Scope.EMAIL_WRITE)
PRESETS: Final[Mapping[str, Mapping[str, str]]] = {
    "unassigned": {"status": "open", "unassigned": "true"},
    "waiting": {"status": "open", "waiting": "true"},
    "unread": {"status": "open", "unread": "true"},
    "at_risk": {"status": "open", "due": "at_risk"},
}


def listed(deps: InboxDependencies, caller: Caller, query: ViewsQuery) -> SavedViews:
    """Return the presets, the caller's own views and the teams' views, with their counts. Raises Forbidden."""
    _require_all_projects(caller)
    owners = [caller.principal, *(principals.of_team(name) for name in query.names)]
    stored = saved_views.of_owners(deps.table, caller.company, owners)
    return SavedViews(
        presets=_counted(deps, caller, PRESETS),
        owners=[
            OwnedViews(owner=one.owner, views=_counted(deps, caller, one.views)) for one in stored
        ],
    )


def save(
    deps: InboxDependencies, caller: Caller, body: SaveViewInput
) -> Callable[[], SavedViewState]:
    """Return the change that saves or removes a view. Raises Forbidden, and InvalidInput for more than MOST_VIEWS."""
    _require_all_projects(caller)
    owner = caller.principal if body.team is None else principals.of_team(body.team)

    def made(before: Views) -> Views:
        others = {name: filters for name, filters in before.items() if name != body.name}
        if body.filters is None:
            return others
        if len(others) >= MOST_VIEWS:
            raise InvalidInput([{"field": "name", "problem": f"at most {MOST_VIEWS} views"}])
        return {**others, body.name: body.filters.model_dump(mode="json", exclude_none=True)}

    def changed() -> SavedViewState:
        after = saved_views.change(deps.table, caller.company, owner, made)
        return SavedViewState(owner=owner, revision=after.revision)

    return changed


def _require_all_projects(caller: Caller) -> None:
    if EVERY_PROJECT not in caller.projects:
        raise Forbidden("views belong to no project, and this API key is bound to projects")


def _counted(deps: InboxDependencies, caller: Caller, views: Views) -> list[SavedView]:
    """Return views with their counts, in the order of their names; presets in their own."""
    shown = []
    for name, stored in views.items() if views is PRESETS else sorted(views.items()):
        filters = ViewFilters.model_validate(stored)
        count, is_exact = inbox.counted(deps, caller, InboxQuery.model_validate(dict(stored)))
        shown.append(SavedView(name=name, filters=filters, count=count, is_exact=is_exact))
    return shown
