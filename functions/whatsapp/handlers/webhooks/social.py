"""SNS topic of AWS End User Messaging Social onto the queue: a standard topic cannot feed a FIFO queue directly."""

from dataclasses import dataclass
from typing import Any

import boto3
from aws_lambda_powertools.metrics import MetricUnit

from shared.aws.s3 import Bucket
from shared.aws.sqs_fifo import FifoQueue
from shared.runtime.observability import logger, metrics
from shared.runtime.settings import Settings
from whatsapp.inbound import webhook


@dataclass(frozen=True, kw_only=True)
class SocialSettings(Settings):
    """The environment of this function."""

    whatsapp_queue_url: str
    media_bucket_name: str
    social_topic_arns: tuple[str, ...]


settings = SocialSettings.load()
sqs = boto3.client("sqs")  # every event needs it
queue = FifoQueue(lambda: sqs, settings.whatsapp_queue_url)
bucket = Bucket(lambda: boto3.client("s3"), settings.media_bucket_name)


@metrics.log_metrics
def handler(event: dict[str, Any], _context: object) -> None:
    """SNS event in, no result: the asynchronous invocation succeeds unless it raises, and is retried then."""
    for record in event["Records"]:
        metrics.add_metric("Received", MetricUnit.Count, 1)
        notification = record["Sns"]
        if notification.get("TopicArn") not in settings.social_topic_arns:
            metrics.add_metric("TopicRejected", MetricUnit.Count, 1)
            logger.warning("unknown topic: message dropped")
            continue
        accepted = webhook.take_social(notification["Message"], queue, bucket)
        metrics.add_metric("Accepted", MetricUnit.Count, accepted)
