"""The event of SQS, as samples of queued work have it."""

import hashlib

from events.proxy import Json, made_up_id

_ARN = "arn:aws:sqs:us-east-1:000000000000:{name}"


def sqs_event(name: str, at: int, body: str, *, queue: str, group: str, once: str) -> Json:
    """
    The batch that brings one message of a FIFO queue to its worker, the first time that it comes.

    *name* makes its id, `at` is when it was put there, in seconds since 1970; *group* and *once* are its message group
    and deduplication ids.
    """
    record = {
        "messageId": made_up_id(f"message {name}"),
        "receiptHandle": "sample",
        "body": body,
        "attributes": {
            "ApproximateReceiveCount": "1",
            "SentTimestamp": str(at * 1_000),
            "SequenceNumber": "18870000000000000000",
            "MessageGroupId": group,
            "SenderId": "AIDASAMPLE",
            "MessageDeduplicationId": once,
            "ApproximateFirstReceiveTimestamp": str(at * 1_000),
        },
        "messageAttributes": {},
        "md5OfBody": hashlib.md5(body.encode(), usedforsecurity=False).hexdigest(),
        "eventSource": "aws:sqs",
        "eventSourceARN": _ARN.format(name=queue),
        "awsRegion": "us-east-1",
    }
    return {"Records": [record]}
