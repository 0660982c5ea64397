"""Events for the functions of e-mail threads; see `events.direct`."""

import json
from pathlib import Path
from typing import ClassVar

from events import direct
from events.direct import api_call, schedule
from events.proxy import Json
from events.sqs import message_of_body, sqs_event

FOLDER = Path(__file__).parent
START = 1_767_261_600  # 2026-01-01T10:00:00Z
BUCKET = "parley-local-email-000000000000-us-east-1"
KEY = "raw/_/0a1b2c3d4e5f"
_QUEUE = "parley-local-email-threads.fifo"
_INBOUND = "parley-local-email-inbound"


class Direct(direct.Direct):
    """An event of the context of e-mail threads."""

    folder: ClassVar[Path] = FOLDER


def direct_events() -> list[Direct]:
    """Return all events."""
    return [
        Direct(
            "notification",
            "EmailThreadsIngest",
            "S3 tells about a stored mail. Without the object the mail is counted as vanished.",
            notification(),
        ),
        Direct(
            "queue_mail",
            "EmailThreadsWorker",
            "The same mail as ingest enqueues it.",
            queue_batch("queue_mail", START),
        ),
        Direct(
            "bounce",
            "EmailThreadsIngest",
            "SES tells that a mail did not arrive. Ingest queues it for the worker.",
            bounce("bounce", START),
        ),
        Direct(
            "schedule",
            "EmailThreadsScheduled",
            "A run that looks for expired threads and dead letters.",
            schedule("schedule", START, "EmailThreadsScheduledMinutes"),
        ),
        Direct(
            "list_threads",
            "EmailThreadsApi",
            "A request for the active threads, with the context of the authorizer.",
            api_call("list_threads", START, "/email-threads", "email_threads:read"),
        ),
    ]


def notification() -> Json:
    """Return S3's notification about one object, as Lambda gets it without a queue."""
    record = {
        "eventVersion": "2.1",
        "eventSource": "aws:s3",
        "awsRegion": "us-east-1",
        "eventTime": "2026-01-01T10:00:00.000Z",
        "eventName": "ObjectCreated:Put",
        "s3": {
            "s3SchemaVersion": "1.0",
            "bucket": {"name": BUCKET, "arn": f"arn:aws:s3:::{BUCKET}"},
            "object": {
                "key": KEY,
                "size": 1_200,
                "eTag": "0123456789abcdef0123456789abcdef",
                "sequencer": "0055AED6DCD90281E5",
            },
        },
    }
    return {"Records": [record]}


def bounce(name: str, at: int) -> Json:
    """Return SES's event about a permanent bounce, as its topic writes it to the queue of ingest."""
    body = {
        "eventType": "Bounce",
        "bounce": {
            "bounceType": "Permanent",
            "bounceSubType": "General",
            "bouncedRecipients": [
                {
                    "emailAddress": "ann@orchard.example",
                    "action": "failed",
                    "status": "5.1.1",
                    "diagnosticCode": "smtp; 550 5.1.1 user unknown",
                }
            ],
            "timestamp": "2026-01-01T10:00:00.000Z",
            "feedbackId": "010001890123abcd-0a1b2c3d-0000-4000-8000-0123456789ab-000000",
            "reportingMTA": "dns; a8-50.smtp-out.amazonses.com",
        },
        "mail": {
            "timestamp": "2026-01-01T09:59:58.000Z",
            "source": "Shop <support@shop.example>",
            "messageId": "010001890123abcd-0a1b2c3d-4e5f-4000-8000-0123456789ab-000000",
            "destination": ["ann@orchard.example"],
            "tags": {
                "thread": ["a28b3aefecc1e03b"],
                "reply": ["e2daffbbfccbddec"],
                "ses:configuration-set": ["parley-local"],
                "ses:source-ip": ["203.0.113.7"],
            },
        },
    }
    return sqs_event(name, at, json.dumps(body), queue=_INBOUND)


def queue_batch(name: str, at: int) -> Json:
    """Return an SQS batch with one mail; written by hand, since new code must read what older code enqueued."""
    body = {
        "etag": "0123456789abcdef0123456789abcdef",
        "is_released": False,
        "cause": None,
        "key": KEY,
        "received_at": "2026-01-01T10:00:00.000Z",
        "replay": 0,
        "replay_of": None,
        "size": 1_200,
        "type": "email.received",
        "v": 1,
    }
    return message_of_body(name, at, body, queue=_QUEUE)
