"""The SQS event of all samples of queue records."""

import hashlib

from events.proxy import Json, made_up_id

_ARN = "arn:aws:sqs:us-east-1:000000000000:{name}"


def sqs_event(name: str, at: int, body: str, *, queue: str, group: str, deduplication: str) -> Json:
    """
    Return a batch with the first delivery of one message of a FIFO queue.

    Its id is made from *name*; *at* is the time of sending, in seconds since 1970; *group* and *deduplication* are its
    message group id and deduplication id.
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
            "MessageDeduplicationId": deduplication,
            "ApproximateFirstReceiveTimestamp": str(at * 1_000),
        },
        "messageAttributes": {},
        "md5OfBody": hashlib.md5(body.encode(), usedforsecurity=False).hexdigest(),
        "eventSource": "aws:sqs",
        "eventSourceARN": _ARN.format(name=queue),
        "awsRegion": "us-east-1",
    }
    return {"Records": [record]}
