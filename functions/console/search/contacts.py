"""
Finds contacts by the terms of a search, with the conversations that show them: for GET /contacts and GET /inbox.

A contact is found by the tokens of its rarest term, and compared with all terms by what its newest conversations show
to the caller.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from console.reading_rights import is_readable, readable
from console.search.filters import Filters
from console.search.terms import Term, digits_of
from shared.api.auth import Scope
from shared.identity.contacts import details, resolution, tokens
from shared.identity.contacts.words import searched
from shared.inbox.items import Entry, OfContact, pk
from shared.inbox.lists import of_contact
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from shared.api.auth import Caller
    from shared.aws.dynamodb import Table
    from shared.identity.contacts.details import Described
    from shared.identity.contacts.items import AttributeValue, Profile

NEWEST: Final = 20  # conversations by which a contact is shown
NO_FILTERS: Final = Filters()


@dataclass(frozen=True, slots=True)
class Found:
    """
    A contact, its newest conversations that the caller may read, newest first, and what people have stored about it,
    if the caller may read that. It has one of both.
    """

    profile: Profile
    entries: Sequence[Entry]
    described: Described | None

    @property
    def values(self) -> Mapping[str, AttributeValue]:
        """The stored values of attributes."""
        stored = self.described.details if self.described else None
        return (stored.attributes if stored else None) or {}

    def has(self, term: Term) -> bool:
        """Whether one of its conversations, or the stored details, have a term."""
        return any(_has(entry, term) for entry in self.entries) or _describes(self.described, term)


@dataclass(frozen=True, slots=True)
class ContactSearch:
    """The contacts of the caller's company, over the tables of the inbox and of the contacts."""

    inbox: Table
    contacts: Table
    caller: Caller

    def with_terms(
        self, ids: Sequence[str], terms: Sequence[Term], listed: Collection[str] = ()
    ) -> list[Found]:
        """Return the contacts with these ids that have all terms, each once, without those *listed*."""
        found: dict[str, Found] = {}
        for contact_id in ids:
            profile = resolution.current(self.contacts, self.caller.company, contact_id)
            if profile is None or profile.contact_id in {*listed, *found}:
                continue
            shown = self.shown(profile)
            if shown is not None and all(map(shown.has, terms)):
                found[profile.contact_id] = shown
        return list(found.values())

    def first(self, terms: Sequence[Term], most: int) -> list[Found]:
        """Return the contacts that have all terms among the first *most* that have the rarest one."""
        ids: list[str] = []
        for partition in partitions_of(self.caller.company, terms):
            if len(ids) < most:
                more, _ = tokens.found(self.contacts, partition, limit=most - len(ids))
                ids += more
        return self.with_terms(ids, terms)

    def shown(self, profile: Profile) -> Found | None:
        """Return a contact as the caller may see it; None if it may see none of its conversations and no details."""
        entries = self.newest(profile)
        may_read = Scope.CONTACTS_READ in self.caller.scopes
        described = details.described(self.contacts, profile) if may_read else None
        if not entries and (described is None or described.details is None):
            return None
        return Found(profile, entries, described)

    def newest(self, profile: Profile) -> list[Entry]:
        """Return the newest conversations of a contact that the caller may read, newest first."""
        return self.entries(self.listed(profile, NEWEST, None))

    def listed(self, profile: Profile, limit: int, before: str | None) -> list[OfContact]:
        """Return up to *limit* conversations of a contact, under the ids of all contacts that were merged into it."""
        return of_contact.listed(self.inbox, profile, limit, before)

    def entries(self, listed: Sequence[OfContact]) -> list[Entry]:
        """Return the entries that the caller may read, newest first."""
        stored = self.inbox.get_many([pk(one.pk) for one in listed]) if listed else []
        contexts = readable(self.caller)
        entries = [
            entry
            for entry in map(Entry.read, stored)
            if is_readable(self.caller, contexts, entry) and not clock.is_over(entry.ttl)
        ]
        return sorted(entries, key=lambda entry: entry.activity, reverse=True)


def partitions_of(company: str, terms: Sequence[Term], filters: Filters = NO_FILTERS) -> list[str]:
    """
    Return where the contacts with the rarest of the terms are, without terms those that the filters name.

    Raises as `keyed_hashes.all_keys`.
    """
    token = filters.token
    wanted = tokens_of(terms) if terms or token is None else [token]
    return tokens.partitions(company, wanted)


def tokens_of(terms: Sequence[Term]) -> list[tokens.Token]:
    """
    Return the tokens of the term that fewest contacts have: a number, else the longest word; and of the longest part as
    an external id.
    """
    numbers = [digits for term in terms if len(digits := digits_of(term)) >= tokens.DIGITS]
    words = [word for term in terms for word in term.words]
    ids = [tokens.of_id(max(words, key=len))] if words else []
    if numbers:
        return [*tokens.of_number(max(numbers, key=len)), *ids]
    named = [term for term in terms if not term.number]
    if not named:
        return [*(token for term in terms for token in tokens.of_number(digits_of(term))), *ids]
    longest = max(named, key=lambda term: len(term.words[0]))
    spellings = filter(None, (longest.words[0], longest.other))
    return [*dict.fromkeys(token for one in spellings for token in tokens.of_text(one)), *ids]


def _describes(described: Described | None, term: Term) -> bool:
    if described is None:
        return False
    values = [one.value for one in described.identifiers]
    stored = described.details
    names = [stored.name, stored.given_names] if stored else []
    text = searched("\n".join(filter(None, (*names, *values))))
    return any(term.fits(text, value) for value in (*values, None))


def _has(entry: Entry, term: Term) -> bool:
    text = searched("\n".join(filter(None, (entry.contact, entry.handle, entry.user_id))))
    return term.fits(text, entry.handle)
