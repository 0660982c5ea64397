"""Builders of the SNS messages that AWS End User Messaging SMS publishes. All data is fictitious."""

import json

from events.proxy import Json, made_up_id
from events.sns import sns_event

TOPIC_ARN = "arn:aws:sns:us-east-1:000000000000:parley-local-sms-inbound"
EVENTS_TOPIC_ARN = "arn:aws:sns:us-east-1:000000000000:parley-local-sms-events"
# Of ranges reserved for fiction.
NUMBER = "+12025550160"
CUSTOMER = "+447700900124"


def text(name: str, body: str = "Hello", **facts: object) -> Json:
    """Return a customer's message; its id is made from *name*."""
    return {
        "originationNumber": CUSTOMER,
        "destinationNumber": NUMBER,
        "messageKeyword": "KEYWORD_000000000000",
        "messageBody": body,
        "inboundMessageId": made_up_id(f"aws sms {name}"),
        "previousPublishedMessageId": made_up_id("aws sms before"),
    } | facts


def delivery(name: str, event_type: str, action_id: str, **facts: object) -> Json:
    """Return a delivery event of one of our messages; *event_type* is a value such as `TEXT_DELIVERED`."""
    return {
        "eventType": event_type,
        "eventVersion": "1.0",
        "eventTimestamp": 1_767_268_800_470,  # 2026-01-01T12:00:00.470Z
        "isFinal": event_type not in {"TEXT_QUEUED", "TEXT_PENDING"},
        "originationPhoneNumber": NUMBER,
        "destinationPhoneNumber": CUSTOMER,
        "isoCountryCode": "GB",
        "messageId": made_up_id(f"aws sms out {name}"),
        "messageRequestTimestamp": 1_767_268_800_170,
        "messageEncoding": "GSM",
        "messageType": "TRANSACTIONAL",
        "messageStatus": event_type.removeprefix("TEXT_"),
        "messageStatusDescription": "Message has been accepted by phone carrier",
        "context": {"action": action_id, "ref": "k7q2m4x0"},
        "totalMessageParts": 1,
        "totalMessagePrice": 0.00581,
        "totalCarrierFee": 0.0,
    } | facts


def notification(
    name: str, published: Json | str, *, at: int = 1_767_268_801, topic: str = TOPIC_ARN
) -> Json:
    """Return the Lambda event of one SNS notification, published at *at* (seconds since 1970)."""
    message = published if isinstance(published, str) else json.dumps(published)
    return sns_event(name, at, message, topic)
