"""
Consent of a person on all channels: reads it for each identifier, and records a choice for all of them at once.

A contact holds hashes of its identifiers. Their addresses are those that people have named, and those by which the
contact is reached in its conversations; a number that is another person's by now is not used.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from console.contacts import contacts
from console.contacts.views import (
    ChannelConsent,
    ContactConsents,
    IdentifierConsent,
    UnreachableIdentifier,
)
from console.reading_rights import is_readable, readable
from shared.api.auth import Scope
from shared.api.errors import InvalidInput
from shared.contacts.person import KINDS as CHANNELS
from shared.contacts.person import reached_by, reaches, spelt
from shared.identity.addresses import displayed, normal_form
from shared.identity.contacts import details, resolution
from shared.identity.identifiers import Identifier, IdentifierKind
from shared.identity.keyed_hashes import address_hashes
from shared.inbox.items import Channel, Entry, pk
from shared.policy.consent import unreachable, withdrawals
from shared.policy.consent.items import ALL_CHANNELS, Source, Statement
from shared.policy.consent.records import MOST_ADDRESSES
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from console.api.inbox import InboxDependencies
    from console.contacts.changes.inputs import ConsentInput, LiftInput
    from console.search.contacts import ContactSearch
    from shared.api.auth import Caller
    from shared.identity.contacts.items import Profile
    from shared.policy.consent.records import Consents

CONVERSATIONS_A_PAGE: Final = 100
MOST_PAGES: Final = 5
MOST_SHOWN: Final = 20  # identifiers: each is compared with all others on each of its channels
KINDS: Final = frozenset(CHANNELS.values())


@dataclass(frozen=True, slots=True)
class Known:
    """
    The addresses of a contact: *shown* are those that the caller may see. *is_complete*: all identifiers are among
    them.
    """

    all: list[Identifier]
    shown: set[Identifier]
    is_complete: bool

    def on(self, channel: str) -> list[Identifier]:
        """Return the addresses that a channel can reach; of ALL_CHANNELS all of them."""
        if channel == ALL_CHANNELS:
            return self.all
        return [one for one in self.all if reaches(Channel(channel), one.kind)]


def read(
    deps: InboxDependencies, consents: Consents, caller: Caller, contact_id: str
) -> ContactConsents:
    """Return the consent in force for each channel and identifier that the caller may see. Raises ContactNotFound."""
    person = contacts.shown(deps, caller, contact_id).profile
    return _view(consents, caller, _known(deps.people(caller), consents, person))


def record(
    deps: InboxDependencies,
    consents: Consents,
    caller: Caller,
    contact_id: str,
    body: ConsentInput,
) -> Callable[[], ContactConsents]:
    """
    Return the change that records a choice for all addresses of a contact. Who changes contacts may opt them out.

    Raises ContactNotFound, Forbidden for an opt-in without `consent:write`, and InvalidInput.
    """
    person = contacts.shown(deps, caller, contact_id).profile
    is_out = body.state == "opted_out"
    if not is_out:
        caller.require(Scope.CONSENT_WRITE)
        if body.channel == ALL_CHANNELS:
            raise InvalidInput([{"field": "channel", "problem": "must be one channel"}])
    known = _known(deps.people(caller), consents, person)
    addresses = [one.value for one in known.on(body.channel)]
    if not addresses:
        raise InvalidInput([{"field": "channel", "problem": "does not reach this contact"}])

    def recorded() -> ContactConsents:
        statement = Statement(
            source=Source.OPERATOR,
            at_ms=clock.now_ms(),
            evidence=body.evidence,
            recorded_by=f"human:{caller.principal}",
            principal=caller.principal,
        )
        write = consents.record_opt_out if is_out else consents.record_opt_in
        write(caller.company, addresses, statement, channels=(body.channel,))
        return _view(consents, caller, known)

    return recorded


def lift(
    deps: InboxDependencies,
    consents: Consents,
    caller: Caller,
    contact_id: str,
    body: LiftInput,
) -> Callable[[], ContactConsents]:
    """
    Return the change that lifts the provider's reports about an address of a contact, up to the one that was seen.

    It lifts no opt-out and no complaint, which are records of consent. Raises ContactNotFound, and InvalidInput, the
    change NotUnreachable.
    """
    person = contacts.shown(deps, caller, contact_id).profile
    known = _known(deps.people(caller), consents, person)
    on_channel = {one.value for one in known.on(body.channel) if one in known.shown}
    if body.value not in on_channel:
        problem = "must be an address of the contact that the channel can reach"
        raise InvalidInput([{"field": "value", "problem": problem}])

    def lifted() -> ContactConsents:
        unreachable.lift(
            consents.table,
            caller.company,
            body.value,
            body.channel,
            since=body.since,
            reason=body.reason,
            evidence=body.evidence,
        )
        return _view(consents, caller, known)

    return lifted


def cover(people: ContactSearch, consents: Consents, contact_id: str) -> None:
    """
    Record a person's opt-outs for the addresses that the contact has been given since. Safe to repeat.

    The record is the person's own: a later choice under an address counts more.
    """
    company = people.caller.company
    person = resolution.current(people.contacts, company, contact_id)
    known = _known(people, consents, person).all if person is not None else []
    for channel in CHANNELS:
        for one in known:
            if not reaches(channel, one.kind):
                continue
            others = [each.value for each in known if each != one]
            standing = consents.standing(company, [one.value, *others], channel)
            newest = standing.newest
            if newest is None or not standing.is_opted_out:
                continue
            if newest.address_hash not in address_hashes(normal_form(one.value)):
                consents.record_opt_out(
                    company, [one.value], newest.statement, channels=(newest.channel,)
                )


def _known(people: ContactSearch, consents: Consents, person: Profile) -> Known:
    """Return the addresses of a contact. Reads at most MOST_PAGES pages of its conversations."""
    caller, described = people.caller, details.described(people.contacts, person)
    open_ids = {one.contact_id for one in described.profiles if one.kind in KINDS}
    named = [one for each in described.identifiers for one in spelt(each.kind, each.value)]
    found = dict.fromkeys(one for one in named if one.kind in KINDS)
    may_read_named = Scope.CONTACTS_READ in caller.scopes
    shown = set(found) if may_read_named else set()
    for one in found:
        open_ids -= {*resolution.ids_of(caller.company, one)}
    contexts = readable(caller)
    for entry in _conversations(people, person):
        for one in reached_by(entry):
            if one not in found and _is_withdrawn(consents, one, entry):
                continue
            found[one] = None
            open_ids -= {*resolution.ids_of(caller.company, one)}
            if is_readable(caller, contexts, entry):
                shown.add(one)
        if not open_ids and shown >= set(found):
            break
    return Known([*found][:MOST_ADDRESSES], shown, is_complete=not open_ids)


def _conversations(people: ContactSearch, person: Profile) -> Iterator[Entry]:
    """Yield the newest conversations of a contact, also those that the caller may not read."""
    before = None
    for _ in range(MOST_PAGES):
        listed = people.listed(person, CONVERSATIONS_A_PAGE, before)
        stored = people.inbox.get_many([pk(one.pk) for one in listed]) if listed else []
        entries = map(Entry.read, stored)
        yield from (one for one in entries if one.company_id == person.company_id)
        if len(listed) < CONVERSATIONS_A_PAGE:
            return
        before = listed[-1].contact_order


def _is_withdrawn(consents: Consents, one: Identifier, entry: Entry) -> bool:
    """Whether a number had another owner since the newest message of a conversation."""
    return one.kind is IdentifierKind.PHONE and bool(
        withdrawals.withdrawn_at(
            consents.table, entry.company_id, one.value, entry.last_activity_at
        )
    )


def _view(consents: Consents, caller: Caller, known: Known) -> ContactConsents:
    listed = replace(known, all=known.all[:MOST_SHOWN])
    return ContactConsents(
        channels=[
            ChannelConsent(
                channel=channel,
                identifiers=[
                    _of_identifier(consents, caller, listed, one, channel)
                    for one in listed.on(channel)
                    if one in known.shown
                ],
            )
            for channel in CHANNELS
        ],
        complete=known.is_complete and len(known.all) <= MOST_SHOWN,
    )


def _of_identifier(
    consents: Consents, caller: Caller, known: Known, one: Identifier, channel: Channel
) -> IdentifierConsent:
    others = [each.value for each in known.all if each != one]
    newest = consents.standing(caller.company, [one.value, *others], channel).newest
    return IdentifierConsent(
        kind=one.kind,
        value=one.value,
        text=displayed(one.value),
        state=newest.state if newest else None,
        at=newest.at if newest else None,
        source=newest.source if newest else None,
        evidence=newest.evidence if newest else None,
        said_by=newest.said_by if newest else None,
        recorded_by=newest.recorded_by if newest else None,
        unreachable=_unreachable(consents, caller.company, one.value, channel),
    )


def _unreachable(
    consents: Consents, company: str, address: str, channel: Channel
) -> UnreachableIdentifier | None:
    """Return the newest report, one that stands before those that were lifted."""
    found = unreachable.of_address_with_lifted(consents.table, company, address, channel)
    newest = max(found, key=lambda one: (one.stands, one.at), default=None)
    if newest is None:
        return None
    return UnreachableIdentifier(
        reason=newest.reason,
        since=newest.at,
        lifted_at=newest.lifted_at,
        lift_reason=newest.lift_reason,
        lift_evidence=newest.lift_evidence,
    )
