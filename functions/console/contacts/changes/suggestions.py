"""
Suggests contacts that may be the same person as one, for people to decide.

First those that people have separated, and that an event names as the same person. Then, without others that people
have separated:

    the same WhatsApp user id at another account    ids are unique within a portfolio, which may have both
    the same number and name                        a number that one of both had before the other
    the same full name                              of two words at least
    an address in the signature of one              that is the other's

Candidates are read from partitions of tokens, as a search does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from console.contacts import contacts
from console.contacts.views import Contacts
from console.search.contacts import partitions_of
from console.search.terms import terms_of
from console.store import searches
from shared.api.auth import RateLimited
from shared.identity.addresses import normal_digits
from shared.identity.contacts import merges, tokens
from shared.identity.contacts.claims import Proof, claimed
from shared.identity.contacts.words import words_of
from shared.identity.identifiers import IdentifierKind
from shared.inbox.items import Channel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from console.api.inbox import InboxDependencies
    from console.search.contacts import Found
    from shared.api.auth import Caller
    from shared.identity.identifiers import Identifier
    from shared.inbox.items import Entry

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
    found = [*proven, *_alike(deps, caller, known, listed)]
    return Contacts(contacts=contacts.views_of(deps, found[:MOST_SUGGESTED]))


def _alike(deps: InboxDependencies, caller: Caller, known: Found, listed: set[str]) -> list[Found]:
    """Return contacts that look like this one, without those *listed*. Raises RateLimited."""
    name = _name_of(known)
    has_full_name = len(_words(name)) >= LEAST_WORDS
    signed = sorted(_signed(known))[:MOST_CANDIDATES]
    shared = [token for one in known.entries for token in _tokens_of(one)]
    signs = tokens.of_signed(_addresses_of(known))
    if not (has_full_name or signed or shared or signs):
        return []
    if wait := searches.wait_of(deps.live, caller):
        raise RateLimited(wait, searches.PER_MINUTE.most, "searches of one caller are limited to")
    ids = signed
    for each in (signs, shared):
        ids += _candidates(deps, tokens.partitions(caller.company, dict.fromkeys(each)))
    if has_full_name:
        ids += _candidates(deps, partitions_of(caller.company, terms_of(name)))
    found = deps.people(caller).with_terms(list(dict.fromkeys(ids)), (), listed)
    return [
        one
        for one in found
        if _is_alike(known, one) and not merges.separated(deps.contacts, known.profile, one.profile)
    ]


def _candidates(deps: InboxDependencies, partitions: Sequence[str]) -> list[str]:
    """Return up to MOST_CANDIDATES ids of contacts from these partitions."""
    ids: list[str] = []
    for partition in partitions:
        if len(ids) < MOST_CANDIDATES:
            ids += tokens.found(deps.contacts, partition, limit=MOST_CANDIDATES - len(ids))[0]
    return ids


def _tokens_of(entry: Entry) -> list[tokens.Token]:
    """Return tokens of the number or user id by which a conversation reaches its customer."""
    if entry.user_id:
        return [tokens.of_id(entry.user_id)]
    return tokens.of_number(_number_of(entry) or "")


def _is_alike(known: Found, other: Found) -> bool:
    user_ids, others = ({one.user_id for one in each.entries} for each in (known, other))
    if (user_ids & others) - {None}:
        return True
    if _signed(known) & _ids_of(other) or _signed(other) & _ids_of(known):
        return True
    words = _words(_name_of(known))
    if not words or words != _words(_name_of(other)):
        return False
    numbers, others = ({_number_of(one) for one in each.entries} for each in (known, other))
    return len(words) >= LEAST_WORDS or bool((numbers & others) - {None})


def _signed(one: Found) -> set[str]:
    """Return the ids that the addresses in the signatures of a contact have as contacts."""
    return {contact_id for entry in one.entries for contact_id in entry.signed or ()}


def _ids_of(one: Found) -> set[str]:
    return {one.profile.contact_id, *one.profile.members}


def _addresses_of(one: Found) -> list[Identifier]:
    """Return the e-mail addresses of a contact, of which its newest conversations and people know."""
    shown = [entry.handle for entry in one.entries if entry.channel is Channel.EMAIL]
    named = one.described.identifiers if one.described else ()
    texts = [*shown, *(each.value for each in named if each.kind is IdentifierKind.EMAIL)]
    found = [claimed(IdentifierKind.EMAIL, text, Proof.COMPANY) for text in dict.fromkeys(texts)]
    return [claim.identifier for claims in found for claim in claims]


def _number_of(entry: Entry) -> str | None:
    """Return the digits of the number by which a conversation reaches its customer, in their normal form."""
    digits = (entry.handle or "").removeprefix("+")
    return normal_digits(digits) if digits.isascii() and digits.isdecimal() else None


def _name_of(one: Found) -> str:
    stored = one.described.details if one.described else None
    shown = next((entry.contact for entry in one.entries if entry.contact), None)
    return (stored.name if stored else None) or shown or ""


def _words(name: str) -> frozenset[str]:
    return frozenset(words_of(name))
