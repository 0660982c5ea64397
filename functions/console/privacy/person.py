"""All names and profiles of a person, from the name that a request has."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from boto3.dynamodb.conditions import Key

from shared.contacts import tickets
from shared.identity.addresses import AddressInvalid
from shared.identity.contacts import resolution, tokens
from shared.identity.contacts.items import Profile
from shared.identity.identifiers import IdentifierKind, identifier
from shared.inbox.items import CONTACT_INDEX, Context, Entry, OfContact, pk
from shared.privacy.parts import Known, Named, NameKind

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from shared.identity.identifiers import Identifier
    from shared.inbox.entries import Tables
    from shared.privacy.parts import Part, PersonHeads

_KINDS = {
    IdentifierKind.PHONE: NameKind.PHONE,
    IdentifierKind.EMAIL: NameKind.EMAIL,
    IdentifierKind.USER_ID: NameKind.USER_ID,
    IdentifierKind.EXTERNAL: NameKind.EXTERNAL,
}
_IDENTIFIERS = {name: kind for kind, name in _KINDS.items()}
_OF_CONTEXTS = frozenset({NameKind.PHONE, NameKind.EMAIL, NameKind.USER_ID})
OWNED = "~"  # begins the name of one owner of a number that had several
ENTRIES_A_READ = 100
MOST_ACCOUNTS = 100  # of WhatsApp


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """The sources of a person's names: contacts and inbox, heads, and what contexts know."""

    tables: Tables
    heads: Mapping[Context, PersonHeads]
    parts: Collection[Part]


@dataclass(slots=True)
class Budget:
    """
    The conversations that may be read for their names; *is_cut*: there are more. *found* are the contexts of those that
    were read, by the keys of their entries.
    """

    left: int
    is_cut: bool = False
    found: dict[str, str] = field(default_factory=dict)


def exists(sources: Sources, company: str, name: Named) -> bool:
    """Whether a name of a contact leads to one."""
    return next(_profiles(sources.tables, company, name), None) is not None


def of_names(
    sources: Sources, company: str, given: Sequence[Named], budget: Budget | None = None
) -> tuple[list[Named], list[str]]:
    """
    Return all names of the person, the given ones first, and the ids of all profiles, those that others lead to last.

    Further names are those that a context knows, those that the conversations of the person's contacts prove, those
    that people have added to the contacts, and the tickets of these. The contact of a number that has passed on to the
    person is the earlier owner's, and is left alone. Takes several calls; with a *budget* only so many conversations
    are read.
    """
    names = dict.fromkeys(given)
    claimed: dict[Named, None] = {}
    profiles: dict[Named, list[Profile]] = {}
    while new := [one for one in names if one not in profiles]:
        for name in new:
            known = [_known(part, company, name) for part in sources.parts]
            has_passed_on = any(one.has_passed_on for one in known)
            if has_passed_on and name in claimed and name not in given:
                # The person's number of that time: the contexts know its present owner.
                del names[name]
                profiles[name] = list(_profiles(sources.tables, company, name))
                names[former(name)] = None
                continue
            names |= dict.fromkeys(named for one in known for named in one.names)
            profiles[name] = [] if has_passed_on else list(_profiles(sources.tables, company, name))
            for profile in profiles[name]:
                names |= dict.fromkeys(_added(sources.tables, profile))
                found_tickets = tickets.of_person(sources.tables.contacts, profile)
                names |= {Named(NameKind.TICKET, one.ticket_id): None for one in found_tickets}
                claimed |= dict.fromkeys(_claimed(sources, company, profile, budget))
                names |= {one: None for one in claimed if former(one) not in names}
    found = [profile for of_name in profiles.values() for profile in of_name]
    roots = dict.fromkeys(profile.contact_id for profile in found)
    own = _ids_of(sources.tables, company, [name for name, of_name in profiles.items() if of_name])
    ids = dict.fromkeys([*own, *(member for one in found for member in sorted(one.members))])
    return list(names), [*(one for one in ids if one not in roots), *roots]


def ids_of_names(tables: Tables, company: str, names: Iterable[Named]) -> list[str]:
    """Return the ids that profiles of numbers, addresses and external ids have, also of those that do not exist."""
    named = (one for one in names if one.kind is not NameKind.USER_ID and OWNED not in one.value)
    return _ids_of(tables, company, named)


def former(name: Named) -> Named:
    """Return a number as the first owner's, who has it no more."""
    return Named(name.kind, f"{name.value}{OWNED}")


def _known(part: Part, company: str, name: Named) -> Known:
    if name.kind not in _OF_CONTEXTS or OWNED in name.value:
        return Known(names=[], has_passed_on=False)
    return part.known(company, name)


def _profiles(tables: Tables, company: str, name: Named) -> Iterator[Profile]:
    for contact_id in _ids_of(tables, company, [name]):
        profile = resolution.current(tables.contacts, company, contact_id)
        if profile is not None:
            yield profile


def _ids_of(tables: Tables, company: str, names: Iterable[Named]) -> list[str]:
    """Return the ids of the profiles of names, with all keys."""
    found: list[str] = []
    for name in names:
        if name.kind is NameKind.CONTACT:
            found.append(name.value)
        if name.kind is NameKind.USER_ID:
            found += _of_user_id(tables, company, name.value)
            continue
        if (kind := _IDENTIFIERS.get(name.kind)) is None:
            continue
        try:
            found += resolution.ids_of(company, identifier(kind, name.value))
        except AddressInvalid:
            continue
    return found


def _of_user_id(tables: Tables, company: str, user_id: str) -> list[str]:
    """Return the ids of the profiles of a user id, which are one for each of the company's accounts of WhatsApp."""
    ids = [
        one
        for partition in tokens.partitions(company, [tokens.of_id(user_id)])
        for one in tokens.found(tables.contacts, partition, limit=MOST_ACCOUNTS)[0]
    ]
    keys = [Profile.key(company, one) for one in dict.fromkeys(ids)]
    stored = map(Profile.read, tables.contacts.get_many(keys) if keys else [])
    return [one.contact_id for one in stored if one.kind is IdentifierKind.USER_ID]


def _added(tables: Tables, profile: Profile) -> Iterator[Named]:
    """Yield the identifiers that people have added to a contact."""
    ids = [profile.contact_id, *sorted(profile.members)]
    stored = tables.contacts.get_many([Profile.key(profile.company_id, one) for one in ids])
    for one in map(Profile.read, stored):
        if one.value is not None and (kind := _KINDS.get(one.kind)) is not None:
            yield Named(kind, one.value)


def _name_of(one: Identifier) -> Named | None:
    """Return the name by which contexts know an identifier: of a user id, it is without its account."""
    kind = _KINDS.get(one.kind)
    if kind is NameKind.USER_ID:
        return Named(kind, one.value.partition(":")[2])
    return Named(kind, one.value) if kind is not None else None


def _claimed(
    sources: Sources, company: str, profile: Profile, budget: Budget | None
) -> Iterator[Named]:
    """Yield the identifiers that the conversations of a contact prove."""
    for contact_id in [profile.contact_id, *sorted(profile.members)]:
        for entries in conversations(sources.tables, contact_id, budget):
            if budget is not None:
                own = [one for one in entries if one.company_id == company]
                budget.found |= {one.pk: str(one.context) for one in own}
            for context, heads in sources.heads.items():
                refs = [one.reference for one in entries if one.context is context]
                batch = heads.prefetched(refs) if refs else heads
                for head in map(batch.read, refs):
                    if head is None or head.company_id != company:
                        continue
                    for claim in head.claims:
                        if (name := _name_of(claim.identifier)) is not None:
                            yield name


def conversations(
    tables: Tables, contact_id: str, budget: Budget | None = None
) -> Iterator[list[Entry]]:
    """Yield the entries of a contact in pages; with a *budget* only so many."""
    condition = Key(OfContact.name_of("contact_id")).eq(contact_id)
    start = None
    while True:
        if budget is not None and budget.left <= 0:
            budget.is_cut = True
            return
        listed, start = tables.inbox.query(
            CONTACT_INDEX, condition, limit=ENTRIES_A_READ, start=start
        )
        if budget is not None:
            budget.left -= len(listed)
        stored = tables.inbox.get_many([pk(OfContact.read(item).pk) for item in listed])
        yield [Entry.read(item) for item in stored]
        if start is None:
            return
