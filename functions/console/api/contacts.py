"""
Reads contacts: searches of people over all contexts, one person, and the person's conversations.

A contact is what its conversations show: a caller who may read none of them sees no contact. So one that was erased in
all contexts does not exist, even while its profile is still stored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from console.api import inbox
from console.api.contact_search import partitions_of
from console.api.reading_rights import readable
from console.api.search_terms import terms_of
from console.api.views import (
    ContactConversations,
    ContactHandle,
    Contacts,
    ContactView,
    activity_of,
)
from console.store import searches
from shared.api.auth import RateLimited
from shared.api.cursors import InvalidCursor, Listing, Page
from shared.identity.contacts import resolution, tokens
from shared.inbox.items import CONTACT_INDEX
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from console.api.inbox import InboxDependencies
    from console.api.inputs import ContactsQuery, PageQuery
    from shared.api.auth import Caller
    from shared.api.opaque_ids import Seal
    from shared.identity.contacts.items import Profile
    from shared.inbox.items import Entry


class ContactNotFound(Exception):
    """There is no such contact of the company, or the caller may read none of its conversations."""


def search(deps: InboxDependencies, caller: Caller, query: ContactsQuery) -> Page[Contacts]:
    """
    Return the contacts that have all words of a search in what one of their conversations shows.

    One call reads at most `limit` candidates, so its page may be short or empty before the last one. The result of a
    page has no contact twice; two pages may. Raises InvalidCursor, and RateLimited above the caller's rate of searches.
    """
    if wait := searches.wait_of(deps.live, caller):
        raise RateLimited(wait, searches.PER_MINUTE.most, "searches of one caller are limited to")
    seal = deps.seal
    terms = terms_of(query.q)
    listing = Listing(caller.company, "contacts", (query.q, *sorted(readable(caller))))
    at = listing.position(seal, query.cursor) if query.cursor else {"partition": "", "contact": ""}
    partitions, people = partitions_of(caller.company, terms), deps.people(caller)
    if at["partition"] and at["partition"] not in partitions:
        raise InvalidCursor("cursor: the keys of the search have changed since")
    found: list[ContactView] = []
    left = query.limit
    for partition in partitions[partitions.index(at["partition"]) if at["partition"] else 0 :]:
        after = at["contact"] if partition == at["partition"] else None
        ids, has_more = tokens.found(deps.contacts, partition, limit=left, after=after or None)
        fitting = people.with_terms(ids, terms, {one.contact_id for one in found})
        found += [_view_of(one.profile, one.entries) for one in fitting]
        left -= len(ids)
        if has_more or (not left and partition != partitions[-1]):
            position = {"partition": partition, "contact": ids[-1]}
            return Page(Contacts(contacts=found), listing.cursor(seal, position))
    return Page(Contacts(contacts=found))


def read(deps: InboxDependencies, caller: Caller, contact_id: str) -> ContactView:
    """Return a contact; the id may be one that it had before a merge. Raises ContactNotFound."""
    profile = resolution.current(deps.contacts, caller.company, contact_id)
    view = _view(deps, caller, profile) if profile else None
    if view is None:
        raise ContactNotFound("no such contact")
    return view


def conversations(
    deps: InboxDependencies, caller: Caller, contact_id: str, query: PageQuery
) -> Page[ContactConversations]:
    """
    Return the conversations of a contact, those of the newest week first, and newest first within a page.

    Raises ContactNotFound and InvalidCursor.
    """
    profile = resolution.current(deps.contacts, caller.company, contact_id)
    if profile is None or _view(deps, caller, profile) is None:
        raise ContactNotFound("no such contact")
    seal: Seal = deps.seal
    access = (*sorted(readable(caller)), *sorted(caller.projects))
    listing = Listing(caller.company, CONTACT_INDEX, (profile.contact_id, *access))
    before = listing.position(seal, query.cursor)["order"] if query.cursor else None
    people = deps.people(caller)
    listed = people.listed(profile, query.limit + 1, before)
    shown = people.entries(listed[: query.limit])
    now = clock.to_text(clock.now_ms())
    result = ContactConversations(conversations=[inbox.row_of(seal, entry, now) for entry in shown])
    if len(listed) <= query.limit:
        return Page(result)
    return Page(result, listing.cursor(seal, {"order": listed[query.limit - 1].contact_order}))


def _view(deps: InboxDependencies, caller: Caller, profile: Profile) -> ContactView | None:
    entries = deps.people(caller).newest(profile)
    return _view_of(profile, entries) if entries else None


def _view_of(profile: Profile, entries: Sequence[Entry]) -> ContactView:
    """Return a contact by its newest conversations, of which there is at least one."""
    handles = dict.fromkeys((entry.channel, entry.handle) for entry in entries if entry.handle)
    return ContactView(
        contact_id=profile.contact_id,
        name=next((entry.contact for entry in entries if entry.contact), None),
        handles=[ContactHandle(channel=channel, handle=handle) for channel, handle in handles],
        last_activity_at=activity_of(entries[0]),
    )
