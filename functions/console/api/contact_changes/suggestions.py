"""
Suggests contacts that may be the same person as one, for people to decide.

First those that people have separated, and that an event names as the same person; then those of the same full name,
without others that people have separated. Names are read from one partition of tokens, as a search does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from console.api import contacts
from console.api.contact_search import partitions_of
from console.api.search_terms import terms_of
from console.api.views import Contacts
from console.store import searches
from shared.api.auth import RateLimited
from shared.identity.contacts import merges, tokens
from shared.identity.contacts.words import words_of

if TYPE_CHECKING:
    from console.api.contact_search import Found
    from console.api.inbox import InboxDependencies
    from console.api.views import ContactView
    from shared.api.auth import Caller

LEAST_WORDS: Final = 2  # a first name alone says too little
MOST_CANDIDATES: Final = 20  # of all contacts that have the longest word of the name
MOST_SUGGESTED: Final = 10


def of_contact(deps: InboxDependencies, caller: Caller, contact_id: str) -> Contacts:
    """Return up to MOST_SUGGESTED contacts. Raises ContactNotFound and RateLimited."""
    known = contacts.shown(deps, caller, contact_id)
    proven = deps.people(caller).with_terms(
        merges.proven(deps.contacts, known.profile), (), {known.profile.contact_id}
    )
    listed = {known.profile.contact_id, *(one.profile.contact_id for one in proven)}
    views = contacts.views_of(deps, proven)
    views += _of_same_name(deps, caller, known, listed)
    return Contacts(contacts=views[:MOST_SUGGESTED])


def _of_same_name(
    deps: InboxDependencies, caller: Caller, known: Found, listed: set[str]
) -> list[ContactView]:
    """Return contacts of the same full name, without those *listed*. Raises RateLimited."""
    (view,) = contacts.views_of(deps, [known])
    name = view.name or ""
    words = frozenset(words_of(name))
    if len(words) < LEAST_WORDS:
        return []
    if wait := searches.wait_of(deps.live, caller):
        raise RateLimited(wait, searches.PER_MINUTE.most, "searches of one caller are limited to")
    terms, ids = terms_of(name), list[str]()
    for partition in partitions_of(caller.company, terms):
        if len(ids) < MOST_CANDIDATES:
            ids += tokens.found(deps.contacts, partition, limit=MOST_CANDIDATES - len(ids))[0]
    found = deps.people(caller).with_terms(ids, terms, listed)
    apart = [
        one for one in found if not merges.separated(deps.contacts, known.profile, one.profile)
    ]
    return [
        one
        for one in contacts.views_of(deps, apart)
        if frozenset(words_of(one.name or "")) == words
    ]
