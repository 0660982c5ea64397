"""Moves a queue message to the dead-letter queue of its queue, as SQS itself does after too many receives."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from shared.aws.sqs_fifo import Entry, FifoQueue
from shared.aws.sqs_standard import StandardQueue

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
    from mypy_boto3_sqs import SQSClient


def move(client: SQSClient, queue_url: str, received: SQSRecord) -> None:
    """
    Store a received message as a dead letter; the caller then deletes it from its queue.

    Safe to repeat: another letter of the same message differs in nothing, and handling one twice has no further effect.
    """
    attributes = client.get_queue_attributes(QueueUrl=queue_url, AttributeNames=["RedrivePolicy"])[
        "Attributes"
    ]
    arn: str = json.loads(attributes["RedrivePolicy"])["deadLetterTargetArn"]
    name = arn.rpartition(":")[2]
    kind = FifoQueue if name.endswith(".fifo") else StandardQueue
    letters = kind(lambda: client, f"{queue_url.rpartition('/')[0]}/{name}")
    group = received.attributes.message_group_id or ""
    letters.send([Entry(received.body, group, received.message_id)])
