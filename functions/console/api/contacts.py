"""
Reads contacts: searches of people over all contexts, one person, and the person's conversations.

A contact is what its conversations show: a caller who may read none of them sees no contact. So one that was erased in
all contexts does not exist, even while its profile is still stored.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from boto3.dynamodb.conditions import Key

from console.api import inbox
from console.api.search_terms import Term, digits_of, terms_of
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
from shared.aws.tables.merged_lists import MergedList
from shared.identity.contacts import resolution, tokens
from shared.identity.contacts.words import folded
from shared.inbox.items import CONTACT_INDEX, Entry, OfContact, pk
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from console.api.inbox import InboxDependencies
    from console.api.inputs import ContactsQuery, PageQuery
    from shared.api.auth import Caller
    from shared.api.opaque_ids import Seal
    from shared.aws.dynamodb import Table
    from shared.identity.contacts.items import Profile

NEWEST = 20  # conversations of which a view is made


class ContactNotFound(Exception):
    """There is no such contact of the company, or the caller may read none of its conversations."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactDependencies:
    """The inbox, and the table of contacts."""

    inbox: InboxDependencies
    contacts: Table


def search(deps: ContactDependencies, caller: Caller, query: ContactsQuery) -> Page[Contacts]:
    """
    Return the contacts that have all words of a search in what one of their conversations shows.

    One call reads at most `limit` candidates, so its page may be short or empty before the last one. The result of a
    page has no contact twice; two pages may. Raises InvalidCursor, and RateLimited above the caller's rate of searches.
    """
    if wait := searches.wait_of(deps.inbox.live, caller):
        raise RateLimited(wait, searches.PER_MINUTE.most, "searches of one caller are limited to")
    seal = deps.inbox.seal
    terms = terms_of(query.q)
    listing = Listing(caller.company, "contacts", (query.q, *sorted(inbox.readable(caller))))
    at = listing.position(seal, query.cursor) if query.cursor else {"partition": "", "contact": ""}
    partitions = tokens.partitions(caller.company, _tokens_of(terms))
    if at["partition"] and at["partition"] not in partitions:
        raise InvalidCursor("cursor: the keys of the search have changed since")
    found: list[ContactView] = []
    left = query.limit
    for partition in partitions[partitions.index(at["partition"]) if at["partition"] else 0 :]:
        after = at["contact"] if partition == at["partition"] else None
        ids, has_more = tokens.found(deps.contacts, partition, limit=left, after=after or None)
        found += _fitting(deps, caller, ids, terms, {one.contact_id for one in found})
        left -= len(ids)
        if has_more or (not left and partition != partitions[-1]):
            position = {"partition": partition, "contact": ids[-1]}
            return Page(Contacts(contacts=found), listing.cursor(seal, position))
    return Page(Contacts(contacts=found))


def read(deps: ContactDependencies, caller: Caller, contact_id: str) -> ContactView:
    """Return a contact; the id may be one that it had before a merge. Raises ContactNotFound."""
    profile = resolution.current(deps.contacts, caller.company, contact_id)
    view = _view(deps, caller, profile) if profile else None
    if view is None:
        raise ContactNotFound("no such contact")
    return view


def conversations(
    deps: ContactDependencies, caller: Caller, contact_id: str, query: PageQuery
) -> Page[ContactConversations]:
    """
    Return the conversations of a contact, those of the newest week first, and newest first within a page.

    Raises ContactNotFound and InvalidCursor.
    """
    profile = resolution.current(deps.contacts, caller.company, contact_id)
    if profile is None or _view(deps, caller, profile) is None:
        raise ContactNotFound("no such contact")
    seal: Seal = deps.inbox.seal
    access = (*sorted(inbox.readable(caller)), *sorted(caller.projects))
    listing = Listing(caller.company, CONTACT_INDEX, (profile.contact_id, *access))
    before = listing.position(seal, query.cursor)["order"] if query.cursor else None
    listed = _listed(deps, profile, query.limit + 1, before)
    shown = _entries(deps, caller, listed[: query.limit])
    now = clock.to_text(clock.now_ms())
    result = ContactConversations(conversations=[inbox.row_of(seal, entry, now) for entry in shown])
    if len(listed) <= query.limit:
        return Page(result)
    return Page(result, listing.cursor(seal, {"order": listed[query.limit - 1].contact_order}))


def _tokens_of(terms: Sequence[Term]) -> list[tokens.Token]:
    """Return the tokens of the term that fewest contacts have: a number, else the longest word."""
    numbers = [digits for term in terms if len(digits := digits_of(term)) >= tokens.DIGITS]
    if numbers:
        return tokens.of_number(max(numbers, key=len))
    words = [word for term in terms if not term.number for word in term.words]
    return tokens.of_text(max(words, key=len)) if words else []


def _fitting(
    deps: ContactDependencies,
    caller: Caller,
    ids: Sequence[str],
    terms: Sequence[Term],
    shown: set[str],
) -> list[ContactView]:
    """Return the contacts with these ids that have all terms, each once, without those *shown*."""
    found: dict[str, ContactView] = {}
    for contact_id in ids:
        profile = resolution.current(deps.contacts, caller.company, contact_id)
        if profile is None or profile.contact_id in {*shown, *found}:
            continue
        entries = _newest(deps, caller, profile)
        if entries and all(any(_has(entry, term) for entry in entries) for term in terms):
            found[profile.contact_id] = _view_of(profile, entries)
    return list(found.values())


def _has(entry: Entry, term: Term) -> bool:
    return term.fits(folded("\n".join(filter(None, (entry.contact, entry.handle)))), entry.handle)


def _view(deps: ContactDependencies, caller: Caller, profile: Profile) -> ContactView | None:
    entries = _newest(deps, caller, profile)
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


def _newest(deps: ContactDependencies, caller: Caller, profile: Profile) -> list[Entry]:
    return _entries(deps, caller, _listed(deps, profile, NEWEST, None))


def _listed(
    deps: ContactDependencies, profile: Profile, limit: int, before: str | None
) -> list[OfContact]:
    """Return up to *limit* conversations of a contact, under the ids of all contacts that were merged into it."""
    listed = MergedList(
        item=OfContact,
        index=CONTACT_INDEX,
        field="contact_id",
        order="contact_order",
        partitions=[profile.contact_id, *sorted(profile.members)],
    )
    where = Key(OfContact.name_of("contact_order")).lt(before) if before is not None else None
    return list(islice(listed.entries(deps.inbox.table, limit=limit, where=where), limit))


def _entries(deps: ContactDependencies, caller: Caller, listed: Sequence[OfContact]) -> list[Entry]:
    """Return the entries that the caller may read, newest first."""
    stored = deps.inbox.table.get_many([pk(one.pk) for one in listed]) if listed else []
    readable = frozenset(inbox.readable(caller))
    entries = [
        entry
        for entry in map(Entry.read, stored)
        if inbox.is_readable(caller, readable, entry) and not clock.is_over(entry.ttl)
    ]
    return sorted(entries, key=lambda entry: entry.activity, reverse=True)
