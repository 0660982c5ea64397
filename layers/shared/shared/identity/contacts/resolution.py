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

Merges by people (`merges.py`) change no link. They are resolved on reading (`roots.py`), over the trees that events
have made, so an undo leaves no trace in the trees. An event does not link contacts about which people have decided
(`separations.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aws_lambda_powertools.metrics import MetricUnit

from shared.aws.dynamodb import ConditionFailed
from shared.identity import keyed_hashes
from shared.identity.contacts import separations, tokens
from shared.identity.contacts.claims import Proof
from shared.identity.contacts.items import Profile
from shared.identity.contacts.roots import current, followed, root_of, whole
from shared.identity.contacts.separations import Decided
from shared.runtime import clock
from shared.runtime.failures import Transient
from shared.runtime.observability import metrics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shared.aws.dynamodb import Attributes, Table
    from shared.identity.contacts.claims import Claim
    from shared.identity.identifiers import Identifier, IdentifierKind

__all__ = ["current", "found_by", "ids_of", "resolve", "restore", "root_of", "whole"]

ID_CHARACTERS = 26  # base32: 130 bits
MOST_MEMBERS = 50
MOST_TOKENS = 120  # of a profile; one with so many is not found by further names
MOST_OF_EVENTS = 80  # of these: customers choose their names, and people name them, too
MOST_ROUNDS = 8  # Two runs meet only at the same person's concurrent events.


_JOINS = frozenset({Proof.PROVIDER, Proof.COMPANY})


def resolve(
    table: Table,
    company: str,
    claims: Sequence[Claim],
    at_ms: int,
    name: str | None = None,
    *,
    signed: Sequence[Identifier] = (),
) -> str:
    """
    Return the id of the contact that the first of an event's *claims* names; create it if it is new.

    The other claims join it if they and the first have provider or company proof. A contact that would get more than
    MOST_MEMBERS members is not joined, and neither are contacts about which people have decided. *at_ms*: the time of
    the event. *name*: the person's in this event; searches find the contact by it from then on, as by its identifiers.
    *signed*: addresses in a signature of the person, by which suggestions find the contact. They join nothing.
    Raises Transient after many concurrent writes, ClientError, and as `keyed_hashes.all_keys`.
    """
    first, *others = claims
    joined = [claim for claim in others if {claim.proof, first.proof} <= _JOINS]
    identifiers = list(dict.fromkeys([first.identifier, *(claim.identifier for claim in joined)]))
    event = _Event(table, company, at_ms, [*tokens.of_signed(signed), *tokens.of_name(name)])
    for _ in range(MOST_ROUNDS):
        try:
            return _named(event, identifiers)
        except ConditionFailed:
            continue
    raise Transient("contact_contended")


def restore(table: Table, company: str, contact_id: str, kind: IdentifierKind, at_ms: int) -> bool:
    """
    Create the contact of an identifier of which only the id is known, unless it exists; return whether it was created.

    No token finds it until an event names the identifier. Safe to repeat.
    """
    profile = _new(company, contact_id, kind, at_ms)
    if table.get(_key_of(profile)) is not None:
        return False
    try:
        _create(table, profile, **_activity(company, at_ms))
    except ConditionFailed:
        return False
    return True


@dataclass(frozen=True, slots=True)
class _Event:
    """An event of a company at a time (ms since 1970), and the tokens of its name and signature."""

    table: Table
    company: str
    at_ms: int
    name: Sequence[tokens.Token]

    def tokens_of(self, identifiers: Sequence[Identifier]) -> tuple[set[str], set[str]]:
        """Return the hashes by which a person with these identifiers is found, and the hashes of the name."""
        own = [token for one in identifiers for token in tokens.of_identifier(one)]
        return tokens.hashes(self.company, own), tokens.hashes(self.company, self.name)


def _named(event: _Event, identifiers: Sequence[Identifier]) -> str:
    """Return the contact of the first identifier, after the others have joined it as far as they may."""
    first, *others = identifiers
    try:
        joined = _joined(event, identifiers)
    except Decided as decided:
        separations.note_proof(event.table, decided.merges)
        if len(others) > 1:
            for one in others:
                _named(event, [first, one])
        joined = _joined(event, [first])
    else:
        if joined is None:
            metrics.add_metric("ContactJoinRefused", MetricUnit.Count, 1)
            joined = _joined(event, [first])
    if joined is None:
        raise TypeError("one identifier joins no further contact")
    return joined


def found_by(table: Table, profile: Profile, further: Sequence[tokens.Token]) -> bool:
    """
    Make a stored profile found by further tokens; return False if it would have too many, and is not found by all.

    Safe to repeat. Raises as `tokens.write`, and ConditionFailed.
    """
    hashed = tokens.hashes(profile.company_id, further)
    listed = _list_tokens(table, profile, hashed)
    tokens.write(table, profile.company_id, profile.contact_id, sorted(listed))
    return listed == hashed


def _joined(event: _Event, identifiers: Sequence[Identifier]) -> str | None:
    """
    Return the one contact of all *identifiers*, None if it would be too large. Raises ConditionFailed, and Decided if
    they are several.
    """
    table, company, at_ms = event.table, event.company, event.at_ms
    own_tokens, of_name = event.tokens_of(identifiers)
    ids = {each: ids_of(company, each) for each in identifiers}
    keys = [Profile.key(company, one) for found in ids.values() for one in found]
    stored = {p.contact_id: p for p in map(Profile.read, table.get_many(keys))}
    new = {
        found[0]: _new(company, found[0], identifier.kind, at_ms)
        for identifier, found in ids.items()
        if stored.keys().isdisjoint(found)
    }
    own = ids[identifiers[0]]
    first = next((one for one in own if one in stored), own[0])
    roots = {root.contact_id: root for root in (followed(table, p) for p in stored.values())}
    if len(identifiers) > 1:
        _check_decisions(event, [*roots.values()])
    if first in new:
        found_by = own_tokens | of_name
        new[first] = new[first].model_copy(update={"tokens": found_by})
    else:
        known = stored[first]
        if len(known.tokens | own_tokens | of_name) > MOST_OF_EVENTS:
            of_name &= known.tokens
        found_by = _list_tokens(table, known, own_tokens | of_name)
    contact_id = min(roots.keys() | new.keys())
    members = {*roots, *new, *(m for root in roots.values() for m in root.members)} - {contact_id}
    merges = {merge for root in roots.values() for merge in root.merges}
    if len(members) > MOST_MEMBERS and len(identifiers) > 1:
        return None
    if contact_id in new:
        fields = {"members": members, "merges": merges, **_activity(company, at_ms)}
        _create(table, new.pop(contact_id), **fields)
    else:
        _take_members(table, roots.pop(contact_id), members, merges)
    for profile in new.values():
        _create(table, profile, merged_into=contact_id)
    for root in roots.values():
        _link(table, root, contact_id)
    tokens.write(table, company, first, sorted(found_by))
    return contact_id


def _check_decisions(event: _Event, roots: Sequence[Profile]) -> None:
    """Raise Decided if people have decided about two of these contacts."""
    listing = [root for root in roots if root.merges]
    if len(listing) > 1:
        try:
            pairs = [(root, whole(event.table, root)) for root in listing]
            separations.check(event.table, event.company, pairs)
        except Decided:
            _drop_unlinked(event, roots)
            raise


def _drop_unlinked(event: _Event, roots: Sequence[Profile]) -> None:
    """
    Remove members that another contact has: ids that a run has listed before a link which is not made any more.

    Raises ConditionFailed if a contact has changed meanwhile.
    """
    for root in roots:
        shared = {one for other in roots if other is not root for one in separations.ids_of(other)}
        foreign = set[str]()
        for one in sorted(root.members & shared):
            holder = root_of(event.table, event.company, one)
            if holder is not None and holder.contact_id != root.contact_id:
                foreign.add(one)
        if foreign:
            event.table.update(
                _key_of(root),
                take_from_set=Profile.named(members=foreign),
                add=Profile.named(version=1),
                when=Profile.attr("version").eq(root.version),
            )


def ids_of(company: str, identifier: Identifier) -> list[str]:
    """Return the ids of an identifier's profile with all keys, the write key first."""
    parts = ("contact", company, identifier.kind, identifier.value)
    return [key.base32(*parts)[:ID_CHARACTERS] for key in keyed_hashes.all_keys()]


def _activity(company: str, at_ms: int) -> dict[str, object]:
    """Return the fields of a contact that list it among the company's contacts."""
    return {
        "activity_pk": Profile.activity_list(company, at_ms),
        "last_activity_at": clock.to_text(at_ms),
    }


def _new(company: str, contact_id: str, kind: IdentifierKind, at_ms: int) -> Profile:
    return Profile(
        **Profile.key(company, contact_id),
        company_id=company,
        contact_id=contact_id,
        kind=kind,
        created_at=clock.to_text(at_ms),
        members=set(),
        merges=set(),
        tokens=set(),
    )


def _create(table: Table, profile: Profile, **fields: object) -> None:
    made = profile.model_copy(update=fields)
    table.put(made.attributes(), when=Profile.attr("version").not_exists())


def _list_tokens(table: Table, profile: Profile, found_by: set[str]) -> set[str]:
    """Add tokens to the list of a profile, unless it would have too many; return which of them it has."""
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
