"""
Merges of contacts by people, and their ends.

    list the merge on both contacts (each on the condition that no link of it has changed)
    write the merge            from here on both are one person for every reader, unless a link has changed since
    undo: mark the merge       from here on they are two people again

A merge moves nothing, so its cost does not depend on how many conversations the contacts have. A run that is killed
before the merge is written leaves ids on contacts that lead to no merge, which readers ignore. Links that events make
carry the ids to the contact that remains (`resolution`).
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from shared.aws.dynamodb import ConditionFailed, TransactionRefused
from shared.identity.contacts import history, resolution, separations
from shared.identity.contacts.items import UNDO_DAYS, Merge, Profile, What
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Mapping

    from boto3.dynamodb.conditions import ConditionBase

    from shared.aws.dynamodb import Table
    from shared.identity.contacts.history import Act

MOST_MERGES = 50  # of one person, undone ones included
MOST_ROUNDS = 8


class MergeRefused(Exception):
    """The contacts cannot be merged, or not be separated: they stay as they are."""


class Missing(Exception):
    """A contact does not exist, or not any more."""


def checked(table: Table, first: Profile, second: Profile) -> None:
    """Raise MergeRefused unless two contacts, as `resolution.current` returns them, may be merged."""
    if first.contact_id == second.contact_id:
        raise MergeRefused("both are the same contact")
    if separated(table, first, second):
        raise MergeRefused("people have separated these contacts")
    ids = {first.contact_id, second.contact_id, *first.members, *second.members}
    merges = first.merges | second.merges
    if len(ids) > resolution.MOST_MEMBERS or len(merges) >= MOST_MERGES:
        raise MergeRefused(f"a contact has at most {resolution.MOST_MEMBERS} merged ones")


def separated(table: Table, first: Profile, second: Profile) -> bool:
    """
    Whether people have undone a merge of two contacts, as `resolution.current` returns them, and no event has named
    both as one person.
    """
    both = separations.read(table, first.company_id, first.merges & second.merges)
    return any(_is_undone(one) and one.proven_at is None for one in both)


def proven(table: Table, person: Profile) -> list[str]:
    """Return the ids of contacts that events name as one person with this one, and that people have separated."""
    own = separations.ids_of(person)
    stored = separations.read(table, person.company_id, person.merges)
    ends = [
        (one.kept, one.merged) for one in stored if _is_undone(one) and one.proven_at is not None
    ]
    return sorted({end for pair in ends if own & {*pair} for end in pair if end not in own})


def merge(table: Table, company: str, first: str, second: str, act: Act) -> Merge:
    """
    Make two contacts one person and return the merge. Safe to repeat with the same *act*, in both orders.

    Raises Missing, MergeRefused, Transient and ClientError.
    """
    people = [resolution.current(table, company, one) for one in (first, second)]
    known, other = people
    if known is None or other is None:
        raise Missing("no such contact")
    if known.contact_id == other.contact_id:
        for one in separations.read(table, company, known.merges):
            if one.cause == act.cause and one.undone_at is None:
                return one
    checked(table, known, other)
    return _join(table, company, (known.contact_id, other.contact_id), act)


def name_identifier(
    table: Table, profile: Profile, value: str, cause: str, *, seen: str | None = None
) -> None:
    """
    Store on the profile of an identifier that people have named it. Safe to repeat with the same *cause*.

    *seen*: the request that had named it when the caller saw that no other contact has it. Of two requests at the same
    time one raises Transient.
    """
    if profile.named_by == cause:
        return
    present = Profile.attr("named_by")
    as_seen = present.eq(seen) if seen else present.not_exists()
    try:
        table.update(
            Profile.key(profile.company_id, profile.contact_id),
            put=Profile.named(value=value, named_by=cause),
            when=Profile.attr("version").exists() & (as_seen | present.eq(cause)),
        )
    except ConditionFailed:
        raise Transient("identifier_named_meanwhile") from None


def add_identifier(
    table: Table, company: str, contact_id: str, identifier_id: str, act: Act
) -> None:
    """
    Make the profile of an identifier, which `name_identifier` has named, a contact's. Safe to repeat.

    Of two contacts that are given the identifier at the same time one gets it. Raises Missing, Transient, ClientError.
    """
    person = resolution.current(table, company, contact_id)
    if person is None:
        raise Missing("no such contact")
    if identifier_id not in {person.contact_id, *person.members}:
        _join(table, company, (person.contact_id, identifier_id), act, identifier_id)


def remove_identifier(table: Table, person: Profile, identifier_id: str, act: Act) -> bool:
    """Separate an identifier that people have added; return False if they have not. Safe to repeat."""
    added = [
        one
        for one in separations.read(table, person.company_id, person.merges)
        if one.identifier_id == identifier_id and one.undone_at is None
    ]
    if added:
        key = Profile.key(person.company_id, identifier_id)
        named = [Profile.name_of("value"), Profile.name_of("named_by")]
        with suppress(ConditionFailed):  # It was erased meanwhile.
            table.update(key, drop=named, when=Profile.attr("version").exists())
    for one in added:
        _mark_undone(table, one, act)
    return bool(added)


def get(table: Table, company: str, merge_id: str) -> Merge | None:
    """Return a merge of two contacts of the company; None if there is none."""
    item = table.get(Merge.key(company, merge_id))
    found = Merge.read(item) if item else None
    return found if found is not None and found.kind == "contacts" else None


def undo(table: Table, merged: Merge, act: Act) -> Merge:
    """Make the contacts of a merge two people again. Safe to repeat. Raises MergeRefused after UNDO_DAYS."""
    if merged.undone_at is not None:
        return merged
    if (
        clock.now_ms()
        > clock.from_text(merged.at) + UNDO_DAYS * clock.DAY_SECONDS * clock.SECOND_MS
    ):
        raise MergeRefused(f"a merge can be undone for {UNDO_DAYS} days")
    return _mark_undone(table, merged, act)


def _is_undone(merged: Merge) -> bool:
    return merged.undone_at is not None and merged.kind == "contacts"


def _mark_undone(table: Table, merged: Merge, act: Act) -> Merge:
    key = Merge.key(merged.company_id, merged.merge_id)
    now = clock.to_text(clock.now_ms())
    what = What.SEPARATED if merged.kind == "contacts" else What.IDENTIFIER_REMOVED
    holds = Merge.attr("merge_id").exists() & Merge.attr("undone_at").not_exists()
    with suppress(TransactionRefused):  # by another undo, or by our own first attempt
        table.transact(
            table.to_update(key, put=Merge.named(undone_at=now), when=holds),
            history.written(table, (merged.company_id, merged.kept), what, act, at=now),
        )
        return merged.model_copy(update={"undone_at": now})
    item = table.get(key)
    if item is None:
        raise MergeRefused("the merge does not exist any more")
    return Merge.read(item)


def _join(
    table: Table,
    company: str,
    ends: tuple[str, str],
    act: Act,
    identifier_id: str | None = None,
) -> Merge:
    """List a merge on both contacts, then write it."""
    is_identifier = identifier_id is not None
    for _ in range(MOST_ROUNDS):
        roots = [resolution.root_of(table, company, one) for one in ends]
        known = {root.contact_id: root for root in roots if root is not None}
        if None in roots:
            raise Missing("no such contact")
        if len(known) == 1:
            raise MergeRefused("both are the same contact")  # An event has joined them meanwhile.
        kept, merged = known if is_identifier else sorted(known)
        kind = "identifier" if is_identifier else "contacts"
        merge_id = Merge.id_of(company, kind, kept, merged)
        before = next(iter(separations.read(table, company, [merge_id])), None)
        made = Merge(
            **Merge.key(company, merge_id),
            company_id=company,
            merge_id=merge_id,
            kind=kind,
            kept=kept,
            merged=merged,
            identifier_id=identifier_id,
            at=clock.to_text(clock.now_ms()),
            cause=act.cause,
            proven_at=before.proven_at if before is not None else None,
        )
        try:
            versions = {name: _list(table, root, merge_id) for name, root in known.items()}
        except ConditionFailed:
            continue
        written = _write(table, made, versions, act)
        if written is not None:
            return written
    raise Transient("contact_contended")


def _list(table: Table, root: Profile, merge_id: str) -> int:
    """List a merge on a contact, and return the version of the contact's links then. Raises ConditionFailed."""
    if merge_id in root.merges:
        return root.version
    table.update(
        Profile.key(root.company_id, root.contact_id),
        add=Profile.named(merges={merge_id}, version=1),
        when=Profile.attr("version").eq(root.version),
    )
    return root.version + 1


def _write(table: Table, made: Merge, versions: Mapping[str, int], act: Act) -> Merge | None:
    """
    Write a merge; return None if a link of its contacts, or the name of its identifier, has changed.

    One of an identifier holds again after it was undone, and so does one that an event has proven since. Raises
    MergeRefused for another one that was undone.
    """
    absent: ConditionBase = Merge.attr("merge_id").not_exists()
    if made.identifier_id is not None or made.proven_at is not None:
        absent |= Merge.attr("undone_at").exists()
    conditions: dict[str, ConditionBase] = {
        name: Profile.attr("version").eq(version) for name, version in versions.items()
    }
    if (named := made.identifier_id) is not None:
        is_named: ConditionBase = Profile.attr("named_by").eq(made.cause)
        conditions[named] = conditions[named] & is_named if named in conditions else is_named
    what = What.MERGED if made.identifier_id is None else What.IDENTIFIER_ADDED
    try:
        table.transact(
            table.to_put(made.attributes(), when=absent),
            history.written(table, (made.company_id, made.kept), what, act, at=made.at),
            *(
                table.to_check(Profile.key(made.company_id, name), when=condition)
                for name, condition in conditions.items()
            ),
        )
    except TransactionRefused as refusal:
        stored = next(iter(separations.read(table, made.company_id, [made.merge_id])), None)
        if stored is not None and stored.undone_at is None:
            return stored  # of our own first attempt, or of the same merge by another person
        if stored is not None and 0 in refusal.positions:
            raise MergeRefused("people have separated these contacts") from None
        return None
    return made
