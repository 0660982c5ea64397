"""
Consent records: for each company and address, one item per channel, or `*` for all channels.

    pk CONSENT#{company}#{address_hash}    sk {channel} or *

An item holds the newest recorded event by the time of the event. Events may arrive twice and in any order; of two
events with the same time the opt-out wins. Items never expire, so no opt-out is lost.

The spellings of one phone number are one address: items are written under its normal form and read under all of them,
since earlier releases wrote any. Address hashes are keyed: items are written with the first identifier key and read
with all keys, so that after a rotation one address may have an item for each. The item with the highest rank counts.

    stop, on any channel      every known address of the customer, and `*`
    start                     the address and the channel of the message
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar

from boto3.dynamodb.conditions import Attr
from pydantic import BaseModel, ConfigDict

from shared.aws.dynamodb import ConditionFailed
from shared.identity.addresses import all_spellings, is_user_id, normal_form
from shared.identity.keyed_hashes import address_hash, address_hashes
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from boto3.dynamodb.conditions import ConditionBase

    from shared.aws.dynamodb import Attributes, Table

ALL_CHANNELS = "*"
MOST_ADDRESSES = 98  # per query: with one identifier key, one BatchGetItem of 100 keys


class State(StrEnum):
    """The state after the newest event. The texts' order ranks events with the same time: the opt-out comes last."""

    OPTED_IN = "opted_in"
    OPTED_OUT = "opted_out"


class Source(StrEnum):
    """The source of a consent event."""

    WORD = "word"  # STOP, START and similar keywords
    AI = "ai"  # free wording that the model classified as an opt-out
    PROVIDER = "provider"  # it refused to send, or reported that it has handled the keyword itself
    COMPLAINT = "complaint"  # a mail was reported as spam
    OPERATOR = "operator"  # recorded through the admin API
    REQUEST = "request"  # the company's system
    LINK = "link"  # a signed link of a mail


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """
    One event: its source, its time and a reference to its evidence.

    *at_ms* is the time stored with the message (ms since 1970), not the time of this delivery. *evidence* is an id of
    ours or of the provider. *channel* is the channel of the event, None if it had none (an operator).
    *recorded_by* is the agent who recorded it over the API, *principal* the authenticated caller.
    """

    source: Source
    at_ms: int
    evidence: str
    channel: str | None = None
    recorded_by: str | None = None
    principal: str | None = None


class Consent(BaseModel):
    """The item. *at* is ISO 8601 UTC, *said_by* the channel of the statement. It never holds an address."""

    model_config = ConfigDict(extra="allow", defer_build=True, hide_input_in_errors=True)
    pk_pattern: ClassVar[str] = "CONSENT#{company}#{address_hash}"
    sk_pattern: ClassVar[str] = "{channel}"

    company: str
    address_hash: str
    channel: str
    state: State
    at: str
    source: Source
    evidence: str
    said_by: str | None = None
    recorded_by: str | None = None
    principal: str | None = None

    @classmethod
    def key(cls, company: str, of_address: str, channel: str) -> Attributes:
        """Return the key in a table with `pk` and `sk`. Raises ValueError if a part is empty or contains `#`."""
        if not all((company, of_address, channel)) or any("#" in p for p in (company, channel)):
            raise ValueError(
                "consent key: company, address and channel must not be empty; company and channel must not contain #"
            )
        return {
            "pk": cls.pk_pattern.format(company=company, address_hash=of_address),
            "sk": cls.sk_pattern.format(channel=channel),
        }

    @property
    def statement(self) -> Statement:
        """The event, to record it for a further address of the same person."""
        return Statement(
            source=self.source,
            at_ms=clock.from_text(self.at),
            evidence=self.evidence,
            channel=self.said_by,
            recorded_by=self.recorded_by,
            principal=self.principal,
        )

    @property
    def rank(self) -> tuple[str, str, str]:
        """Of two events of one address and channel, the one with the higher rank is stored."""
        return (self.at, self.state, self.evidence)


@dataclass(frozen=True, slots=True)
class Standing:
    """
    A customer's consent on one channel: the newest applicable event, None if there is none.

    No event is no consent: the caller decides whether there is another reason to send.
    """

    newest: Consent | None = None

    @property
    def is_opted_out(self) -> bool:
        """Whether nothing may be sent."""
        return self.newest is not None and self.newest.state is State.OPTED_OUT

    @property
    def is_opted_in(self) -> bool:
        """Whether the customer has opted in after any opt-out."""
        return self.newest is not None and self.newest.state is State.OPTED_IN

    def yes_means_start(self, channel: str) -> bool:
        """Whether YES means START on this channel: it is SMS, and the opt-out was a keyword on SMS."""
        opt_out = self.newest if self.is_opted_out else None
        by_keyword = opt_out is not None and (opt_out.source, opt_out.said_by) == (
            Source.WORD,
            "sms",
        )
        return by_keyword and channel == "sms"


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

    def take_back_opt_in(self, company: str, address: str, channel: str, evidence: str) -> None:
        """
        Remove the opt-in of an address on a channel whose evidence begins with *evidence*: it was recorded by mistake,
        where no event was known. Idempotent; a newer event stays.
        """
        for hashed in _hashes(address):
            key = Consent.key(company, hashed, channel)
            item = self.table.get(key)
            found = Consent.model_validate(item) if item else None
            if found is None or not found.evidence.startswith(evidence):
                continue
            same = Attr("state").eq(State.OPTED_IN.value) & Attr("evidence").eq(found.evidence)
            with suppress(ConditionFailed):
                self.table.delete(key, when=same & Attr("at").eq(found.at))

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
        at = _moment(statement)
        changes = [
            self._put_if_newer(_consent(company, address_hash(address), channel, state, statement))
            for address in dict.fromkeys(map(normal_form, addresses))
            for channel in channels
            if not self._is_on_record(company, address, channel, (at, state, statement.evidence))
        ]
        return any(changes)

    def _is_on_record(
        self, company: str, address: str, channel: str, rank: tuple[str, str, str]
    ) -> bool:
        """
        Whether an item under an older key or in another spelling holds this event, or a newer one. Reads nothing if
        there is none of them.
        """
        _, *older = _hashes(address)
        items = self.table.get_many([Consent.key(company, hashed, channel) for hashed in older])
        return any(Consent.model_validate(item).rank >= rank for item in items)

    def _put_if_newer(self, consent: Consent) -> bool:
        """Write *consent* unless its event, or a newer one, is recorded."""
        key = Consent.key(consent.company, consent.address_hash, consent.channel)
        stored: dict[str, Any] = consent.model_dump(mode="json", exclude_none=True)
        try:
            self.table.put({**key, **stored}, when=_is_newer(consent))
        except ConditionFailed:
            # A repetition, our own write whose response was lost, or an event older than the recorded one.
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


def _is_newer(consent: Consent) -> ConditionBase:
    """
    Build the order of `Consent.rank` as a condition.

    There is no record, or:
      - the recorded event happened earlier;
      - or at the same time, and this event is an opt-out while the recorded one is an opt-in;
      - or both have the same state and time: then by evidence, so that the result is independent of arrival order.
    """
    at, state, evidence = Attr("at"), Attr("state"), Attr("evidence")
    same_moment = at.eq(consent.at)
    same_event = same_moment & state.eq(consent.state)
    return (
        at.not_exists()
        | at.lt(consent.at)
        | (same_moment & state.lt(consent.state))
        | (same_event & evidence.lt(consent.evidence))
    )
