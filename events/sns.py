"""The SNS event of all samples of published messages."""

from datetime import UTC, datetime

from events.proxy import Json, made_up_id


def sns_event(name: str, at: int, message: str, topic: str) -> Json:
    """Return the Lambda event of one notification, published at *at* (seconds since 1970)."""
    notification: Json = {
        "Type": "Notification",
        "MessageId": made_up_id(f"sns {name} {at}"),
        "TopicArn": topic,
        "Subject": None,
        "Message": message,
        "Timestamp": f"{datetime.fromtimestamp(at, UTC):%Y-%m-%dT%H:%M:%S}.000Z",
        "SignatureVersion": "1",
        "Signature": "not-checked-by-lambda-subscriptions",
        "SigningCertUrl": "https://sns.us-east-1.amazonaws.com/sample.pem",
        "UnsubscribeUrl": "https://sns.us-east-1.amazonaws.com/?Action=Unsubscribe",
        "MessageAttributes": {},
    }
    record = {
        "EventSource": "aws:sns",
        "EventVersion": "1.0",
        "EventSubscriptionArn": f"{topic}:{made_up_id('subscription')}",
        "Sns": notification,
    }
    return {"Records": [record]}
