"""The SQS event of all samples of queue records."""

import hashlib
import json

from events.proxy import Json, made_up_id

_ARN = "arn:aws:sqs:us-east-1:000000000000:{name}"


def sqs_event(
    name: str, at: int, body: str, *, queue: str, group: str = "", deduplication: str = ""
) -> Json:
    """
    Return a batch with the first delivery of one message of a queue.

    Its id is made from *name*; *at* is the time of sending, in seconds since 1970; *group* and *deduplication* are its
    message group id and deduplication id, which only messages of FIFO queues have.
    """
    of_fifo = {
        "SequenceNumber": "18870000000000000000",
        "MessageGroupId": group,
        "MessageDeduplicationId": deduplication,
    }
    record = {
        "messageId": made_up_id(f"message {name}"),
        "receiptHandle": "sample",
        "body": body,
        "attributes": {
            "ApproximateReceiveCount": "1",
            "SentTimestamp": str(at * 1_000),
            "SenderId": "AIDASAMPLE",
            "ApproximateFirstReceiveTimestamp": str(at * 1_000),
        }
        | (of_fifo if group else {}),
        "messageAttributes": {},
        "md5OfBody": hashlib.md5(body.encode(), usedforsecurity=False).hexdigest(),
        "eventSource": "aws:sqs",
        "eventSourceARN": _ARN.format(name=queue),
        "awsRegion": "us-east-1",
    }
    return {"Records": [record]}


def message_of_body(name: str, at: int, body: Json, *, queue: str, group: str = "") -> Json:
    """
    Return the batch of a FIFO queue with one message; its deduplication id is the hash of *body*, and its group, too,
    if none is given.
    """
    text = json.dumps(body, separators=(",", ":"), sort_keys=True)
    digest = hashlib.sha256(text.encode()).hexdigest()
    return sqs_event(name, at, text, queue=queue, group=group or digest, deduplication=digest)
