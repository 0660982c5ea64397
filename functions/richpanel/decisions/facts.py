"""All that a decision depends on, as plain facts: the customer's turn, what we remember, the order, the shop."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from types import MappingProxyType

from richpanel.channels import Channel
from richpanel.classification import Classification
from richpanel.decisions.shipping.carriers import KNOWN_HOSTS
from richpanel.decisions.shipping.delivery_windows import DEFAULT_WINDOWS, Calendar, Window
from richpanel.taxonomy import Intent, RiskFlag, Team

NEED_ORDER_NUMBER = "need_order_number"


class MatchPath(StrEnum):
    """How an order was proved to be the sender's."""

    LINKED = "linked"
    NUMBER = "number"


class NoOrder(StrEnum):
    """Why there are no order facts."""

    NOT_LOOKED_UP = "not_looked_up"
    NO_MATCH = "no_match"  # not found, not theirs, or not one: the customer is never told which
    LOOKUP_FAILED = "lookup_failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderFacts:
    """
    One order with a deterministic match: its owner's address is the sender's, found by *path*.

    *number* is what customers know it by ("#1001"); *status* and *fulfillment_status* are plain words fit for a
    customer. *is_preorder* with *ship_by* None: nobody knows when it leaves.
    """

    path: MatchPath
    order_id: str
    number: str
    status: str
    created_at: datetime
    fulfillment_status: str | None = None
    shipping_method: str | None = None
    tracking_number: str | None = None
    tracking_company: str | None = None
    tracking_url: str | None = None
    status_url: str | None = None
    is_cancelled: bool = False
    is_refunded: bool = False
    is_preorder: bool = False
    ship_by: date | None = None


class ModelFailure(StrEnum):
    """How the model failed to answer. Routing goes on by rules; nothing is sent."""

    INVALID = "schema_invalid_fail_closed"
    UNREACHABLE = "vendor_error_fail_closed"  # timeout, refusal, error


class Downgrade(StrEnum):
    """What a verifier allows instead of Tier 2."""

    TIER_1 = "TIER_1"
    ROUTE_ONLY = "ROUTE_ONLY"
    TIER_0 = "TIER_0"


class VerdictReason(StrEnum):
    """Why a verifier allows or refuses facts of an order."""

    OK = "OK"
    NOT_ORDER_STATUS = "NOT_ORDER_STATUS"
    CONFLICTING_INTENT = "CONFLICTING_INTENT"
    DETERMINISTIC_MATCH_FALSE = "DETERMINISTIC_MATCH_FALSE"
    TOO_AMBIGUOUS = "TOO_AMBIGUOUS"
    ESCALATION_PRESENT = "ESCALATION_PRESENT"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A verifier's answer. *downgrade_to* is None where Tier 2 is allowed."""

    allow_tier2: bool
    confidence: float
    reason: VerdictReason
    downgrade_to: Downgrade | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOpinion:
    """
    What the model adds where `CLASSIFIER` is `both`. Its words on intents are merged into the classification.

    *agrees*: it names the same primary intent as the rules. *verdict* is None until its verifier was asked, and the
    verifier is asked only when Tier 2 is in question (`Decision.wants_verdict`).
    """

    failure: ModelFailure | None = None
    agrees: bool = False
    verdict: Verdict | None = None


class Newest(StrEnum):
    """Who wrote the ticket's newest comment."""

    CUSTOMER = "customer"
    PERSON = "person"  # an operator who is not in `automation_author_ids`
    AUTOMATION = "automation"  # we, or the shop's own acknowledgement


class RouteOnly(StrEnum):
    """Why this turn gets no reply whatever it says. The words are reasons of audit rows."""

    TICKET_UNREADABLE = "ticket_unreadable"  # decided from the queued text alone
    LATE_MESSAGE = "late_message"  # older than what was handled already
    OPERATOR_FLAG_MISSING = "operator_flag_missing"  # nobody can tell who wrote the comments
    PAYLOAD_MISMATCH = "payload_mismatch"  # the message reads otherwise than when it was begun


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """
    What the customer wrote, and how the ticket stands. Times know their zone.

    *already_answered*: another event answered a message of this turn (the ledger says so); a reply of this very
    message does not count, so that a redelivery decides as the first run did. *earlier_auto_reply*: the ticket shows an
    automatic reply from before the target, though we may have forgotten it. *recipient_is_listed* counts for the scope
    `allowlist`. *policy_refusal*: why the shared send policy refuses (opt-out, caps); None when it allows.
    """

    message_id: str
    message_at: datetime
    channel: Channel
    classification: Classification
    ticket_is_open: bool = True
    newest: Newest = Newest.CUSTOMER
    last_person_reply_at: datetime | None = None
    first_name: str | None = None
    route_only: RouteOnly | None = None
    already_answered: bool = False
    earlier_auto_reply: bool = False
    recipient_is_listed: bool = False
    policy_refusal: str | None = None
    model: ModelOpinion | None = None


@dataclass(frozen=True, slots=True)
class PendingFlow:
    """We asked for an order number and wait. *attempts* counts our questions."""

    requested_at: datetime
    attempts: int
    type: str = NEED_ORDER_NUMBER


@dataclass(frozen=True, slots=True)
class AutoReply:
    """The newest automatic reply; *type* is `order_status`, `need_order_number` or an intent."""

    type: str
    sent_at: datetime
    source_message_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """What we remember of a conversation, and of its customer over all tickets. Empty for a new one."""

    pending_flow: PendingFlow | None = None
    last_auto_reply: AutoReply | None = None
    auto_reply_times: tuple[datetime, ...] = ()
    customer_reply_times: tuple[datetime, ...] = ()
    risk_flags: frozenset[RiskFlag] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Shop:
    """
    Settings of one help-desk account.

    *intent_teams* moves an intent to another team, *channel_teams* says who takes Email Support's tickets of a channel:
    the only ways in which the Backend and LiveChat teams get any. *bot_author_id* None: no replies.
    """

    support_signature: str
    bot_author_id: str | None
    available_teams: frozenset[Team] = frozenset(Team)
    intent_teams: Mapping[Intent, Team] = field(default_factory=lambda: MappingProxyType({}))
    channel_teams: Mapping[Channel, Team] = field(default_factory=lambda: MappingProxyType({}))
    calendar: Calendar = field(default_factory=Calendar)
    shipping_windows: Mapping[str, Window] = DEFAULT_WINDOWS
    link_hosts: frozenset[str] = KNOWN_HOSTS
