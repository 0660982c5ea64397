"""The item of a consent record, the event that it holds, and what follows from it for a recipient."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, Final

from pydantic import BaseModel, ConfigDict

from shared.policy.consent import attested
from shared.policy.consent.attested import Attested
from shared.runtime import clock

if TYPE_CHECKING:
    from shared.aws.dynamodb import Attributes

ALL_CHANNELS: Final = "*"


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
    """
    The item. *at* is ISO 8601 UTC, *said_by* the channel of the statement, *also* what other imports attest. It never
    holds an address.
    """

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
    also: list[Attested] | None = None

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
    def rank(self) -> tuple[bool, str, str, str]:
        """Of two events the one with the higher rank counts: what only files attest the least, else by time."""
        return (not self.is_attested, self.at, self.state, self.evidence)

    @property
    def is_attested(self) -> bool:
        """Whether it is an opt-in that only files attest."""
        return self.state is State.OPTED_IN and attested.is_of_a_file(self.evidence)

    def attributes(self) -> Attributes:
        """Return the item as it is stored, with its key."""
        key = self.key(self.company, self.address_hash, self.channel)
        stored: dict[str, Any] = self.model_dump(mode="json", exclude_none=True)
        return {**key, **stored}


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
