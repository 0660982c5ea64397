"""Forwards SNS events of AWS End User Messaging SMS to the queues: a standard topic cannot feed a FIFO queue."""

from dataclasses import dataclass
from typing import Any

import boto3
from aws_lambda_powertools.metrics import MetricUnit

from conversations.inbound.webhooks import aws_sms_events
from shared.aws.sqs_fifo import FifoQueue
from shared.events.exchange import InboundMessage, inbound_entry, status_entry
from shared.runtime.observability import logger, metrics
from shared.runtime.settings import Settings


@dataclass(frozen=True, kw_only=True)
class AwsSmsSettings(Settings):
    """Environment variables of this function."""

    conversations_inbound_queue_url: str
    conversations_statuses_queue_url: str
    sms_topic_arns: tuple[str, ...]


settings = AwsSmsSettings.load()
sqs = boto3.client("sqs")  # created at start: every event needs it
inbound = FifoQueue(lambda: sqs, settings.conversations_inbound_queue_url)
statuses = FifoQueue(lambda: sqs, settings.conversations_statuses_queue_url)


@metrics.log_metrics
def handler(event: dict[str, Any], _context: object) -> None:
    """Enqueue the records of an SNS event. The invocation is asynchronous: Lambda retries it if this raises."""
    for record in event["Records"]:
        metrics.add_metric("Received", MetricUnit.Count, 1)
        notification = record["Sns"]
        if notification.get("TopicArn") not in settings.sms_topic_arns:
            metrics.add_metric("TopicRejected", MetricUnit.Count, 1)
            logger.warning("unknown topic: message dropped")
            continue
        provider_event = aws_sms_events.event_of(notification)
        if isinstance(provider_event, InboundMessage):
            inbound.send([inbound_entry(provider_event)])
        else:
            statuses.send([status_entry(provider_event)])
        metrics.add_metric("Accepted", MetricUnit.Count, 1)
