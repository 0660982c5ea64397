"""Builders for what AWS End User Messaging SMS publishes, as Lambda gets it from SNS. All of it is made up."""

import json

from events.proxy import Json, made_up_id
from events.sns import sns_event

TOPIC_ARN = "arn:aws:sns:us-east-1:000000000000:parley-local-sms-inbound"
EVENTS_TOPIC_ARN = "arn:aws:sns:us-east-1:000000000000:parley-local-sms-events"
# Of ranges kept for fiction.
NUMBER = "+12025550160"
CUSTOMER = "+447700900124"


def text(name: str, body: str = "Hello", **facts: object) -> Json:
    """What a customer wrote; *name* makes its id."""
    return {
        "originationNumber": CUSTOMER,
        "destinationNumber": NUMBER,
        "messageKeyword": "KEYWORD_000000000000",
        "messageBody": body,
        "inboundMessageId": made_up_id(f"aws sms {name}"),
        "previousPublishedMessageId": made_up_id("aws sms before"),
    } | facts


def delivery(name: str, word: str, action_id: str, **facts: object) -> Json:
    """What becomes of a message of ours; *word* is such as `TEXT_DELIVERED`."""
    return {
        "eventType": word,
        "eventVersion": "1.0",
        "eventTimestamp": 1_767_268_800_470,  # 2026-01-01T12:00:00.470Z
        "isFinal": word not in {"TEXT_QUEUED", "TEXT_PENDING"},
        "originationPhoneNumber": NUMBER,
        "destinationPhoneNumber": CUSTOMER,
        "isoCountryCode": "GB",
        "messageId": made_up_id(f"aws sms out {name}"),
        "messageRequestTimestamp": 1_767_268_800_170,
        "messageEncoding": "GSM",
        "messageType": "TRANSACTIONAL",
        "messageStatus": word.removeprefix("TEXT_"),
        "messageStatusDescription": "Message has been accepted by phone carrier",
        "context": {"action": action_id, "ref": "k7q2m4x0"},
        "totalMessageParts": 1,
        "totalMessagePrice": 0.00581,
        "totalCarrierFee": 0.0,
    } | facts


def notification(
    name: str, published: Json | str, *, at: int = 1_767_268_801, topic: str = TOPIC_ARN
) -> Json:
    """The Lambda event of one SNS notification; `at` is when it was published, in seconds since 1970."""
    message = published if isinstance(published, str) else json.dumps(published)
    return sns_event(name, at, message, topic)
