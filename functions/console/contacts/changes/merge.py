"""Merges two contacts, shows what a merge would move, and undoes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from console.contacts import contacts
from console.contacts.views import ContactMerge, SeparatedContacts
from shared.identity.contacts import merges
from shared.identity.contacts.history import Act
from shared.identity.contacts.items import UNDO_DAYS
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Callable

    from console.api.inbox import InboxDependencies
    from console.contacts.changes.inputs import MergeInput
    from console.search.contacts import Found
    from shared.api.auth import Caller
    from shared.identity.contacts.items import Merge

MOST_COUNTED: Final = 50


class MergeNotFound(Exception):
    """The company has no such merge, or the caller may see none of its contacts."""


def merge(
    deps: InboxDependencies, caller: Caller, contact_id: str, body: MergeInput, cause: str
) -> Callable[[], ContactMerge] | ContactMerge:
    """
    Return the change that makes two contacts one person, or with a dry run what it would move.

    Raises ContactNotFound, and MergeRefused, also without a dry run by the change.
    """
    own = contacts.shown(deps, caller, contact_id)
    try:
        other = contacts.shown(deps, caller, body.contact_id)
    except contacts.ContactNotFound:  # of another company, which must look as if it did not exist
        raise merges.MergeRefused("contactId is no contact of the company") from None
    pair = sorted((own, other), key=lambda one: one.profile.contact_id)
    if body.dry_run:
        merges.checked(deps.contacts, pair[0].profile, pair[1].profile)
        return _view(deps, caller, pair, None)

    def merged() -> ContactMerge:
        act = Act(cause, caller.principal)
        ids = contact_id, body.contact_id
        return _view(deps, caller, pair, merges.merge(deps.contacts, caller.company, *ids, act))

    return merged


def undo(
    deps: InboxDependencies, caller: Caller, merge_id: str, cause: str
) -> Callable[[], SeparatedContacts]:
    """Return the change that separates the contacts of a merge. Raises MergeNotFound, the change MergeRefused."""
    found = merges.get(deps.contacts, caller.company, merge_id)
    if found is None or not _seen(deps, caller, found):
        raise MergeNotFound("no such merge")

    def undone() -> SeparatedContacts:
        merges.undo(deps.contacts, found, Act(cause, caller.principal))
        return SeparatedContacts(
            contacts=[contacts.view_of(deps, one) for one in _seen(deps, caller, found)]
        )

    return undone


def _seen(deps: InboxDependencies, caller: Caller, merged: Merge) -> list[Found]:
    """Return the contacts of a merge that the caller may see, each once."""
    seen: dict[str, Found] = {}
    for one in (merged.kept, merged.merged):
        try:
            found = contacts.shown(deps, caller, one)
        except contacts.ContactNotFound:
            continue
        seen[found.profile.contact_id] = found
    return list(seen.values())


def _view(
    deps: InboxDependencies, caller: Caller, pair: list[Found], merged: Merge | None
) -> ContactMerge:
    kept, moved = pair
    listed = deps.people(caller).listed(moved.profile, MOST_COUNTED + 1, None)
    shown = deps.people(caller).entries(listed[:MOST_COUNTED])
    until = None
    if merged is not None:
        days_ms = UNDO_DAYS * clock.DAY_SECONDS * clock.SECOND_MS
        until = clock.to_text(clock.from_text(merged.at) + days_ms)
    return ContactMerge(
        merge_id=merged.merge_id if merged else None,
        undoable_until=until,
        kept=contacts.view_of(deps, kept),
        merged=contacts.view_of(deps, moved),
        conversations=len(shown),
        more=len(listed) > MOST_COUNTED,
    )
