"""
Reads contacts: searches of people over all contexts, one person, and the person's conversations.

A contact is what its conversations show, and what people have stored about it. A caller who may read none of its
conversations sees no contact, unless people have created or described it. So one that was erased in all contexts does
not exist, even while its profile is still stored.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from console.api import inbox
from console.api.views import activity_of
from console.contacts.views import (
    ContactConversations,
    ContactHandle,
    ContactIdentifier,
    Contacts,
    ContactTicket,
    ContactTickets,
    ContactView,
)
from console.reading_rights import readable
from console.search.contacts import partitions_of
from console.search.filters import Filters
from console.search.terms import terms_of
from console.store import searches
from shared.api.auth import RateLimited
from shared.api.cursors import InvalidCursor, Listing, Page
from shared.contacts import tickets
from shared.identity.addresses import displayed
from shared.identity.contacts import attributes, resolution, tokens
from shared.identity.contacts.claims import Proof
from shared.inbox.items import CONTACT_INDEX
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from console.api.inbox import InboxDependencies
    from console.api.inputs import ContactsQuery, PageQuery
    from console.search.contacts import Found
    from shared.api.auth import Caller
    from shared.api.opaque_ids import Seal
    from shared.identity.contacts.attributes import Definitions


class ContactNotFound(Exception):
    """There is no such contact of the company, or the caller may read none of its conversations."""


def search(deps: InboxDependencies, caller: Caller, query: ContactsQuery) -> Page[Contacts]:
    """
    Return the contacts that have all words of a search in what one of their conversations shows, and fit its filters.

    One call reads at most `limit` candidates, so its page may be short or empty before the last one. The result of a
    page has no contact twice; two pages may. Raises InvalidCursor, and RateLimited above the caller's rate of searches.
    """
    if wait := searches.wait_of(deps.live, caller):
        raise RateLimited(wait, searches.PER_MINUTE.most, "searches of one caller are limited to")
    seal = deps.seal
    terms = terms_of(query.q or "")
    filters = Filters(query.label, query.owner, query.attribute)
    asked = (query.q or "", *(one or "" for one in filters), *sorted(readable(caller)))
    listing = Listing(caller.company, "contacts", asked)
    at = listing.position(seal, query.cursor) if query.cursor else {"partition": "", "contact": ""}
    partitions, people = partitions_of(caller.company, terms, filters), deps.people(caller)
    if at["partition"] and at["partition"] not in partitions:
        raise InvalidCursor("cursor: the keys of the search have changed since")
    found: list[ContactView] = []
    left = query.limit
    for partition in partitions[partitions.index(at["partition"]) if at["partition"] else 0 :]:
        after = at["contact"] if partition == at["partition"] else None
        ids, has_more = tokens.found(deps.contacts, partition, limit=left, after=after or None)
        listed = {one.contact_id for one in found}
        fitting = [
            one for one in people.with_terms(ids, terms, listed) if filters.fit(one.described)
        ]
        found += views_of(deps, fitting)
        left -= len(ids)
        if has_more or (not left and partition != partitions[-1]):
            position = {"partition": partition, "contact": ids[-1]}
            return Page(Contacts(contacts=found), listing.cursor(seal, position))
    return Page(Contacts(contacts=found))


def read(deps: InboxDependencies, caller: Caller, contact_id: str) -> ContactView:
    """Return a contact; the id may be one that it had before a merge. Raises ContactNotFound."""
    return view_of(deps, shown(deps, caller, contact_id))


def shown(deps: InboxDependencies, caller: Caller, contact_id: str) -> Found:
    """Return a contact that the caller may see. Raises ContactNotFound."""
    profile = resolution.current(deps.contacts, caller.company, contact_id)
    found = deps.people(caller).shown(profile) if profile else None
    if found is None:
        raise ContactNotFound("no such contact")
    return found


def conversations(
    deps: InboxDependencies, caller: Caller, contact_id: str, query: PageQuery
) -> Page[ContactConversations]:
    """
    Return the conversations of a contact, the newest week first, and newest first within a page.

    Raises ContactNotFound and InvalidCursor.
    """
    profile = shown(deps, caller, contact_id).profile
    seal: Seal = deps.seal
    access = (*sorted(readable(caller)), *sorted(caller.projects))
    listing = Listing(caller.company, CONTACT_INDEX, (profile.contact_id, *access))
    before = listing.position(seal, query.cursor)["order"] if query.cursor else None
    people = deps.people(caller)
    listed = people.listed(profile, query.limit + 1, before)
    entries = people.entries(listed[: query.limit])
    now = clock.to_text(clock.now_ms())
    result = ContactConversations(
        conversations=[inbox.row_of(seal, entry, now) for entry in entries]
    )
    if len(listed) <= query.limit:
        return Page(result)
    return Page(result, listing.cursor(seal, {"order": listed[query.limit - 1].contact_order}))


def tickets_of(deps: InboxDependencies, caller: Caller, contact_id: str) -> ContactTickets:
    """Return the tickets of a contact, newest first. Raises ContactNotFound."""
    found = tickets.of_person(deps.contacts, shown(deps, caller, contact_id).profile)
    return ContactTickets(
        tickets=[
            ContactTicket(ticket_id=one.ticket_id, last_activity_at=one.last_activity_at)
            for one in found
        ]
    )


def view_of(deps: InboxDependencies, found: Found) -> ContactView:
    """Return the view of a contact: its details, else what its newest conversations show."""
    (view,) = views_of(deps, [found])
    return view


def views_of(deps: InboxDependencies, found: Sequence[Found]) -> list[ContactView]:
    """Return the views of contacts. Reads the definitions of attributes if one of them has values."""
    valued = next((one.profile for one in found if one.values), None)
    known = attributes.of_company(deps.contacts, valued.company_id) if valued else None
    return [_view(one, known) for one in found]


def _view(found: Found, definitions: Definitions | None) -> ContactView:
    entries, described = found.entries, found.described
    handles = dict.fromkeys((entry.channel, entry.handle) for entry in entries if entry.handle)
    stored = described.details if described else None
    named = next((entry.contact for entry in entries if entry.contact), None)
    return ContactView(
        contact_id=found.profile.contact_id,
        name=(stored.name if stored else None) or named,
        given_names=stored.given_names if stored else None,
        language=stored.language if stored else None,
        zone=stored.zone if stored else None,
        organisation=stored.organisation if stored else None,
        labels=sorted(stored.labels or ()) if stored else [],
        owner=stored.owner if stored else None,
        attributes={
            name: _number(value) if isinstance(value, Decimal) else value
            for name, value in (definitions.shown(found.values) if definitions else {}).items()
        },
        handles=[
            ContactHandle(channel=channel, handle=handle, text=displayed(handle))
            for channel, handle in handles
        ],
        identifiers=[
            ContactIdentifier(
                identifier_id=one.contact_id,
                kind=one.kind,
                value=one.value,
                text=displayed(one.value),
                proof=Proof.COMPANY,
            )
            for one in (described.identifiers if described else ())
            if one.value is not None
        ],
        last_activity_at=activity_of(entries[0]) if entries else None,
        version=described.version if described else 0,
    )


def _number(value: Decimal) -> int | float:
    return int(value) if value == value.to_integral_value() else float(value)
