"""The history of a person: who changed what, without values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from console.api import contacts
from console.api.views import ContactChange, ContactChanges
from shared.api.cursors import Listing, Page
from shared.identity.contacts import history
from shared.identity.contacts.items import Change

if TYPE_CHECKING:
    from console.api.inbox import InboxDependencies
    from console.api.inputs import PageQuery
    from shared.api.auth import Caller

LIST = "contact_changes"


def listed(
    deps: InboxDependencies, caller: Caller, contact_id: str, query: PageQuery
) -> Page[ContactChanges]:
    """Return the changes of a contact by people, newest first. Raises ContactNotFound and InvalidCursor."""
    person = contacts.shown(deps, caller, contact_id).profile
    listing = Listing(caller.company, LIST, (person.contact_id,))
    before = listing.position(deps.seal, query.cursor)["sk"] if query.cursor else None
    found = history.page(deps.contacts, person, Change, query.limit + 1, before)
    shown = found[: query.limit]
    result = ContactChanges(
        changes=[
            ContactChange(what=one.what, by=one.by, at=one.at, fields=sorted(one.fields))
            for one in shown
        ]
    )
    if len(found) <= query.limit:
        return Page(result)
    return Page(result, listing.cursor(deps.seal, {"sk": shown[-1].sk}))
