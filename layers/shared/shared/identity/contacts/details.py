"""What people have stored about a person: details and identifiers, over the profiles of all merged contacts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shared.aws.dynamodb import ConditionFailed
from shared.aws.tables.items import stored
from shared.identity.contacts import resolution, tokens
from shared.identity.contacts.items import Details, Profile
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boto3.dynamodb.conditions import ConditionBase

    from shared.aws.dynamodb import Table

FIELDS = ("name", "given_names", "language", "zone", "organisation", "labels", "owner")


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


def change(
    table: Table,
    person: Profile,
    fields: Mapping[str, object],
    *,
    cause: str,
    version: int | None = None,
) -> None:
    """
    Store changed *fields* of the details of a contact; searches find it by a new name at once.

    Safe to repeat with the same *cause*. Raises VersionConflict if *version* is not the present one, or if others
    change the contact meanwhile, and ClientError.
    """
    present = described(table, person)
    before = present.details
    if before is not None and before.cause == cause:
        return
    if version is not None and version != present.version:
        raise VersionConflict("the contact has changed since that version")
    now = clock.now_ms()
    newest = max(now, clock.from_text(before.changed_at) + 1) if before else now
    kept = {name: getattr(before, name) for name in FIELDS} if before else {}
    others = {one.contact_id for one in present.profiles if one.details} - {person.contact_id}
    after = Details.model_validate(
        {
            **kept,
            **fields,
            "changed_at": clock.to_text(newest),
            "cause": cause,
            "covers": others or None,
        }
    )
    _write(table, person, after)


def _write(table: Table, person: Profile, after: Details) -> None:
    count = Profile.attr("details_version")
    unchanged: ConditionBase = count.eq(person.details_version)
    if person.details_version == 0:
        unchanged |= count.not_exists()
    own = resolution.root_of(table, person.company_id, person.contact_id)
    if own is None or own.contact_id != person.contact_id:
        raise VersionConflict("the contact has changed meanwhile")
    resolution.found_by(table, own, tokens.of_name(_names(after)))
    key = Profile.key(person.company_id, person.contact_id)
    try:
        table.update(
            key,
            put=Profile.named(details=stored(after)),
            add=Profile.named(details_version=1),
            when=Profile.attr("version").exists() & unchanged,
        )
    except ConditionFailed:
        item = table.get(key)
        written = Profile.read(item).details if item else None
        if written is None or written.cause != after.cause:  # else by our own first attempt
            raise VersionConflict("the contact has changed meanwhile") from None


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
            combined = combined.model_copy(update={**absent, "labels": labels or None})
    return combined
