"""All identifiers and profiles of a person, from those that a request names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from boto3.dynamodb.conditions import Key

from console.store.person_jobs import Named, NameKind
from shared.identity.addresses import AddressInvalid
from shared.identity.contacts import resolution
from shared.identity.identifiers import IdentifierKind, identifier
from shared.inbox.items import CONTACT_INDEX, Context, Entry, OfContact, pk

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from console.privacy.contexts import ContextJobs
    from shared.identity.contacts.items import Profile
    from shared.inbox.entries import Heads, Tables

_KINDS = {IdentifierKind.PHONE: NameKind.PHONE, IdentifierKind.EMAIL: NameKind.EMAIL}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """Where the identifiers of a person are found: contacts and inbox, heads, and what contexts know."""

    tables: Tables
    heads: Mapping[Context, Heads]
    contexts: Collection[ContextJobs]


def of_names(
    sources: Sources, company: str, given: Sequence[Named]
) -> tuple[list[Named], list[str]]:
    """
    Return all identifiers of the person, the given ones first, and the ids of all profiles, those that others lead to
    last.

    Further identifiers are those that a context knows, and those that the conversations of the person's contacts prove.
    The contact of a number that has passed on to the person is the earlier owner's, and is left alone. Takes several
    calls.
    """
    names = dict.fromkeys(given)
    profiles: dict[Named, list[Profile]] = {}
    while new := [one for one in names if one not in profiles]:
        for name in new:
            for context in sources.contexts:
                names |= dict.fromkeys(context.known_as(company, name))
            has_passed_on = any(one.has_passed_on(company, name) for one in sources.contexts)
            profiles[name] = [] if has_passed_on else list(_profiles(sources.tables, company, name))
            for profile in profiles[name]:
                names |= dict.fromkeys(_claimed(sources, company, profile))
    found = [profile for of_name in profiles.values() for profile in of_name]
    roots = dict.fromkeys(profile.contact_id for profile in found)
    own = _ids_of(company, [name for name, of_name in profiles.items() if of_name])
    ids = dict.fromkeys([*own, *(member for one in found for member in sorted(one.members))])
    return list(names), [*(one for one in ids if one not in roots), *roots]


def _profiles(tables: Tables, company: str, name: Named) -> Iterator[Profile]:
    for contact_id in _ids_of(company, [name]):
        profile = resolution.current(tables.contacts, company, contact_id)
        if profile is not None:
            yield profile


def _ids_of(company: str, names: Iterable[Named]) -> list[str]:
    """Return the ids of the profiles of identifiers, with all keys; user ids have none."""
    found: list[str] = []
    for name in names:
        if name.kind is NameKind.USER_ID:
            continue
        try:
            found += resolution.ids_of(company, identifier(IdentifierKind(name.kind), name.value))
        except AddressInvalid:
            continue
    return found


def _claimed(sources: Sources, company: str, profile: Profile) -> Iterator[Named]:
    """Yield the identifiers that the conversations of a contact prove."""
    for contact_id in [profile.contact_id, *sorted(profile.members)]:
        for entry in _conversations(sources.tables, contact_id):
            head = sources.heads[entry.context].read(entry.reference)
            for claim in head.claims if head is not None and head.company_id == company else ():
                if (kind := _KINDS.get(claim.identifier.kind)) is not None:
                    yield Named(kind, claim.identifier.value)


def _conversations(tables: Tables, contact_id: str) -> Iterator[Entry]:
    condition = Key(OfContact.name_of("contact_id")).eq(contact_id)
    start = None
    while True:
        listed, start = tables.inbox.query(CONTACT_INDEX, condition, limit=100, start=start)
        stored = tables.inbox.get_many([pk(OfContact.read(item).pk) for item in listed])
        yield from map(Entry.read, stored)
        if start is None:
            return
