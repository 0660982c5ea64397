"""Pages of what is stored beside a contact: notes and changes, newest first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from console.contacts import contacts
from shared.api.cursors import Listing
from shared.identity.contacts import history

if TYPE_CHECKING:
    from console.api.inbox import InboxDependencies
    from console.api.inputs import PageQuery
    from shared.api.auth import Caller
    from shared.identity.contacts.items import Record


def page[R: Record](
    deps: InboxDependencies, caller: Caller, contact_id: str, query: PageQuery, kind: type[R]
) -> tuple[list[R], str | None]:
    """Return a page of records and the cursor of the next one. Raises ContactNotFound and InvalidCursor."""
    person = contacts.shown(deps, caller, contact_id).profile
    listing = Listing(caller.company, f"contact {kind.prefix()}", (person.contact_id,))
    before = listing.position(deps.seal, query.cursor)["sk"] if query.cursor else None
    found = history.page(deps.contacts, person, kind, query.limit + 1, before)
    shown = found[: query.limit]
    is_last = len(found) <= query.limit
    return shown, None if is_last else listing.cursor(deps.seal, {"sk": shown[-1].sk})
