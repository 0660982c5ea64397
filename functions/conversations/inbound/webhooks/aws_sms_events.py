"""
Translates events of AWS End User Messaging SMS: inbound messages and delivery statuses.

Nothing is rejected; a payload of unknown shape becomes an event of kind `unknown`, which intake parks.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from shared.events.exchange import DeliveryStatus, InboundMessage, bounded_extra
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Mapping

_OF_A_MESSAGE = frozenset(
    {
        *("originationNumber", "destinationNumber", "messageBody"),
        *("inboundMessageId", "previousPublishedMessageId"),
    }
)
# The customer's number is dropped: the message has it, and a status does not need it.
_OF_A_STATUS = frozenset(
    {
        *("eventType", "eventTimestamp", "isFinal", "messageId", "context"),
        *("totalMessageParts", "totalMessagePrice"),
        *("originationPhoneNumber", "destinationPhoneNumber"),
    }
)
_CURRENCY = "USD"  # of all amounts in the service's API (SendTextMessage, MaxPrice); events name none (check)

_LONGEST_RAW = 600  # characters: at most 8 KB of JSON with any content


def event_of(notification: Mapping[str, Any]) -> InboundMessage | DeliveryStatus:
    """Translate one SNS notification, as Lambda receives it; its topic must already be verified."""
    topic, at = str(notification["TopicArn"]), _published_at(notification)
    fields = _object(notification["Message"])
    if _text(fields, "inboundMessageId"):
        return _inbound_message(fields, topic, at)
    if _text(fields, "messageId") and _text(fields, "eventType"):
        return _delivery_status(fields, topic, at)
    return InboundMessage(
        provider="aws_sms",
        provider_message_id=str(notification["MessageId"]),
        account=topic,
        channel_method="sms",
        business_address="",
        received_at=at,
        kind="unknown",
        extra=bounded_extra(fields or {"raw": str(notification["Message"])[:_LONGEST_RAW]}),
    )


def _inbound_message(fields: Mapping[str, Any], topic: str, at: str) -> InboundMessage:
    return InboundMessage(
        provider="aws_sms",
        provider_message_id=_text(fields, "inboundMessageId"),
        account=topic,
        channel_method="sms",
        business_address=_text(fields, "destinationNumber"),
        customer_address=_text(fields, "originationNumber") or None,
        received_at=at,
        kind="text",
        text=_text(fields, "messageBody"),
        reply_to=_text(fields, "previousPublishedMessageId") or None,
        extra=bounded_extra(
            {name: value for name, value in fields.items() if name not in _OF_A_MESSAGE}
        ),
    )


def _delivery_status(fields: Mapping[str, Any], topic: str, at: str) -> DeliveryStatus:
    context = fields.get("context")
    context = context if isinstance(context, dict) else {}
    price = _text(fields, "totalMessagePrice")
    is_final, parts = fields.get("isFinal"), fields.get("totalMessageParts")
    return DeliveryStatus(
        provider="aws_sms",
        provider_message_id=_text(fields, "messageId"),
        account=topic,
        channel_method="sms",
        business_address=_text(fields, "originationPhoneNumber") or None,
        action_id=_text(context, "action") or None,
        status=_text(fields, "eventType"),
        is_final=is_final if isinstance(is_final, bool) else None,
        occurred_at=_moment(fields.get("eventTimestamp")) or at,
        segments=parts if isinstance(parts, int) and not isinstance(parts, bool) else None,
        price=price or None,
        currency=_CURRENCY if price else None,
        extra=bounded_extra(
            {name: value for name, value in fields.items() if name not in _OF_A_STATUS}
            | ({"context": context} if context else {})
        ),
    )


def _published_at(notification: Mapping[str, Any]) -> str:
    """Return the time at which SNS accepted the message: equal in all its deliveries, unlike the current time."""
    try:
        return clock.to_text(clock.from_text(str(notification["Timestamp"])))
    except (KeyError, ValueError):
        return clock.to_text(clock.now_ms())


def _moment(milliseconds: object) -> str | None:
    """Convert a provider's time in ms to text; None if it is not a time or out of range."""
    if not isinstance(milliseconds, int) or isinstance(milliseconds, bool):
        return None
    try:
        return clock.to_text(milliseconds)
    except (ValueError, OverflowError, OSError):
        return None


def _object(text: object) -> dict[str, Any]:
    """Parse a message as a JSON object; empty if it is none. Prices keep their notation."""
    try:
        parsed = json.loads(str(text), parse_float=str, parse_constant=str)
    except (ValueError, RecursionError):
        return {}
    return parsed if isinstance(parsed, dict) else {}


def _text(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) else ""
