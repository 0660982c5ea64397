"""Details and identifiers that people have stored about a person, over the profiles of all merged contacts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shared.aws.dynamodb import TransactionRefused
from shared.aws.tables.items import stored
from shared.identity.contacts import attributes, history, resolution, tokens
from shared.identity.contacts.items import Details, Profile, What
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boto3.dynamodb.conditions import ConditionBase

    from shared.aws.dynamodb import Attributes, Table
    from shared.identity.contacts.history import Act
    from shared.identity.contacts.items import AttributeValue

FIELDS = (
    *("name", "given_names", "language", "zone", "organisation", "labels", "owner"),
    "attributes",
)


@dataclass(frozen=True, slots=True)
class Described:
    """
    *details* of the newest change, with what older ones of contacts merged since add. *version* differs after every
    change, merge and undo. *identifiers* are the profiles whose identifiers people have named, oldest first.
    """

    details: Details | None
    version: int
    identifiers: Sequence[Profile]
    profiles: Sequence[Profile]


class VersionConflict(Exception):
    """The details have changed since the version that the caller has read."""


def described(table: Table, person: Profile) -> Described:
    """Return what is stored about a contact, as `resolution.current` returns it. Reads the members, if any."""
    keys = [Profile.key(person.company_id, one) for one in sorted(person.members)]
    others = [Profile.read(item) for item in table.get_many(keys)] if keys else []
    profiles = [person, *others]
    return Described(
        details=_combined(profiles),
        version=sum(one.details_version for one in profiles),
        identifiers=sorted(
            (one for one in profiles if one.value is not None),
            key=lambda one: (one.created_at, one.contact_id),
        ),
        profiles=profiles,
    )


class TooManyValues(Exception):
    """The contact has had too many labels, owners and filterable values: searches would not find it by further ones."""


def change(
    table: Table,
    person: Profile,
    fields: Mapping[str, object],
    *,
    act: Act,
    what: What = What.CHANGED,
    version: int | None = None,
    values: Mapping[str, AttributeValue | None] | None = None,
) -> None:
    """
    Store changed *fields* of the details of a contact, and *values* of attributes; searches find it by them at once.

    Safe to repeat with the same *act*. Raises VersionConflict if *version* is not the present one, or if others
    change the contact meanwhile, TooManyValues, ValuesRefused (`attributes.combined`), and ClientError.
    """
    present = described(table, person)
    before = present.details
    if before is not None and before.cause == act.cause:
        return
    if version is not None and version != present.version:
        raise VersionConflict("the contact has changed since that version")
    now = clock.now_ms()
    newest = max(now, clock.from_text(before.changed_at) + 1) if before else now
    kept = {name: getattr(before, name) for name in FIELDS} if before else {}
    others = {one.contact_id for one in present.profiles if one.details} - {person.contact_id}
    changed = dict(fields)
    if values:
        changed["attributes"] = attributes.combined(kept.get("attributes"), values) or None
    after = Details.model_validate(
        {
            **kept,
            **changed,
            "changed_at": clock.to_text(newest),
            "cause": act.cause,
            "covers": others or None,
        }
    )
    names = [*fields, *(f"attributes.{name}" for name in values or ())]
    contact = person.company_id, person.contact_id
    recorded = history.written(table, contact, what, act, at=after.changed_at, fields=names)
    _write(table, person, after, recorded)


def _write(table: Table, person: Profile, after: Details, recorded: Attributes) -> None:
    count = Profile.attr("details_version")
    unchanged: ConditionBase = count.eq(person.details_version)
    if person.details_version == 0:
        unchanged |= count.not_exists()
    own = resolution.root_of(table, person.company_id, person.contact_id)
    if own is None or own.contact_id != person.contact_id:
        raise VersionConflict("the contact has changed meanwhile")
    if not resolution.found_by(table, own, _tokens(table, person.company_id, after)):
        raise TooManyValues("the contact has had too many labels, owners and choices")
    key = Profile.key(person.company_id, person.contact_id)
    try:
        table.transact(
            table.to_update(
                key,
                put=Profile.named(details=stored(after)),
                add=Profile.named(details_version=1),
                when=Profile.attr("version").exists() & unchanged,
            ),
            recorded,
        )
    except TransactionRefused:
        item = table.get(key)
        written = Profile.read(item).details if item else None
        if written is None or written.cause != after.cause:  # else by our own first attempt
            raise VersionConflict("the contact has changed meanwhile") from None


def _tokens(table: Table, company: str, details: Details) -> list[tokens.Token]:
    """Return the tokens by which a contact with these details is found."""
    found = tokens.of_name(_names(details))
    found += [tokens.of_label(one) for one in sorted(details.labels or ())]
    found += [tokens.of_owner(details.owner)] if details.owner else []
    if details.attributes:
        filters = attributes.of_company(table, company).filters_of(details.attributes)
        found += [tokens.of_attribute(*one) for one in filters]
    return found


def _names(details: Details) -> str:
    return " ".join(filter(None, (details.name, details.given_names)))


def _combined(profiles: Sequence[Profile]) -> Details | None:
    """Return the newest details; those that it does not cover add labels and the fields that it lacks."""
    given = [
        (one.details.changed_at, one.contact_id, one.details) for one in profiles if one.details
    ]
    ordered = sorted(given, key=lambda one: one[:2], reverse=True)
    if not ordered:
        return None
    combined, covered = ordered[0][2], {ordered[0][1], *(ordered[0][2].covers or ())}
    for _, contact_id, older in ordered[1:]:
        if contact_id not in covered:
            covered |= {contact_id, *(older.covers or ())}
            absent = {n: getattr(older, n) for n in FIELDS if getattr(combined, n) is None}
            labels = (combined.labels or set()) | (older.labels or set())
            values = {**(older.attributes or {}), **(combined.attributes or {})}
            merged = {"labels": labels or None, "attributes": values or None}
            combined = combined.model_copy(update=absent | merged)
    return combined
