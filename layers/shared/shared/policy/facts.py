"""What is known about one message that wants to leave, and what can become of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from shared.events import Channel
    from shared.policy.quiet_hours import QuietHours


class Kind(StrEnum):
    """Why it is sent. The first two are begun by the business."""

    FIRST = "first"
    REENGAGEMENT = "reengagement"  # after a silence of the customer, such as a template once the window is closed
    ANSWER = "answer"  # to the customer, hand-off notices and answers to HELP among them
    OPT_OUT_CONFIRMATION = (
        "opt_out_confirmation"  # one at most: its action id comes from the opt-out
    )


class Author(StrEnum):
    """Who wrote it."""

    AI = "ai"
    PERSON = "person"
    RULE = "rule"  # fixed texts, templates that no model has filled


class Reason(StrEnum):
    """Why not, or not now. The words are those of `status_reason` and of hand-offs."""

    SAFE_MODE = "safe_mode"
    AUTOMATION_OFF = "automation_off"
    PROJECT_INACTIVE = "project_inactive"
    CHANNEL_NOT_ALLOWED = "channel_not_allowed"
    OPTED_OUT = "opted_out"
    ADDRESS_UNUSABLE = "address_unusable"  # the channel does not reach it, as its provider said
    NO_CONSENT = "no_consent"
    WINDOW_CLOSED = "window_closed"
    QUIET_HOURS = "quiet_hours"
    RATE_LIMITED = "rate_limited"
    FREQUENCY_CAP = "frequency_cap"  # of what the business begins
    LOOP_CAP = "loop_cap"  # of the AI's answers
    TOKEN_CAP = "token_cap"  # noqa: S105 - tokens of models, of which nobody keeps a secret


@dataclass(frozen=True, slots=True, kw_only=True)
class Switches:
    """What people allow at all. The defaults are the closed values: what nobody could read allows nothing."""

    safe_mode: bool = True
    automation: bool = False
    project_is_active: bool = False
    channel_is_allowed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """
    One message, and how things stand. Times are milliseconds since 1970; a None among them: there is none.

    *asked_at*: when somebody first wanted it sent. *has_consent*: a recorded opt-in, or the company's word for it
    (`comms_consent`). *is_unreachable*: the provider said that this channel never reaches the address.
    *last_inbound_at*: the customer's newest message in this conversation. *zones* are those of the recipient, none
    where they are unknown. *rate_free_at*, *cap_free_at*: when `shared.rate_limits` allows this
    action, None for now.
    *tokens_left*: whether the project may spend more on models today.
    """

    kind: Kind
    author: Author
    channel: Channel
    now: int
    asked_at: int
    switches: Switches = Switches()
    is_opted_out: bool
    has_consent: bool
    is_unreachable: bool = False
    last_inbound_at: int | None
    is_template: bool = False
    quiet_hours: QuietHours | None
    zones: tuple[ZoneInfo, ...] = ()
    project_zone: ZoneInfo
    rate_free_at: int | None = None
    cap_free_at: int | None = None
    tokens_left: bool = True

    @property
    def is_begun_by_us(self) -> bool:
        """Whether the business begins, instead of answering."""
        return self.kind in {Kind.FIRST, Kind.REENGAGEMENT}

    def was_heard_within(self, milliseconds: int) -> bool:
        """Whether the customer wrote so recently."""
        return self.last_inbound_at is not None and self.now < self.last_inbound_at + milliseconds


@dataclass(frozen=True, slots=True)
class Allowed:
    """It may leave now."""

    reason: None = None


@dataclass(frozen=True, slots=True)
class Refused:
    """It may not leave; waiting alone changes nothing."""

    reason: Reason


@dataclass(frozen=True, slots=True)
class Later:
    """It may not leave before *at* (ms since 1970); then everything is asked again."""

    reason: Reason
    at: int


@dataclass(frozen=True, slots=True)
class TemplateOnly:
    """Only a template may leave: make one, and ask again about that."""

    reason: Reason = Reason.WINDOW_CLOSED


type Decision = Allowed | Refused | Later | TemplateOnly
