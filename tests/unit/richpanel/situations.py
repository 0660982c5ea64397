"""Turns, orders and settings for tests: all gates are open unless a test closes one."""

from datetime import UTC, datetime, timedelta
from typing import Any

from richpanel.classification import Classification, Language, Scored
from richpanel.classification.taxonomy import Intent
from richpanel.decisions.engine import decide
from richpanel.decisions.facts import (
    AutoReply,
    MatchPath,
    Memory,
    NoOrder,
    OrderFacts,
    PendingFlow,
    Shop,
    Turn,
)
from richpanel.decisions.outcome import Decision
from richpanel.decisions.switches import OutboundScope, Switches
from richpanel.decisions.templates.catalogue import templates
from richpanel.inbound.channels import Channel

NOW = datetime(2026, 3, 5, 15, 0, tzinfo=UTC)  # a Thursday
SHOP = Shop(support_signature="Your shop", bot_author_id="bot-1")
OPEN: dict[str, Any] = {
    "safe_mode": False,
    "automation_enabled": True,
    "automation_enabled_channels": frozenset({Channel.EMAIL, Channel.LIVECHAT}),
    "template_enabled": {name: t.tier is not None for name, t in templates.items()},
    "tier2_channels": frozenset({Channel.EMAIL}),
    "tier2_paths": frozenset(MatchPath),
    "outbound_scope": OutboundScope.ALL,
}


def ago(**duration: float) -> datetime:
    return NOW - timedelta(**duration)


def switches(**more: Any) -> Switches:
    return Switches(**OPEN | more)


def about(*scored: tuple[Intent, float], **more: Any) -> Classification:
    facts: dict[str, Any] = {
        "language": Language.ENGLISH,
        "intents": tuple(Scored(*pair) for pair in scored) or (Scored(Intent.UNKNOWN_OTHER, 0.0),),
        "word_count": 12,
        "names_own_order": True,
    }
    return Classification(**facts | more)


def status(confidence: float = 0.96, **more: Any) -> Classification:
    return about((Intent.ORDER_STATUS_TRACKING, confidence), **more)


def turn(answer: Classification | None = None, **more: Any) -> Turn:
    facts: dict[str, Any] = {
        "message_id": "m-1",
        "message_at": NOW,
        "channel": Channel.EMAIL,
        "classification": answer or about((Intent.RETURN_REQUEST, 0.96)),
    }
    return Turn(**facts | more)


def order(**more: Any) -> OrderFacts:
    facts: dict[str, Any] = {
        "path": MatchPath.LINKED,
        "order_id": "gid-1",
        "number": "#1001",
        "status": "paid",
        "fulfillment_status": "shipped",
        "created_at": datetime(2026, 3, 3, 15, 0, tzinfo=UTC),
        "shipping_method": "Standard",
        "tracking_number": "1Z999AA10123456784",
        "tracking_company": "UPS",
    }
    return OrderFacts(**facts | more)


def pending_request(attempts: int = 1, **at: float) -> PendingFlow:
    return PendingFlow(ago(**(at or {"hours": 1})), attempts)


def auto_reply(message_id: str = "m-0", kind: str = "return_request", **at: float) -> AutoReply:
    return AutoReply(kind, ago(**(at or {"hours": 1})), message_id)


def outcome(
    turn_or_answer: Turn | Classification | None = None,
    memory: Memory | None = None,
    order_facts: OrderFacts | NoOrder = NoOrder.NO_MATCH,
    allowed: Switches | None = None,
    *,
    now: datetime = NOW,
    shop: Shop = SHOP,
) -> Decision:
    situation = turn_or_answer if isinstance(turn_or_answer, Turn) else turn(turn_or_answer)
    return decide(situation, memory or Memory(), order_facts, allowed or switches(), now, shop=shop)
