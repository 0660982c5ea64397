"""
What is on record about people's consent: for each company and address, one item per channel, or `*` for all of them.

    pk CONSENT#{company}#{address_hash}    sk {channel} or *

An item holds the newest event that was told to it, by the time at which it happened. Events may arrive twice and in any
order, and of two that happened at the same moment the opt-out counts. Nothing here expires: who said stop has said it.

Address hashes are keyed. Items are written by the first identifier key and read by all: after a rotation one address
may have an item for each key, and the item with the highest rank counts.

    stop, on any channel      every address that is known of the person, and `*`
    start                     the address and the channel that it came from
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar

from boto3.dynamodb.conditions import Attr
from pydantic import BaseModel, ConfigDict

from shared import clock
from shared.aws.dynamodb import ConditionFailed
from shared.keyed_hashes import address_hash, address_hashes

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from boto3.dynamodb.conditions import ConditionBase

    from shared.aws.dynamodb import Attributes, Table

ALL_CHANNELS = "*"
MOST_ADDRESSES = 98  # of one question: with one identifier key, one BatchGetItem of 100 keys


class State(StrEnum):
    """What the newest event said. The texts' order is that of events of the same moment: the opt-out comes last."""

    OPTED_IN = "opted_in"
    OPTED_OUT = "opted_out"


class Source(StrEnum):
    """How we know."""

    WORD = "word"  # STOP, START and their like
    AI = "ai"  # free wording, which the model took for an opt-out
    PROVIDER = "provider"  # it refused to send, or reported that it has answered the word itself
    COMPLAINT = "complaint"  # a mail was reported as spam
    OPERATOR = "operator"  # told to us through the admin API
    REQUEST = "request"  # the company's system


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """
    One event: what somebody said, when, and where that can be read again.

    *at_ms* is the time that is kept with the message (ms since 1970), not the time of this delivery. *evidence* is an
    id of ours or of the provider's. *channel* is the one it came by, None where it came by none (an operator).
    *recorded_by* is the agent who recorded it over the API, *principal* the authenticated caller.
    """

    source: Source
    at_ms: int
    evidence: str
    channel: str | None = None
    recorded_by: str | None = None
    principal: str | None = None


class Consent(BaseModel):
    """The item. *at* is ISO 8601 UTC, *said_by* the channel that the statement came by. It never holds an address."""

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
        """The key in a table with `pk` and `sk`. Raises ValueError for a part that is empty or holds a `#`."""
        if not all((company, of_address, channel)) or any("#" in p for p in (company, channel)):
            raise ValueError("a consent is of a company, an address and a channel")
        return {
            "pk": cls.pk_pattern.format(company=company, address_hash=of_address),
            "sk": cls.sk_pattern.format(channel=channel),
        }

    @property
    def rank(self) -> tuple[str, str, str]:
        """Of two events of one address and channel the one with the higher rank is on record."""
        return (self.at, self.state, self.evidence)


@dataclass(frozen=True, slots=True)
class Standing:
    """
    How a person stands on one channel: the newest event that counts there, None where nothing is known.

    Nothing known is no consent: whether there is another reason to write is the caller's to say.
    """

    newest: Consent | None = None

    @property
    def is_opted_out(self) -> bool:
        """Whether nothing may be sent."""
        return self.newest is not None and self.newest.state is State.OPTED_OUT

    @property
    def is_opted_in(self) -> bool:
        """Whether the person has agreed, after any opt-out that there was."""
        return self.newest is not None and self.newest.state is State.OPTED_IN

    def yes_lifts_it(self, channel: str) -> bool:
        """Whether YES means START on this channel: it is SMS, and the opt-out was a word there."""
        out = self.newest if self.is_opted_out else None
        by_word = out is not None and (out.source, out.said_by) == (Source.WORD, "sms")
        return by_word and channel == "sms"


@dataclass(frozen=True, slots=True)
class Consents:
    """
    The register in *table*. *key_of* makes the key of (company, address hash, channel), for tables with other keys.

    Addresses are those of `shared.addresses`.
    """

    table: Table
    key_of: Callable[[str, str, str], Attributes] = Consent.key

    def record_opt_out(
        self,
        company: str,
        addresses: Collection[str],
        said: Statement,
        *,
        channels: Collection[str] = (ALL_CHANNELS,),
    ) -> bool:
        """
        Record that a person wants nothing more: all *addresses* that are known of them. Safe to repeat.

        False where all of it was on record, or newer events were. A crash on the way leaves some addresses unwritten:
        the same call, repeated, writes the rest.
        """
        return self._record(company, addresses, channels, State.OPTED_OUT, said)

    def record_opt_in(
        self,
        company: str,
        addresses: Collection[str],
        said: Statement,
        *,
        channels: Collection[str],
    ) -> bool:
        """Record that a person agrees, on these *channels*: of START only its own. Else as `record_opt_out`."""
        return self._record(company, addresses, channels, State.OPTED_IN, said)

    def standing(self, company: str, addresses: Sequence[str], channel: str) -> Standing:
        """
        Whether a person may be written to on *channel*; one strongly consistent read for each hundred item keys.

        The first of *addresses* is the one that would be written to, the others are what else is known of the person.
        What was opted out of altogether with any of them binds, until a newer opt-in of that very address and channel.
        Raises ValueError for no address, or more than `MOST_ADDRESSES`.
        """
        known = list(dict.fromkeys(addresses))
        if not 1 <= len(known) <= MOST_ADDRESSES:
            raise ValueError("a standing is of one person's addresses")
        own, *others = known
        of_own = address_hashes(own)
        of_all = [*of_own, *(hashed for other in others for hashed in address_hashes(other))]
        wanted = [
            *((hashed, channel) for hashed in of_own),
            *((hashed, ALL_CHANNELS) for hashed in of_all),
        ]
        found = self.table.get_many([self.key_of(company, *one) for one in wanted])
        on_record = [Consent.model_validate(item) for item in found]
        counting = [c for c in on_record if c.address_hash in of_own or c.state is State.OPTED_OUT]
        return Standing(max(counting, key=lambda consent: consent.rank, default=None))

    def _record(
        self,
        company: str,
        addresses: Collection[str],
        channels: Collection[str],
        state: State,
        said: Statement,
    ) -> bool:
        # Nobody can have said it later than now: a clock that is ahead must not make an event the newest for years.
        at = clock.to_text(min(said.at_ms, clock.now_ms()))
        changes = [
            self._put_if_newer(
                Consent(
                    company=company,
                    address_hash=address_hash(address),
                    channel=channel,
                    state=state,
                    at=at,
                    source=said.source,
                    evidence=said.evidence,
                    said_by=said.channel,
                    recorded_by=said.recorded_by,
                    principal=said.principal,
                )
            )
            for address in addresses
            for channel in channels
            if not self._is_on_record(company, address, channel, (at, state, said.evidence))
        ]
        return any(changes)

    def _is_on_record(
        self, company: str, address: str, channel: str, rank: tuple[str, str, str]
    ) -> bool:
        """Whether an item made with an older key holds this event, or a newer one. No read with one key."""
        _, *older = address_hashes(address)
        found = self.table.get_many([self.key_of(company, hashed, channel) for hashed in older])
        return any(Consent.model_validate(item).rank >= rank for item in found)

    def _put_if_newer(self, consent: Consent) -> bool:
        """Write *consent* unless its event, or a newer one, is on record."""
        key = self.key_of(consent.company, consent.address_hash, consent.channel)
        stored: dict[str, Any] = consent.model_dump(mode="json", exclude_none=True)
        try:
            self.table.put({**key, **stored}, when=_is_newer(consent))
        except ConditionFailed:
            # A repetition, our own write whose answer was lost, or an event from before the one on record.
            return False
        return True


def _is_newer(consent: Consent) -> ConditionBase:
    """
    The order of `Consent.rank`, as a condition.

    There is nothing on record, or:
      - the event on record happened earlier;
      - or at the same moment, and this one is an opt-out while that one was an opt-in;
      - or both say the same at the same moment: then by evidence, so that any order of arrival ends alike.
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
