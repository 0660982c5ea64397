"""
Resolves identifiers to the contact of a company. Safe to repeat, in any order, beside any other run.

Each identifier has a profile of its own, whose id is the identifier's keyed hash. Profiles whose identifiers are proven
to be one person's are linked, always from the greater id to the lesser one:

    profile of a phone number      <-- merged_into -- profile of an e-mail address
      (the contact)                <-- merged_into -- profile of a user id

So a contact's id is the least id of its identifiers: the same after any order of events, and after a rebuild.

The profile of the first identifier lists the tokens that find the person, by name or by a part of an identifier, before
the items of the tokens are written: so all of them can be removed with it.

A link is one conditional write. Before it, the lesser profile takes the members of the greater one, and the link is
refused if the greater one has changed since: no member is lost to a crash or to another run.

Merges by people (`merges.py`) change no link. They are resolved on reading, over the trees that events have made: so an
undo leaves no trace in the trees, and events and rebuilds need not know of merges.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aws_lambda_powertools.metrics import MetricUnit

from shared.aws.dynamodb import ConditionFailed
from shared.identity import keyed_hashes
from shared.identity.contacts import tokens
from shared.identity.contacts.claims import Proof
from shared.identity.contacts.items import Merge, Profile
from shared.runtime import clock
from shared.runtime.failures import Transient
from shared.runtime.observability import metrics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shared.aws.dynamodb import Attributes, Table
    from shared.identity.contacts.claims import Claim
    from shared.identity.identifiers import Identifier

ID_CHARACTERS = 26  # base32: 130 bits
MOST_MEMBERS = 50
MOST_TOKENS = 60  # of a profile; one with so many is not found by further names
MOST_ROUNDS = 8  # Two runs meet only at the same person's concurrent events.


_JOINS = frozenset({Proof.PROVIDER, Proof.COMPANY})


def resolve(
    table: Table, company: str, claims: Sequence[Claim], at_ms: int, name: str | None = None
) -> str:
    """
    Return the id of the contact that the first of an event's *claims* names; create it if it is new.

    The other claims join it if they and the first have provider or company proof. A contact that would get more than
    MOST_MEMBERS members is not joined. *at_ms*: the time of the event. *name*: the person's in this event; searches
    find the contact by it from then on, as by its identifiers. Raises Transient after many concurrent writes,
    ClientError, and as `keyed_hashes.all_keys`.
    """
    first, *others = claims
    joined = [claim for claim in others if {claim.proof, first.proof} <= _JOINS]
    identifiers = list(dict.fromkeys([first.identifier, *(claim.identifier for claim in joined)]))
    of_identifiers = (token for one in identifiers for token in tokens.of_identifier(one))
    found_by = tokens.hashes(company, [*of_identifiers, *tokens.of_name(name)])
    for _ in range(MOST_ROUNDS):
        try:
            contact = _joined(table, company, identifiers, at_ms, found_by)
            if contact is None:
                metrics.add_metric("ContactJoinRefused", MetricUnit.Count, 1)
                contact = _joined(table, company, identifiers[:1], at_ms, found_by)
        except ConditionFailed:
            continue
        if contact is not None:
            return contact
    raise Transient("contact_contended")


def current(table: Table, company: str, contact_id: str) -> Profile | None:
    """
    Return the contact that this one is, or was merged into (strongly consistent); None if it does not exist.

    Its id is the least of its contacts that events or people have merged, its members are all others.
    """
    root = root_of(table, company, contact_id)
    return whole(table, root) if root else None


def root_of(table: Table, company: str, contact_id: str) -> Profile | None:
    """Return the contact that events have made of this one, without merges by people; None if it does not exist."""
    item = table.get(Profile.key(company, contact_id))
    return _root(table, Profile.read(item)) if item else None


def whole(table: Table, root: Profile) -> Profile:
    """
    Return the contact that people have made of this one and others; itself if they have merged it with none.

    Reads each merge once and each merged contact once. It is for reading: members and merges are not the stored ones.
    An identifier that was added to a contact never gives it its id, so that its removal leaves the contact its own.
    """
    if not root.merges:
        return root
    roots, seen, added = {root.contact_id: root}, set[str](), set[str]()
    while new := {merge for each in roots.values() for merge in each.merges} - seen:
        seen |= new
        keys = [Merge.key(root.company_id, one) for one in sorted(new)]
        holding = [one for one in map(Merge.read, table.get_many(keys)) if one.undone_at is None]
        added |= {one.merged for one in holding if one.kind == "identifier"}
        for end in sorted({end for one in holding for end in (one.kept, one.merged)}):
            known = {*roots, *(member for each in roots.values() for member in each.members)}
            if end not in known and (found := root_of(table, root.company_id, end)) is not None:
                roots[found.contact_id] = found
    own = {name for name, each in roots.items() if added.isdisjoint({name, *each.members})}
    contact_id = min(own or roots)
    ids = {*roots, *(member for each in roots.values() for member in each.members)}
    fields = {"members": ids - {contact_id}, "merges": seen}
    return roots[contact_id].model_copy(update=fields)


def found_by(table: Table, profile: Profile, name_tokens: Sequence[tokens.Token]) -> None:
    """Make a stored profile found by further tokens. Safe to repeat. Raises as `tokens.write`, and ConditionFailed."""
    hashed = tokens.hashes(profile.company_id, name_tokens)
    listed = _list_tokens(table, profile, hashed)
    tokens.write(table, profile.company_id, profile.contact_id, sorted(listed))


def _joined(
    table: Table,
    company: str,
    identifiers: Sequence[Identifier],
    at_ms: int,
    found_by: set[str],
) -> str | None:
    """Return the one contact of all *identifiers*, None if it would be too large. Raises ConditionFailed."""
    ids = {each: ids_of(company, each) for each in identifiers}
    keys = [Profile.key(company, one) for found in ids.values() for one in found]
    stored = {p.contact_id: p for p in map(Profile.read, table.get_many(keys))}
    new = {
        found[0]: _new(company, found[0], identifier, at_ms)
        for identifier, found in ids.items()
        if stored.keys().isdisjoint(found)
    }
    own = ids[identifiers[0]]
    first = next((one for one in own if one in stored), own[0])
    if first in new:
        new[first] = new[first].model_copy(update={"tokens": found_by})
    else:
        found_by = _list_tokens(table, stored[first], found_by)
    roots = {root.contact_id: root for root in (_root(table, p) for p in stored.values())}
    contact_id = min(roots.keys() | new.keys())
    members = {*roots, *new, *(m for root in roots.values() for m in root.members)} - {contact_id}
    merges = {merge for root in roots.values() for merge in root.merges}
    if len(members) > MOST_MEMBERS and len(identifiers) > 1:
        return None
    if contact_id in new:
        listed = Profile.activity_list(company, at_ms)
        fields = {
            "members": members,
            "merges": merges,
            "activity_pk": listed,
            "last_activity_at": clock.to_text(at_ms),
        }
        _create(table, new.pop(contact_id), **fields)
    else:
        _take_members(table, roots.pop(contact_id), members, merges)
    for profile in new.values():
        _create(table, profile, merged_into=contact_id)
    for root in roots.values():
        _link(table, root, contact_id)
    tokens.write(table, company, first, sorted(found_by))
    return contact_id


def ids_of(company: str, identifier: Identifier) -> list[str]:
    """Return the ids of an identifier's profile with all keys, the write key first."""
    parts = ("contact", company, identifier.kind, identifier.value)
    return [key.base32(*parts)[:ID_CHARACTERS] for key in keyed_hashes.all_keys()]


def _root(table: Table, profile: Profile) -> Profile:
    """
    Follow the links of a profile to the contact. Each id is less than the one before.

    A link to a contact that was erased leads nowhere: the profile then stands for itself.
    """
    while profile.merged_into is not None:
        item = table.get(Profile.key(profile.company_id, profile.merged_into))
        if item is None:
            return profile
        profile = Profile.read(item)
    return profile


def _new(company: str, contact_id: str, identifier: Identifier, at_ms: int) -> Profile:
    return Profile(
        **Profile.key(company, contact_id),
        company_id=company,
        contact_id=contact_id,
        kind=identifier.kind,
        created_at=clock.to_text(at_ms),
        members=set(),
        merges=set(),
        tokens=set(),
    )


def _create(table: Table, profile: Profile, **fields: object) -> None:
    made = profile.model_copy(update=fields)
    table.put(made.attributes(), when=Profile.attr("version").not_exists())


def _list_tokens(table: Table, profile: Profile, found_by: set[str]) -> set[str]:
    """Add tokens to the list of a profile, unless it would have too many; return those of them that it has."""
    if found_by <= profile.tokens:
        return found_by
    if len(found_by | profile.tokens) > MOST_TOKENS:
        return found_by & profile.tokens
    table.update(
        _key_of(profile),
        add=Profile.named(tokens=found_by - profile.tokens),
        when=Profile.attr("version").exists(),
    )
    return found_by


def _take_members(table: Table, root: Profile, members: set[str], merges: set[str]) -> None:
    taken = {"members": members - root.members, "merges": merges - root.merges}
    if not any(taken.values()):
        return
    table.update(
        _key_of(root),
        add=Profile.named(**{name: ids for name, ids in taken.items() if ids}, version=1),
        when=Profile.attr("version").eq(root.version),
    )


def _link(table: Table, root: Profile, contact_id: str) -> None:
    table.update(
        _key_of(root),
        put=Profile.named(merged_into=contact_id),
        add=Profile.named(version=1),
        drop=[Profile.name_of("activity_pk")],
        when=Profile.attr("version").eq(root.version),
    )


def _key_of(profile: Profile) -> Attributes:
    return Profile.key(profile.company_id, profile.contact_id)
