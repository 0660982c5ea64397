"""Events for the functions of the inbox over all contexts; see `events.direct`."""

import json
from pathlib import Path
from typing import ClassVar

from events import direct
from events.direct import api_call
from events.proxy import Json, made_up_id

FOLDER = Path(__file__).parent
START = 1_767_261_600  # 2026-01-01T10:00:00Z


class Direct(direct.Direct):
    """An event of the inbox over all contexts."""

    folder: ClassVar[Path] = FOLDER


def direct_events() -> list[Direct]:
    """Return all events. Heads that do not exist have no entry."""
    return [
        Direct(
            "whatsapp_change",
            "WhatsAppInboxFeed",
            "A conversation of the WhatsApp inbox has changed.",
            stream_batch("base-wecare-digital-whatsapp", pk="CONV#106540352242922#447700900101"),
        ),
        Direct(
            "conversation_change",
            "ConversationsInboxFeed",
            "The state of a conversation that a model leads has changed.",
            stream_batch("conversation-log-local", pk="CONV#0123456789abcdef", sk="STATE"),
        ),
        Direct(
            "thread_change",
            "EmailThreadsInboxFeed",
            "A thread of mails has changed.",
            stream_batch("parley-local-email-threads", conversation_id="0123456789abcdef"),
        ),
        Direct(
            "list_inbox",
            "InboxApi",
            "A request for the conversations of all contexts, with the context of the authorizer.",
            api_call(
                "list_inbox",
                START,
                "/inbox",
                "whatsapp:read conversations:read email_threads:read",
            ),
        ),
        Direct(
            "open_console",
            "Console",
            "A browser opens the console, before a person has signed in.",
            api_call("open_console", START, "/console", ""),
        ),
        Direct(
            "list_queues",
            "OperationsApi",
            "A request for the queues of the deployment, with the context of the authorizer.",
            api_call("list_queues", START, "/operations/queues", "operator"),
        ),
        Direct(
            "typing",
            "ConsoleLive",
            "Someone types in a conversation, on a connection that has been closed.",
            socket_message({"typing": {"context": "whatsapp", "key": "0123456789abcdef"}}),
        ),
    ]


def socket_message(message: Json) -> Json:
    """Return a message of a WebSocket connection, as API Gateway passes it on."""
    return {
        "requestContext": {
            "routeKey": "$default",
            "messageId": "message-1=",
            "eventType": "MESSAGE",
            "extendedRequestId": "request-1=",
            "requestTime": "01/Jan/2026:10:00:00 +0000",
            "messageDirection": "IN",
            "stage": "local",
            "connectedAt": (START - 60) * 1_000,
            "requestTimeEpoch": START * 1_000,
            "identity": {"sourceIp": "203.0.113.9"},
            "requestId": "request-1=",
            "domainName": "live.example.com",
            "connectionId": "connection-1=",
            "apiId": "live",
        },
        "body": json.dumps(message),
        "isBase64Encoded": False,
    }


def stream_batch(table: str, **key: str) -> Json:
    """Return a batch of a DynamoDB stream with the keys of one changed item."""
    name = "/".join([table, *key.values()])
    stream = f"table/{table}/stream/2026-01-01T10:00:00.000"
    record = {
        "eventID": made_up_id(name).replace("-", ""),
        "eventName": "MODIFY",
        "eventVersion": "1.1",
        "eventSource": "aws:dynamodb",
        "awsRegion": "us-east-1",
        "dynamodb": {
            "ApproximateCreationDateTime": START,
            "Keys": {attribute: {"S": value} for attribute, value in key.items()},
            "SequenceNumber": "111111111111111111111111",
            "SizeBytes": 60,
            "StreamViewType": "KEYS_ONLY",
        },
        "eventSourceARN": f"arn:aws:dynamodb:us-east-1:000000000000:{stream}",
    }
    return {"Records": [record]}
