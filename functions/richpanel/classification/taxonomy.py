"""
Intents, teams, tags and the numeric thresholds of decisions: taxonomy.toml, validated.

The enums contain the names that code uses; the file contains everything else. Importing this module fails if the two
disagree, so adding an intent takes one line in the enum and one entry in the file.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from importlib import resources
from types import MappingProxyType
from typing import Any

from richpanel.inbound.channels import Channel


class Level(IntEnum):
    """Urgency of an intent: the lowest number wins. P0 is for agents only."""

    P0 = 0
    P1 = 1
    P2 = 2
    P3 = 3
    P4 = 4
    P5 = 5
    P6 = 6
    P7 = 7


class Intent(StrEnum):
    """Topic of a message, as spelled in audit rows, states and by the classifiers."""

    CHARGEBACK_DISPUTE = "chargeback_dispute"
    LEGAL_THREAT = "legal_threat"
    HARASSMENT_THREATS = "harassment_threats"
    FRAUD_SUSPECTED = "fraud_suspected"
    CANCEL_ORDER = "cancel_order"
    ADDRESS_CHANGE_ORDER_EDIT = "address_change_order_edit"
    CANCEL_SUBSCRIPTION = "cancel_subscription"
    BILLING_ISSUE = "billing_issue"
    DELIVERED_NOT_RECEIVED = "delivered_not_received"
    MISSING_ITEMS_IN_SHIPMENT = "missing_items_in_shipment"
    WRONG_ITEM_RECEIVED = "wrong_item_received"
    DAMAGED_ITEM = "damaged_item"
    EXCHANGE_REQUEST = "exchange_request"
    RETURN_REQUEST = "return_request"
    REFUND_REQUEST = "refund_request"
    SHIPPING_DELAY_NOT_SHIPPED = "shipping_delay_not_shipped"
    ORDER_STATUS_TRACKING = "order_status_tracking"
    TECHNICAL_SUPPORT = "technical_support"
    PHONE_SUPPORT_REQUEST = "phone_support_request"
    TIKTOK_SUPPORT_REQUEST = "tiktok_support_request"
    SOCIAL_MEDIA_SUPPORT_REQUEST = "social_media_support_request"
    PROMO_DISCOUNT_ISSUE = "promo_discount_issue"
    INFLUENCER_MARKETING_INQUIRY = "influencer_marketing_inquiry"
    PRE_PURCHASE_QUESTION = "pre_purchase_question"
    UNKNOWN_OTHER = "unknown_other"


class Team(StrEnum):
    """A team of the help desk. The value is its key in taxonomy.toml; `teams[team].name` is its display name."""

    SALES = "sales"
    BACKEND = "backend"
    TECHNICAL = "technical"
    PHONE = "phone"
    TIKTOK = "tiktok"
    RETURNS = "returns"
    LIVECHAT = "livechat"
    LEADERSHIP = "leadership"
    SOCIAL = "social"
    EMAIL = "email"
    CHARGEBACKS = "chargebacks"


class Modifier(StrEnum):
    """Properties of a message that forbid a reply although the intent is clear."""

    WANTS_PERSON = "wants_person"
    REPEATED_CONTACT = "repeated_contact"
    AUTOMATIC_MAIL = "automatic_mail"
    THANKS_ONLY = "thanks_only"
    PRIVACY_REQUEST = "privacy_request"
    SECURITY_SENSITIVE = "security_sensitive"
    # Requests by which another person could take over an account, and its orders.
    ACCOUNT_CHANGE = "account_change"
    DELIVERY_REROUTE = "delivery_reroute"
    OTHER_HIGH_RISK = "other_high_risk"


class RiskFlag(StrEnum):
    """Risk marks that stay on a conversation until an operator removes them."""

    CHARGEBACK = "chargeback"
    LEGAL_THREAT = "legal_threat"
    HARASSMENT = "harassment"
    FRAUD_SUSPECTED = "fraud_suspected"
    PRIVACY_REQUEST = "privacy_request"
    SECURITY_SENSITIVE = "security_sensitive"
    OTHER_HIGH_RISK = "other_high_risk"


class ControlTag(StrEnum):
    """Tags that record the middleware's actions on a ticket. They must not trigger any rule of the help desk."""

    PROCESSED = "mw-processed"
    ROUTING_APPLIED = "mw-routing-applied"
    AUTO_REPLIED = "mw-auto-replied"
    ORDER_STATUS_ANSWERED = "mw-order-status-answered"
    ESCALATED_HUMAN = "mw-escalated-human"
    UNCERTAIN = "mw-uncertain"
    NEEDS_MANUAL_TRIAGE = "mw-needs-manual-triage"
    MODEL_FAILURE = "mw-model-failure"
    AUTO_RATE_LIMITED = "mw-auto-rate-limited"
    SEND_FAILED = "mw-send-failed"
    ORDER_LOOKUP_NEEDED = "mw-order-lookup-needed"
    ORDER_LOOKUP_FAILED = "mw-order-lookup-failed"
    ATTACHMENT_ONLY = "mw-attachment-only"
    SECURITY_SENSITIVE = "mw-security-sensitive"
    AUTO_CLOSED = "mw-auto-closed"
    DEFLECTED = "mw-deflected"


# Added by agents or their macros: automatic replies may resume in this ticket. Removed when it has taken effect.
HANDED_BACK_TAG = "mw-handed-back"


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamFacts:
    """*fallback* takes over, with *fallback_tags*, if the account lacks the team; None: the team must exist."""

    team: Team
    name: str
    route_tag: str
    fallback: Team | None
    fallback_tags: tuple[str, ...]
    by_setting: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentFacts:
    """*row* orders the intents of a level; *template* is the Tier 1 reply, None for an intent that is only routed."""

    intent: Intent
    row: int
    level: Level
    team: Team
    tag: str
    extra_tags: tuple[str, ...]
    template: str | None
    tier2: bool
    risk_flag: RiskFlag | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelFacts:
    """*stale_after_seconds*: older messages get no automatic reply; None if the channel never gets one."""

    can_answer: bool
    stale_after_seconds: int | None
    unknown_becomes: Intent | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModifierFacts:
    """*team* takes over instead of the intent's team; None changes nothing."""

    team: Team | None
    tags: tuple[str, ...]
    risk_flag: RiskFlag | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """Confidences, 0 to 1, and two counts of words and intents. Each is explained in taxonomy.toml."""

    present: float
    manual_triage_below: float
    uncertain_below: float
    tier1_confidence: float
    tier1_margin: float
    tier2_confidence: float
    tier2_verifier: float
    penalty: float
    narrow_margin: float
    few_words: int
    most_secondary_intents: int
    pending_flow_confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Cooldowns:
    """Limits on the frequency of automatic replies. Durations in seconds."""

    ticket_seconds: int
    most_replies_per_ticket: int
    most_replies_per_customer: int
    window_seconds: int
    pending_flow_seconds: int
    most_pending_attempts: int


class TaxonomyBroken(Exception):
    """taxonomy.toml and this module disagree. Raised at import only."""


def _teams(tables: Mapping[str, dict[str, Any]]) -> dict[Team, TeamFacts]:
    return {
        Team(key): TeamFacts(
            team=Team(key),
            name=table["name"],
            route_tag=table["route_tag"],
            fallback=Team(table["instead"]) if "instead" in table else None,
            fallback_tags=tuple(table.get("instead_tags", ())),
            by_setting=table.get("by_setting", False),
        )
        for key, table in tables.items()
    }


def _intents(tables: list[dict[str, Any]]) -> dict[Intent, IntentFacts]:
    facts = {
        Intent(table["id"]): IntentFacts(
            intent=Intent(table["id"]),
            row=row,
            level=Level(table["level"]),
            team=Team(table["team"]),
            tag=table["tag"],
            extra_tags=tuple(table.get("extra_tags", ())),
            template=table.get("template"),
            tier2=table.get("tier2", False),
            risk_flag=RiskFlag(table["risk_flag"]) if "risk_flag" in table else None,
        )
        for row, table in enumerate(tables)
    }
    if len(facts) < len(tables):
        raise TaxonomyBroken("taxonomy.toml: duplicate intent")
    return facts


def _channels(tables: Mapping[str, dict[str, Any]]) -> dict[Channel, ChannelFacts]:
    return {
        Channel(key): ChannelFacts(
            can_answer=table.get("can_answer", False),
            stale_after_seconds=table.get("stale_after_seconds"),
            unknown_becomes=Intent(table["unknown_becomes"])
            if "unknown_becomes" in table
            else None,
        )
        for key, table in tables.items()
    }


def _modifiers(tables: Mapping[str, dict[str, Any]]) -> dict[Modifier, ModifierFacts]:
    return {
        Modifier(key): ModifierFacts(
            team=Team(table["team"]) if "team" in table else None,
            tags=tuple(table.get("tags", ())),
            risk_flag=RiskFlag(table["risk_flag"]) if "risk_flag" in table else None,
        )
        for key, table in tables.items()
    }


def _complete[Key: StrEnum, Facts](
    kind: type[Key], facts: Mapping[Key, Facts]
) -> Mapping[Key, Facts]:
    if absent := set(kind) - set(facts):
        raise TaxonomyBroken(f"taxonomy.toml: missing entries: {', '.join(sorted(absent))}")
    return MappingProxyType(dict(facts))


_read = tomllib.loads(
    resources.files("richpanel.classification").joinpath("taxonomy.toml").read_text("utf-8")
)

teams: Mapping[Team, TeamFacts] = _complete(Team, _teams(_read["teams"]))
intents: Mapping[Intent, IntentFacts] = _complete(Intent, _intents(_read["intents"]))
channels: Mapping[Channel, ChannelFacts] = _complete(Channel, _channels(_read["channels"]))
modifiers: Mapping[Modifier, ModifierFacts] = _complete(Modifier, _modifiers(_read["modifiers"]))
thresholds = Thresholds(**_read["thresholds"])
cooldowns = Cooldowns(**_read["cooldowns"])
_equivalent_intents = tuple(
    frozenset(Intent(name) for name in names) for names in _read["together"].values()
)


def are_equivalent(first: Intent, second: Intent) -> bool:
    """Whether two intents belong to one group, so that a message with both is not ambiguous."""
    return any({first, second} <= group for group in _equivalent_intents)


def available(team: Team, available_teams: frozenset[Team]) -> tuple[Team, tuple[str, ...]]:
    """
    Return the team for *team*'s tickets in an account that has *available_teams*, and the additional tags.

    A team without a stand-in is returned unchanged, available or not: its route tag still names the intended team.
    """
    tags: tuple[str, ...] = ()
    facts = teams[team]
    while facts.team not in available_teams and facts.fallback is not None:
        tags += facts.fallback_tags
        facts = teams[facts.fallback]
    return facts.team, tags
