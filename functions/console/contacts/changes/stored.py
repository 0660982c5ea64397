"""Creates contacts, and changes what people have stored about them: details and identifiers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from console.contacts import contacts
from console.contacts.changes import definitions
from console.contacts.contacts import ContactNotFound
from shared.api.errors import InvalidInput
from shared.identity.addresses import AddressInvalid
from shared.identity.contacts import attributes, details, merges, resolution
from shared.identity.contacts.claims import Claim, Proof
from shared.identity.contacts.history import Act
from shared.identity.contacts.items import Profile, What
from shared.identity.identifiers import IdentifierKind, identifier
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from console.api.inbox import InboxDependencies
    from console.contacts.changes.inputs import (
        ChangeContactInput,
        CreateContactInput,
        IdentifierInput,
    )
    from console.contacts.views import ContactView
    from shared.api.auth import Caller
    from shared.identity.contacts.items import AttributeValue
    from shared.identity.identifiers import Identifier


class IdentifierTaken(InvalidInput):
    """Another contact has the identifier. The problems name that contact if the caller may see it."""


class IdentifierNotFound(Exception):
    """The contact has no such identifier that people have named."""


def create(
    deps: InboxDependencies, caller: Caller, body: CreateContactInput, cause: str
) -> Callable[[], ContactView]:
    """
    Return the change that creates a contact. Raises InvalidInput, and the change IdentifierTaken.

    The first identifier makes the contact, the others are added to it; a repeat after a crash goes on.
    """
    named = list(dict.fromkeys(_parsed(body.identifiers)))
    values = definitions.parsed(deps, caller, body.attributes or {})
    act = Act(cause, caller.principal)

    def created() -> ContactView:
        seen = {one: _seen_free(deps, caller, one, cause=cause) for one in named}
        first = _named(deps, caller, named[0], cause, seen[named[0]])
        fields = body.model_dump(exclude={"identifiers", "attributes"}, exclude_none=True)
        person = resolution.current(deps.contacts, caller.company, first.contact_id)
        if person is None:
            raise ContactNotFound("no such contact")
        _described(deps, person, fields, act=act, what=What.CREATED, values=values)
        for one in named[1:]:
            added = _named(deps, caller, one, cause, seen[one])
            merges.add_identifier(
                deps.contacts, caller.company, first.contact_id, added.contact_id, act
            )
        return contacts.read(deps, caller, first.contact_id)

    return created


def change(
    deps: InboxDependencies, caller: Caller, contact_id: str, body: ChangeContactInput, cause: str
) -> Callable[[], ContactView]:
    """Return the change of the details of a contact. Raises ContactNotFound, and the change VersionConflict."""
    found = contacts.shown(deps, caller, contact_id)
    given = body.given()
    fields = {name: given[name] for name in given.keys() - {"version", "attributes"}}
    values = definitions.parsed(deps, caller, body.attributes or {})
    act = Act(cause, caller.principal)

    def changed() -> ContactView:
        _described(deps, found.profile, fields, act=act, version=body.version, values=values)
        return contacts.read(deps, caller, contact_id)

    return changed


def add_identifier(
    deps: InboxDependencies, caller: Caller, contact_id: str, body: IdentifierInput, cause: str
) -> Callable[[], ContactView]:
    """Return the change that adds an identifier. Raises ContactNotFound, InvalidInput, the change IdentifierTaken."""
    person = contacts.shown(deps, caller, contact_id).profile
    (named,) = _parsed([body], prefix="")
    act = Act(cause, caller.principal)

    def added() -> ContactView:
        seen = _seen_free(deps, caller, named, person=person)
        profile = _named(deps, caller, named, cause, seen)
        merges.add_identifier(
            deps.contacts, caller.company, person.contact_id, profile.contact_id, act
        )
        return contacts.read(deps, caller, contact_id)

    return added


def remove_identifier(
    deps: InboxDependencies, caller: Caller, contact_id: str, identifier_id: str, cause: str
) -> Callable[[], ContactView]:
    """
    Return the change that takes an identifier from a contact.

    Raises ContactNotFound; the change IdentifierNotFound, also for an identifier that conversations prove.
    """
    person = contacts.shown(deps, caller, contact_id).profile

    def removed() -> ContactView:
        act = Act(cause, caller.principal)
        if not merges.remove_identifier(deps.contacts, person, identifier_id, act):
            raise IdentifierNotFound("the contact has no such identifier that was added to it")
        return contacts.read(deps, caller, person.contact_id)

    return removed


def _described(
    deps: InboxDependencies,
    person: Profile,
    fields: Mapping[str, object],
    *,
    act: Act,
    what: What = What.CHANGED,
    version: int | None = None,
    values: Mapping[str, AttributeValue | None],
) -> None:
    """Change the details of a contact. Raises VersionConflict, Unprocessable."""
    try:
        details.change(
            deps.contacts, person, fields, act=act, what=what, version=version, values=values
        )
    except attributes.ValuesRefused as refusal:
        raise definitions.refused(refusal) from None


def _parsed(given: Sequence[IdentifierInput], prefix: str = "identifiers.") -> list[Identifier]:
    found, problems = [], []
    for number, one in enumerate(given):
        try:
            found.append(identifier(IdentifierKind(one.kind), one.value, region=one.region))
        except AddressInvalid as refusal:
            field = f"{prefix}{number}.value" if prefix else "value"
            problems.append({"field": field, "problem": refusal.reason})
    if problems:
        raise InvalidInput(problems)
    return found


def _profile(deps: InboxDependencies, caller: Caller, one: Identifier) -> Profile | None:
    """Return the profile of an identifier itself."""
    ids = resolution.ids_of(caller.company, one)
    keys = [Profile.key(caller.company, each) for each in ids]
    stored = {found.contact_id: found for found in map(Profile.read, deps.contacts.get_many(keys))}
    return next((stored[each] for each in ids if each in stored), None)


def _named(
    deps: InboxDependencies, caller: Caller, one: Identifier, cause: str, seen: str | None
) -> Profile:
    """Return the profile of an identifier, made if it is new, on which this request is stored."""
    claims = (Claim(one, Proof.COMPANY),)
    resolution.resolve(deps.contacts, caller.company, claims, clock.now_ms())
    profile = _profile(deps, caller, one)
    if profile is None:
        raise ContactNotFound("no such contact")  # erased meanwhile
    merges.name_identifier(deps.contacts, profile, one.value, cause, seen=seen)
    return profile


def _seen_free(
    deps: InboxDependencies,
    caller: Caller,
    one: Identifier,
    *,
    cause: str | None = None,
    person: Profile | None = None,
) -> str | None:
    """
    Return which request has named an identifier, None if none has.

    Raises IdentifierTaken if another contact than *person*, or one that *cause* has not made, has it.
    """
    profile = _profile(deps, caller, one)
    if profile is None:
        return None
    holder = resolution.current(deps.contacts, caller.company, profile.contact_id)
    if holder is None or (person is not None and holder.contact_id == person.contact_id):
        return profile.named_by
    stored = details.described(deps.contacts, holder).details
    people = deps.people(caller)
    is_empty = stored is None and not people.listed(holder, 1, None)
    if is_empty or (stored is not None and stored.cause == cause):
        return profile.named_by
    problems = [{"field": "identifier", "problem": "belongs to another contact"}]
    if people.shown(holder) is not None:
        problems.append({"field": "contactId", "problem": holder.contact_id})
    raise IdentifierTaken(problems)
