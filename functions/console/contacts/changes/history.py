"""The history of a person: who changed what, without values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from console.contacts.changes import records
from console.contacts.views import ContactChange, ContactChanges
from shared.api.cursors import Page
from shared.identity.contacts.items import Change

if TYPE_CHECKING:
    from console.api.inbox import InboxDependencies
    from console.api.inputs import PageQuery
    from shared.api.auth import Caller


def listed(
    deps: InboxDependencies, caller: Caller, contact_id: str, query: PageQuery
) -> Page[ContactChanges]:
    """Return the changes of a contact by people, newest first. Raises ContactNotFound and InvalidCursor."""
    found, cursor = records.page(deps, caller, contact_id, query, Change)
    result = ContactChanges(
        changes=[
            ContactChange(what=one.what, by=one.by, at=one.at, fields=sorted(one.fields))
            for one in found
        ]
    )
    return Page(result, cursor)
