"""All names and profiles of a person, from the name that a request has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from boto3.dynamodb.conditions import Key

from shared.identity.addresses import AddressInvalid
from shared.identity.contacts import resolution
from shared.identity.contacts.items import Profile
from shared.identity.identifiers import IdentifierKind, identifier
from shared.inbox.items import CONTACT_INDEX, Context, Entry, OfContact, pk
from shared.privacy.parts import Known, Named, NameKind

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from shared.inbox.entries import Tables
    from shared.privacy.parts import Part, PersonHeads

_KINDS = {
    IdentifierKind.PHONE: NameKind.PHONE,
    IdentifierKind.EMAIL: NameKind.EMAIL,
    IdentifierKind.EXTERNAL: NameKind.EXTERNAL,
}
_IDENTIFIERS = {name: kind for kind, name in _KINDS.items()}
_OF_CONTEXTS = frozenset({NameKind.PHONE, NameKind.EMAIL, NameKind.USER_ID})
ENTRIES_A_READ = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """Where the names of a person are found: contacts and inbox, heads, and what contexts know."""

    tables: Tables
    heads: Mapping[Context, PersonHeads]
    parts: Collection[Part]


@dataclass(slots=True)
class Budget:
    """The conversations that may be read for their names; *is_cut*: there are more."""

    left: int
    is_cut: bool = False


def exists(sources: Sources, company: str, name: Named) -> bool:
    """Whether a name of a contact leads to one."""
    return next(_profiles(sources.tables, company, name), None) is not None


def of_names(
    sources: Sources, company: str, given: Sequence[Named], budget: Budget | None = None
) -> tuple[list[Named], list[str]]:
    """
    Return all names of the person, the given ones first, and the ids of all profiles, those that others lead to last.

    Further names are those that a context knows, those that the conversations of the person's contacts prove, and those
    that people have added to the contacts. The contact of a number that has passed on to the person is the earlier
    owner's, and is left alone. Takes several calls; with a *budget* only so many conversations are read.
    """
    names = dict.fromkeys(given)
    profiles: dict[Named, list[Profile]] = {}
    while new := [one for one in names if one not in profiles]:
        for name in new:
            known = [_known(part, company, name) for part in sources.parts]
            names |= dict.fromkeys(named for one in known for named in one.names)
            has_passed_on = any(one.has_passed_on for one in known)
            profiles[name] = [] if has_passed_on else list(_profiles(sources.tables, company, name))
            for profile in profiles[name]:
                names |= dict.fromkeys(_added(sources.tables, profile))
                names |= dict.fromkeys(_claimed(sources, company, profile, budget))
    found = [profile for of_name in profiles.values() for profile in of_name]
    roots = dict.fromkeys(profile.contact_id for profile in found)
    own = _ids_of(company, [name for name, of_name in profiles.items() if of_name])
    ids = dict.fromkeys([*own, *(member for one in found for member in sorted(one.members))])
    return list(names), [*(one for one in ids if one not in roots), *roots]


def _known(part: Part, company: str, name: Named) -> Known:
    if name.kind not in _OF_CONTEXTS:
        return Known(names=[], has_passed_on=False)
    return part.known(company, name)


def _profiles(tables: Tables, company: str, name: Named) -> Iterator[Profile]:
    for contact_id in _ids_of(company, [name]):
        profile = resolution.current(tables.contacts, company, contact_id)
        if profile is not None:
            yield profile


def _ids_of(company: str, names: Iterable[Named]) -> list[str]:
    """Return the ids of the profiles of names, with all keys; user ids have none."""
    found: list[str] = []
    for name in names:
        if name.kind is NameKind.CONTACT:
            found.append(name.value)
        if (kind := _IDENTIFIERS.get(name.kind)) is None:
            continue
        try:
            found += resolution.ids_of(company, identifier(kind, name.value))
        except AddressInvalid:
            continue
    return found


def _added(tables: Tables, profile: Profile) -> Iterator[Named]:
    """Yield the identifiers that people have added to a contact."""
    ids = [profile.contact_id, *sorted(profile.members)]
    stored = tables.contacts.get_many([Profile.key(profile.company_id, one) for one in ids])
    for one in map(Profile.read, stored):
        if one.value is not None and (kind := _KINDS.get(one.kind)) is not None:
            yield Named(kind, one.value)


def _claimed(
    sources: Sources, company: str, profile: Profile, budget: Budget | None
) -> Iterator[Named]:
    """Yield the identifiers that the conversations of a contact prove."""
    for contact_id in [profile.contact_id, *sorted(profile.members)]:
        for entries in _conversations(sources.tables, contact_id, budget):
            for context, heads in sources.heads.items():
                refs = [one.reference for one in entries if one.context is context]
                batch = heads.prefetched(refs) if refs else heads
                for head in map(batch.read, refs):
                    if head is None or head.company_id != company:
                        continue
                    for claim in head.claims:
                        if (kind := _KINDS.get(claim.identifier.kind)) is not None:
                            yield Named(kind, claim.identifier.value)


def _conversations(tables: Tables, contact_id: str, budget: Budget | None) -> Iterator[list[Entry]]:
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
