"""
Facts about a person for campaigns, newsletters and segments. Each part is read when it is first asked for.

The contacts table has keyed hashes of identifiers, and as text only those that people have named. So the addresses of a
person are these, and those by which the newest conversations reach the person:

    WhatsApp conversation    the number or user id that the provider names as the customer's now
    other conversation       a number or mail address that proof has joined to the person: its hash is one of the ids

A number that had another owner since is withdrawn, and never among the addresses.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from shared.contacts import lists
from shared.identity.addresses import AddressInvalid, user_id
from shared.identity.contacts import details, resolution
from shared.identity.contacts.claims import Proof, claimed
from shared.identity.identifiers import Identifier, IdentifierKind, of_later_owner
from shared.inbox.items import Channel, Context, Entry, pk
from shared.inbox.lists import of_contact
from shared.policy.consent import withdrawals
from shared.policy.consent.records import MOST_ADDRESSES
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from shared.aws.dynamodb import Table
    from shared.identity.contacts.attributes import Definitions
    from shared.identity.contacts.details import Described
    from shared.identity.contacts.items import AttributeValue, Details, Profile
    from shared.policy.consent.items import Standing
    from shared.policy.consent.records import Consents

NEWEST: Final = 20  # conversations of a person that are read
KINDS: Final = {
    Channel.WHATSAPP: IdentifierKind.PHONE,
    Channel.SMS: IdentifierKind.PHONE,
    Channel.EMAIL: IdentifierKind.EMAIL,
}
FIELDS: Final = ("name", "given_names", "organisation", "language", "zone")

type NoAddress = Literal["no_address", "address_withdrawn"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """The tables of contacts and of the inbox, and the consent records. Uses the identifier keys."""

    contacts: Table
    inbox: Table
    consents: Consents


class Address(NamedTuple):
    """An address in its normal form (a user id begins with `bsuid:`), and when it was proven last."""

    kind: IdentifierKind
    value: str
    context: Context | None  # of the conversation; None if people have named it
    proven_at: str


class Person:
    """A person of a company: *profile* as `resolution.current` returns it."""

    def __init__(self, sources: Sources, profile: Profile) -> None:
        self._sources = sources
        self.profile = profile
        self._consents: dict[Channel, Standing] = {}

    @cached_property
    def described(self) -> Described:
        """The data that the company's people store about the person. One read if contacts were merged, else none."""
        return details.described(self._sources.contacts, self.profile)

    @property
    def details(self) -> Details | None:
        """The stored details."""
        return self.described.details

    @cached_property
    def conversations(self) -> Sequence[Entry]:
        """The newest conversations, newest first. Two reads, and one more for each contact that was merged."""
        inbox = self._sources.inbox
        keys = [pk(one.pk) for one in of_contact.listed(inbox, self.profile, NEWEST)]
        entries = map(Entry.read, inbox.get_many(keys) if keys else [])
        own = [
            one
            for one in entries
            if one.company_id == self.profile.company_id and not clock.is_over(one.ttl)
        ]
        return sorted(own, key=lambda one: (one.activity, one.pk), reverse=True)

    @property
    def name(self) -> str | None:
        """The stored name, else the one that the newest conversation with a name shows."""
        stored = self.details.name if self.details else None
        return stored or next((one.contact for one in self.conversations if one.contact), None)

    @property
    def exists(self) -> bool:
        """Whether conversations or stored details show the person: a profile alone is what an erasure may leave."""
        return self.details is not None or bool(self.conversations)

    @property
    def last_contact_at(self) -> str | None:
        """The time of the newest message of the newest conversation; None without conversations."""
        return self.conversations[0].last_activity_at if self.conversations else None

    def values(self, definitions: Definitions) -> Mapping[str, AttributeValue]:
        """Return name, given names, organisation, language, zone and `attributes.{name}`, as far as they are known."""
        stored = self.details
        found = {name: getattr(stored, name) for name in FIELDS} if stored else {}
        found["name"] = self.name
        attributes = definitions.shown(stored.attributes if stored else None)
        found |= {f"attributes.{name}": value for name, value in attributes.items()}
        return {name: value for name, value in found.items() if value is not None}

    def address(self, channel: Channel) -> Address | None:
        """Return the address of the person on a channel: of the newest conversation there, else another one."""
        usable, _ = self._addresses
        fitting = [one for one in usable if reaches(channel, one.kind)]
        if not fitting:
            return None
        wanted = Context.WHATSAPP if channel is Channel.WHATSAPP else None
        # The first of the least: the newest one of those that the channel itself has proven.
        return min(fitting, key=lambda one: wanted is not None and one.context != wanted)

    def why_unreached(self, channel: Channel) -> NoAddress:
        """Return why the person has no address on a channel."""
        _, withdrawn = self._addresses
        return (
            "address_withdrawn"
            if any(reaches(channel, one.kind) for one in withdrawn)
            else "no_address"
        )

    def consent(self, channel: Channel) -> Standing | None:
        """Return the consent in force on a channel; None if the channel does not reach the person."""
        address = self.address(channel)
        if address is None:
            return None
        if channel not in self._consents:
            usable, _ = self._addresses
            known = [address.value, *(one.value for one in usable)][:MOST_ADDRESSES]
            company = self.profile.company_id
            self._consents[channel] = self._sources.consents.standing(company, known, channel)
        return self._consents[channel]

    def is_in(self, list_id: str) -> bool:
        """Whether the person is in a list."""
        ids = lists.ids_of(self.profile)
        return bool(lists.present(self._sources.contacts, self.profile.company_id, list_id, ids))

    @cached_property
    def _addresses(self) -> tuple[Sequence[Address], Sequence[Address]]:
        """The addresses, the newest first, and those that are withdrawn."""
        known: dict[str, Address] = {}
        for one in (*self._of_conversations(), *self._named()):
            known.setdefault(one.value, one)
        withdrawn = {one.value for one in known.values() if self._is_withdrawn(one)}
        return (
            [one for one in known.values() if one.value not in withdrawn],
            [one for one in known.values() if one.value in withdrawn],
        )

    def _of_conversations(self) -> Iterator[Address]:
        ids = lists.ids_of(self.profile)
        for entry in self.conversations:
            for one in reached_by(entry):
                is_named_by_provider = entry.context is Context.WHATSAPP
                if is_named_by_provider or self._has(one, ids):
                    yield Address(one.kind, one.value, entry.context, entry.last_activity_at)

    def _has(self, one: Identifier, ids: Collection[str]) -> bool:
        """Whether proof has joined an identifier to the person, or a number since it changed hands."""
        company = self.profile.company_id
        if not set(ids).isdisjoint(resolution.ids_of(company, one)):
            return True
        if one.kind is not IdentifierKind.PHONE:
            return False
        changes = withdrawals.changes_of(self._sources.consents.table, company, one.value)
        later = (Identifier(one.kind, of_later_owner(one.value, each.at)) for each in changes)
        return any(not set(ids).isdisjoint(resolution.ids_of(company, each)) for each in later)

    def _named(self) -> Iterator[Address]:
        for profile in self.described.identifiers:
            if profile.kind in KINDS.values():
                for one in spelt(profile.kind, profile.value):
                    yield Address(one.kind, one.value, None, profile.created_at)

    def _is_withdrawn(self, one: Address) -> bool:
        return one.kind is IdentifierKind.PHONE and bool(
            withdrawals.withdrawn_at(
                self._sources.consents.table, self.profile.company_id, one.value, one.proven_at
            )
        )


def reaches(channel: Channel, kind: IdentifierKind) -> bool:
    """Whether a channel has addresses of a kind."""
    return kind is KINDS[channel] or (
        kind is IdentifierKind.USER_ID and channel is Channel.WHATSAPP
    )


def reached_by(entry: Entry) -> list[Identifier]:
    """Return the addresses by which a conversation reaches its customer: a hidden number by the user id first."""
    kind = KINDS[entry.channel]
    return [*spelt(kind, entry.user_id), *spelt(kind, entry.handle)]


def spelt(kind: IdentifierKind, text: str | None) -> list[Identifier]:
    """Return the identifier that a handle spells: a customer who hides the number is reached by the user id."""
    found = [claim.identifier for claim in claimed(kind, text, Proof.COMPANY)]
    if not found and text and kind is IdentifierKind.PHONE:
        try:
            return [Identifier(IdentifierKind.USER_ID, user_id(text))]
        except AddressInvalid:
            return []
    return found
