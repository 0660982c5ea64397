"""Input and output of the send policy: the facts about one message, and the decisions."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from shared.events.exchange import Channel
    from shared.policy.quiet_hours import QuietHours


class Kind(StrEnum):
    """The occasion of a message. The first two are business-initiated."""

    FIRST = "first"
    REENGAGEMENT = "reengagement"  # after a silence of the customer, such as a template once the window is closed
    ANSWER = "answer"  # to the customer, including hand-off notices and answers to HELP
    OPT_OUT_CONFIRMATION = (
        "opt_out_confirmation"  # at most one: its action id is derived from the opt-out
    )


class Author(StrEnum):
    """The author of the message."""

    AI = "ai"
    PERSON = "person"
    RULE = "rule"  # fixed texts, templates that no model has filled


class Reason(StrEnum):
    """Reasons why a message may not be sent, or not now. `status_reason` and hand-offs have the same values."""

    SAFE_MODE = "safe_mode"
    AUTOMATION_OFF = "automation_off"
    PROJECT_INACTIVE = "project_inactive"
    CHANNEL_NOT_ALLOWED = "channel_not_allowed"
    OPTED_OUT = "opted_out"
    ADDRESS_UNUSABLE = "address_unusable"  # the provider reported that it is unreachable
    NO_CONSENT = "no_consent"
    WINDOW_CLOSED = "window_closed"
    QUIET_HOURS = "quiet_hours"
    RATE_LIMITED = "rate_limited"
    FREQUENCY_CAP = "frequency_cap"  # for business-initiated messages
    LOOP_CAP = "loop_cap"  # for the AI's answers
    TOKEN_CAP = "token_cap"  # noqa: S105 - tokens of models, no secret


@dataclass(frozen=True, slots=True, kw_only=True)
class Switches:
    """
    The operators' permissions to send. The defaults forbid everything, for switches that cannot be read.

    Without *begins_conversations* (a project with a limit of zero) there are no business-initiated messages.
    """

    safe_mode: bool = True
    automation: bool = False
    project_is_active: bool = False
    channel_is_allowed: bool = False
    begins_conversations: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """
    One message and its circumstances. Times are milliseconds since 1970; None means there is no such time.

    *requested_at*: the first request to send the message. *has_consent*: a recorded opt-in, or the company's statement
    (`comms_consent`). *is_unreachable*: the provider reported that this channel never reaches the address.
    *last_inbound_at*: the customer's newest message in this conversation. *free_entry_until*: the end of a free entry
    point, which keeps WhatsApp's window open. *zones* are the recipient's possible time zones, empty if unknown.
    *rate_free_at*, *cap_free_at*: when the rate limits allow this action, None for now. *tokens_left*: whether the
    project may use more model tokens today.
    """

    kind: Kind
    author: Author
    channel: Channel
    now: int
    requested_at: int
    switches: Switches = Switches()
    is_opted_out: bool
    has_consent: bool
    is_unreachable: bool = False
    last_inbound_at: int | None
    free_entry_until: int | None = None
    is_template: bool = False
    quiet_hours: QuietHours | None
    zones: tuple[ZoneInfo, ...] = ()
    project_zone: ZoneInfo
    rate_free_at: int | None = None
    cap_free_at: int | None = None
    tokens_left: bool = True

    @property
    def is_begun_by_us(self) -> bool:
        """Whether the message is business-initiated rather than an answer."""
        return self.kind in {Kind.FIRST, Kind.REENGAGEMENT}

    def has_customer_written_within(self, milliseconds: int) -> bool:
        """Whether the customer wrote within the last *milliseconds*."""
        return self.last_inbound_at is not None and self.now < self.last_inbound_at + milliseconds


@dataclass(frozen=True, slots=True)
class Allowed:
    """The message may be sent now."""

    reason: None = None


@dataclass(frozen=True, slots=True)
class Refused:
    """The message may not be sent; waiting alone changes nothing."""

    reason: Reason


@dataclass(frozen=True, slots=True)
class Later:
    """The message may not be sent before *at* (ms since 1970); then all checks are repeated."""

    reason: Reason
    at: int


@dataclass(frozen=True, slots=True)
class TemplateOnly:
    """Only a template may be sent: build one, and check again with it."""

    reason: Reason = Reason.WINDOW_CLOSED


type Decision = Allowed | Refused | Later | TemplateOnly
