"""
Suggests contacts that may be the same person as one, for people to decide: the full name of both is the same.

Reads one partition of tokens, as a search does. Contacts that people have separated are not suggested.
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
    from console.api.inbox import InboxDependencies
    from shared.api.auth import Caller

LEAST_WORDS: Final = 2  # a first name alone says too little
MOST_CANDIDATES: Final = 20  # of all contacts that have the longest word of the name
MOST_SUGGESTED: Final = 10


def of_contact(deps: InboxDependencies, caller: Caller, contact_id: str) -> Contacts:
    """Return up to MOST_SUGGESTED contacts of the same full name. Raises ContactNotFound and RateLimited."""
    known = contacts.shown(deps, caller, contact_id)
    name = contacts.view_of(known).name or ""
    words = frozenset(words_of(name))
    if len(words) < LEAST_WORDS:
        return Contacts(contacts=[])
    if wait := searches.wait_of(deps.live, caller):
        raise RateLimited(wait, searches.PER_MINUTE.most, "searches of one caller are limited to")
    terms, ids = terms_of(name), list[str]()
    for partition in partitions_of(caller.company, terms):
        if len(ids) < MOST_CANDIDATES:
            ids += tokens.found(deps.contacts, partition, limit=MOST_CANDIDATES - len(ids))[0]
    found = deps.people(caller).with_terms(ids, terms, {known.profile.contact_id})
    views = [
        view
        for one in found
        if frozenset(words_of((view := contacts.view_of(one)).name or "")) == words
        and not merges.separated(deps.contacts, known.profile, one.profile)
    ]
    return Contacts(contacts=views[:MOST_SUGGESTED])
