"""
Consent records: for each company and address, one item per channel, or `*` for all channels.

    pk CONSENT#{company}#{address_hash}    sk {channel} or *

An item holds the newest recorded event by the time of the event. Events may arrive twice and in any order; of two
events with the same time the opt-out wins. An opt-in that only a file attests gives way to any other event
(`attested`). Items never expire, so no opt-out is lost.

The spellings of one phone number are one address: items are written under its normal form and read under all of them,
since earlier releases wrote any. Address hashes are keyed: items are written with the first identifier key and read
with all keys, so that after a rotation one address may have an item for each. The item with the highest rank counts.

    stop, on any channel      every known address of the customer, and `*`
    start                     the address and the channel of the message
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from boto3.dynamodb.conditions import Attr

from shared.aws.dynamodb import ConditionFailed
from shared.identity.addresses import all_spellings, is_user_id, normal_form
from shared.identity.keyed_hashes import address_hash, address_hashes
from shared.policy.consent import attested, ranking
from shared.policy.consent.attested import Attested
from shared.policy.consent.items import ALL_CHANNELS, Consent, Standing, State
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from shared.aws.dynamodb import Table
    from shared.policy.consent.items import Statement

_MOST_ROUNDS = 5
MOST_ADDRESSES = 98  # per query: with one identifier key, one BatchGetItem of 100 keys


@dataclass(slots=True, eq=False)
class Consents:
    """The consent records in *table*. Addresses are normalised as in `shared.identity.addresses`."""

    table: Table

    def record_opt_out(
        self,
        company: str,
        addresses: Collection[str],
        statement: Statement,
        *,
        channels: Collection[str] = (ALL_CHANNELS,),
    ) -> bool:
        """
        Record an opt-out for all known *addresses* of a customer. Idempotent.

        Returns False if all of it, or newer events, were already recorded. A crash may leave some addresses unwritten:
        repeating the call writes the rest.
        """
        return self._record(company, addresses, channels, State.OPTED_OUT, statement)

    def record_opt_in(
        self,
        company: str,
        addresses: Collection[str],
        statement: Statement,
        *,
        channels: Collection[str],
    ) -> bool:
        """Record an opt-in on *channels* (for START only its own). Otherwise as `record_opt_out`."""
        return self._record(company, addresses, channels, State.OPTED_IN, statement)

    def record_of_hash(
        self, company: str, of_address: str, channel: str, state: State, statement: Statement
    ) -> bool:
        """
        Record an event of an address that only its hash names, as in a signed link. Idempotent.

        The hash may be of an older identifier key: readers find it as long as the key is in the secret. Returns False
        if the event, or a newer one, was already recorded under this hash.
        """
        return self._put_if_newer(_consent(company, of_address, channel, state, statement))

    def attest_too(self, known: Consent, statement: Statement) -> None:
        """
        Note that another import attests an opt-in that a file has attested. Idempotent; beyond `attested.MOST` imports
        the first ones stay. Raises Transient if the record has changed meanwhile.
        """
        also = known.also or []
        if statement.evidence in {known.evidence, *(one.evidence for one in also)}:
            return
        if len(also) >= attested.MOST:
            return
        one = Attested(
            at=_moment(statement),
            evidence=statement.evidence,
            recorded_by=statement.recorded_by,
            principal=statement.principal,
        )
        if not self._replaced(known, known.model_copy(update={"also": [*also, one]})):
            raise Transient("consent_contended")

    def take_back_opt_in(self, company: str, address: str, channel: str, evidence: str) -> None:
        """
        Remove from the opt-in of an address on a channel the import whose evidence begins with *evidence*; without
        another import, the opt-in. Idempotent; a newer event stays. Raises Transient after many concurrent writes.
        """
        for hashed in _hashes(address):
            key = Consent.key(company, hashed, channel)
            for _ in range(_MOST_ROUNDS):
                item = self.table.get(key)
                found = Consent.model_validate(item) if item else None
                if found is None or not found.is_attested:
                    break
                if self._replaced(found, ranking.without(found, evidence)):
                    break
            else:
                raise Transient("consent_contended")

    def standing(self, company: str, addresses: Sequence[str], channel: str) -> Standing:
        """
        Return a customer's consent on *channel*; one strongly consistent read per hundred item keys.

        The first of *addresses* is the recipient, the others are the customer's other known addresses. An opt-out with
        any of them that *channel* reaches, or of all channels with any, applies, until a newer opt-in of the recipient
        address on *channel*.
        Raises ValueError for no address, or more than `MOST_ADDRESSES`.
        """
        distinct_addresses = list(dict.fromkeys(map(normal_form, addresses)))
        if not 1 <= len(distinct_addresses) <= MOST_ADDRESSES:
            raise ValueError(f"addresses: must be 1 to {MOST_ADDRESSES}")
        own, *others = distinct_addresses
        own_hashes = _hashes(own)
        all_hashes = [*own_hashes, *(hashed for other in others for hashed in _hashes(other))]
        item_keys = [
            *((hashed, channel) for hashed in own_hashes),
            *((hashed, ALL_CHANNELS) for hashed in all_hashes),
            *(
                (hashed, channel)
                for one in others
                if _reaches(channel, one)
                for hashed in _hashes(one)
            ),
        ]
        items = self.table.get_many([Consent.key(company, *item_key) for item_key in item_keys])
        consents = [Consent.model_validate(item) for item in items]
        applicable = [
            c for c in consents if c.address_hash in own_hashes or c.state is State.OPTED_OUT
        ]
        return Standing(max(applicable, key=lambda consent: consent.rank, default=None))

    def _record(
        self,
        company: str,
        addresses: Collection[str],
        channels: Collection[str],
        state: State,
        statement: Statement,
    ) -> bool:
        changes = [
            self._put_if_newer(consent)
            for address in dict.fromkeys(map(normal_form, addresses))
            for channel in channels
            if not self._is_on_record(
                consent := _consent(company, address_hash(address), channel, state, statement),
                address,
            )
        ]
        return any(changes)

    def _is_on_record(self, consent: Consent, address: str) -> bool:
        """
        Whether an item under an older key or in another spelling holds this event, or one that counts more. Reads
        nothing if there is none of them.
        """
        _, *older = _hashes(address)
        keys = [Consent.key(consent.company, hashed, consent.channel) for hashed in older]
        items = self.table.get_many(keys)
        return any(Consent.model_validate(item).rank >= consent.rank for item in items)

    def _put_if_newer(self, consent: Consent) -> bool:
        """Write *consent* unless its event, or one that counts more, is recorded. Raises Transient in a lost race."""
        try:
            self.table.put(consent.attributes(), when=ranking.is_newer(consent))
        except ConditionFailed as failure:
            # A repetition, our own write whose response was lost, or an event older than the recorded one.
            found = Consent.model_validate(failure.existing) if failure.existing else None
            if found is None or not found.is_attested or found.rank >= consent.rank:
                return False
            if not self._replaced(found, consent):
                raise Transient("consent_contended") from None
        return True

    def _replaced(self, found: Consent, by: Consent | None) -> bool:
        """Write a record in the place of the one that was read, or delete that; return False if it has changed."""
        stored = found.attributes()
        also = Attr("also")
        same = Attr("state").eq(stored["state"]) & Attr("evidence").eq(found.evidence)
        same &= Attr("at").eq(found.at)
        same &= also.eq(stored["also"]) if found.also else also.not_exists()
        try:
            if by is None:
                self.table.delete({name: stored[name] for name in ("pk", "sk")}, when=same)
            elif by != found:
                self.table.put(by.attributes(), when=same)
        except ConditionFailed:
            return False
        return True


def _moment(statement: Statement) -> str:
    """Return the time of an event, at most now: one from a clock that is ahead must not stay the newest for years."""
    return clock.to_text(min(statement.at_ms, clock.now_ms()))


def _consent(
    company: str, of_address: str, channel: str, state: State, statement: Statement
) -> Consent:
    return Consent(
        company=company,
        address_hash=of_address,
        channel=channel,
        state=state,
        at=_moment(statement),
        source=statement.source,
        evidence=statement.evidence,
        said_by=statement.channel,
        recorded_by=statement.recorded_by,
        principal=statement.principal,
    )


def _reaches(channel: str, address: str) -> bool:
    """Whether a channel has addresses of this kind: mail addresses, numbers, or user ids of WhatsApp."""
    if is_user_id(address):
        return channel == "whatsapp"
    return ("@" in address) == (channel == "email")


def _hashes(address: str) -> list[str]:
    """Return the hashes of an address in all spellings, with all keys; the one to write first."""
    return [hashed for spelling in all_spellings(address) for hashed in address_hashes(spelling)]
