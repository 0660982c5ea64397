"""The inputs of a decision: the customer's turn, the stored memory, the order, the shop."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from types import MappingProxyType

from richpanel.classification import Classification, Language
from richpanel.classification.taxonomy import Intent, RiskFlag, Team
from richpanel.decisions.shipping.carriers import KNOWN_HOSTS
from richpanel.decisions.shipping.delivery_windows import DEFAULT_WINDOWS, Calendar, Window
from richpanel.decisions.templates.catalogue import Wordings, standard_wordings
from richpanel.inbound.channels import Channel

NEED_ORDER_NUMBER = "need_order_number"


class MatchPath(StrEnum):
    """The proof that an order is the sender's."""

    LINKED = "linked"
    NUMBER = "number"


class NoOrder(StrEnum):
    """The reason why there are no order facts."""

    NOT_LOOKED_UP = "not_looked_up"
    NO_MATCH = "no_match"  # not found, of another owner, or ambiguous: customers do not see which
    LOOKUP_FAILED = "lookup_failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderFacts:
    """
    One order with a deterministic match: its owner's address is the sender's, found by *path*.

    *number* is the order number known to customers ("#1001"); *status* and *fulfillment_status* are words suitable for
    a customer. *is_preorder* with *ship_by* None: the shipping date is unknown.
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
    """The kind of a model failure. The rules alone route the message; no reply is sent."""

    INVALID = "schema_invalid_fail_closed"
    UNREACHABLE = "vendor_error_fail_closed"  # timeout, refusal, error


class Downgrade(StrEnum):
    """The lower tier that a verifier allows instead of Tier 2."""

    TIER_1 = "TIER_1"
    ROUTE_ONLY = "ROUTE_ONLY"
    TIER_0 = "TIER_0"


class VerdictReason(StrEnum):
    """The reason why a verifier allows or refuses facts of an order."""

    OK = "OK"
    NOT_ORDER_STATUS = "NOT_ORDER_STATUS"
    CONFLICTING_INTENT = "CONFLICTING_INTENT"
    DETERMINISTIC_MATCH_FALSE = "DETERMINISTIC_MATCH_FALSE"
    TOO_AMBIGUOUS = "TOO_AMBIGUOUS"
    ESCALATION_PRESENT = "ESCALATION_PRESENT"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A verifier's result. *downgrade_to* is None if Tier 2 is allowed."""

    allow_tier2: bool
    confidence: float
    reason: VerdictReason
    downgrade_to: Downgrade | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOpinion:
    """
    The model's part of the result. Its intents decide the classification (`model_answers.merge`).

    *verdict* is None until its verifier has been called, which happens only if Tier 2 depends on it
    (`Decision.wants_verdict`).
    """

    failure: ModelFailure | None = None
    verdict: Verdict | None = None


class Newest(StrEnum):
    """The author of the ticket's newest comment."""

    CUSTOMER = "customer"
    PERSON = "person"  # an operator who is not in `automation_author_ids`
    AUTOMATION = "automation"  # our reply, or the shop's own acknowledgement


class RouteOnly(StrEnum):
    """The reason why this turn gets no reply regardless of its text. The values are reasons in audit rows."""

    TICKET_UNREADABLE = "ticket_unreadable"  # decided from the queued text alone
    LATE_MESSAGE = "late_message"  # older than a message that was already handled
    OPERATOR_FLAG_MISSING = "operator_flag_missing"  # the authors of the comments are unknown
    PAYLOAD_MISMATCH = "payload_mismatch"  # the text differs from the first run's
    BACKFILL = "backfill"  # decided in dry run, and routed after dry run was switched off


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """
    The customer's message and the state of the ticket. Times have a time zone.

    *already_answered*: another event answered a message of this turn, according to the ledger; a reply to this message
    itself does not count, so that a redelivery decides as the first run did. *earlier_auto_reply*: the ticket has an
    automatic reply before the target, even if it is no longer in the memory. *recipient_is_listed* applies to the
    scope `allowlist`. *is_assigned_to_person*: the ticket has an assignee whom this middleware did not choose.
    *is_handed_back*: an agent has handed the ticket back to the automation. *policy_refusal*: why the shared send
    policy refuses (opt-out, caps); None if it allows. *is_over_bound*: a bound on costs that customers cause was
    reached, so that the model or the shop was not asked.
    """

    message_id: str
    message_at: datetime
    channel: Channel
    classification: Classification
    ticket_is_open: bool = True
    newest: Newest = Newest.CUSTOMER
    last_person_reply_at: datetime | None = None
    is_assigned_to_person: bool = False
    is_handed_back: bool = False
    first_name: str | None = None
    route_only: RouteOnly | None = None
    already_answered: bool = False
    earlier_auto_reply: bool = False
    recipient_is_listed: bool = False
    policy_refusal: str | None = None
    is_over_bound: bool = False
    model: ModelOpinion | None = None


@dataclass(frozen=True, slots=True)
class PendingFlow:
    """An unanswered request for an order number. *attempts* counts the requests sent, the newest in *language*."""

    requested_at: datetime
    attempts: int
    type: str = NEED_ORDER_NUMBER
    language: Language = Language.ENGLISH


@dataclass(frozen=True, slots=True)
class AutoReply:
    """The newest automatic reply; *type* is `order_status`, `need_order_number` or an intent."""

    type: str
    sent_at: datetime
    source_message_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """
    The stored state of a conversation, and of its customer over all tickets. Empty for a new conversation.

    *handed_back_at*: time of the message at which an agent last handed the ticket back; earlier replies of agents do
    not prevent automatic replies any more.
    """

    pending_flow: PendingFlow | None = None
    last_auto_reply: AutoReply | None = None
    auto_reply_times: tuple[datetime, ...] = ()
    customer_reply_times: tuple[datetime, ...] = ()
    risk_flags: frozenset[RiskFlag] = frozenset()
    handed_back_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Shop:
    """
    Settings of one help-desk account.

    *intent_teams* assigns an intent to another team, *channel_teams* assigns Email Support's tickets of a channel to
    another team; the Backend and LiveChat teams get tickets only by these. *team_names* are the teams' names in the
    help desk, where they differ from the taxonomy. *bot_author_id* None: no replies. *settings_version*: the version of
    the stored settings; 0 if none are stored.
    """

    support_signature: str
    bot_author_id: str | None
    available_teams: frozenset[Team] = frozenset(Team)
    intent_teams: Mapping[Intent, Team] = field(default_factory=lambda: MappingProxyType({}))
    channel_teams: Mapping[Channel, Team] = field(default_factory=lambda: MappingProxyType({}))
    calendar: Calendar = field(default_factory=Calendar)
    shipping_windows: Mapping[str, Window] = DEFAULT_WINDOWS
    link_hosts: frozenset[str] = KNOWN_HOSTS
    team_names: Mapping[Team, str] = field(default_factory=lambda: MappingProxyType({}))
    wordings: Wordings = standard_wordings
    settings_version: int = 0
