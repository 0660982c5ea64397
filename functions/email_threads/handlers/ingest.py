"""
Reads S3's notifications about received mails, SES's events about sent ones, and delayed sends and analyses; queues each
for the worker.
"""

from __future__ import annotations

# First: loaded after pydantic, Powertools Batch defines models of all its event sources.
from shared.aws.workers import sqs_worker

# isort: split

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Never

import boto3
from botocore.config import Config

from email_threads.inbound import notifications, ses_events
from email_threads.inbound.events import ANALYSE, SEND, delayed_entry, entry
from email_threads.inbound.ingest import Ingest, queue_mails
from shared.aws.s3 import Bucket
from shared.aws.sqs_fifo import FifoQueue
from shared.aws.tables.attempts import Attempts
from shared.aws.workers.sqs_worker import Worker
from shared.events.issue_feedback import ISSUE, feedback_entry
from shared.runtime.failures import Permanent, Transient
from shared.runtime.observability import logger, metrics
from shared.runtime.settings import Settings

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
    from aws_lambda_powertools.utilities.typing import LambdaContext

    from email_threads.inbound.events import EmailFeedback
    from shared.aws.workers.sqs_worker import Record


@dataclass(frozen=True, kw_only=True)
class IngestSettings(Settings):
    """The environment of this function."""

    email_bucket_name: str
    email_threads_queue_url: str
    email_inbound_queue_url: str
    newsletter_steps_queue_url: str
    email_configuration_set: str
    click_configuration_set: str
    attempts_table_name: str
    max_attempts: int


settings = IngestSettings.load()
quick = Config(connect_timeout=2, read_timeout=3, retries={"total_max_attempts": 2})
sqs = boto3.client("sqs", config=quick)
ingest = Ingest(
    bucket=Bucket(lambda: boto3.client("s3", config=quick), settings.email_bucket_name),
    queue=FifoQueue(lambda: sqs, settings.email_threads_queue_url),
)
own_sets = {None, settings.email_configuration_set, settings.click_configuration_set}
newsletters = FifoQueue(lambda: sqs, settings.newsletter_steps_queue_url)


def _handle(record: Record) -> int:
    notification = notifications.read(record.body)
    if notification.get("type") in {SEND, ANALYSE}:  # Its delay is over.
        return ingest.queue.send([delayed_entry(record.body, notification)])
    if ses_events.is_event(notification):
        feedback = ses_events.event_of(notification)
        of = ses_events.configuration_set_of(notification)
        return _send(feedback, of) if feedback is not None else 0
    return queue_mails(ingest, notifications.mails_in(notification))


def _send(feedback: EmailFeedback, configuration_set: str | None) -> int:
    """
    Queue an event of a sent mail, for newsletters if the mail was of an issue. Mails of issues have the stack's own
    configuration sets; an event of another one is about the mail of another system, or stage, with the same tags.
    """
    if ISSUE not in feedback.tags:
        return ingest.queue.send([entry(feedback)])
    if configuration_set not in own_sets:
        logger.info("event ignored", extra={"reason": "other_configuration_set"})
        return 0
    of_issue = feedback_entry(
        feedback.event, feedback.at, feedback.ses_id, feedback.tags, feedback.detail
    )
    return newsletters.send([of_issue]) if of_issue is not None else 0


def _park(_: Record, refusal: Permanent) -> Never:
    # This function has no table. The dead-letter queue keeps the notification and raises its alarm.
    raise Transient(refusal.reason)


def _report(record: Record, count: int) -> None:
    logger.info("events queued", extra={"count": count, "attempt": record.attempt})


worker = Worker(
    sqs=sqs,
    queue_urls=[settings.email_inbound_queue_url],
    tables=[],
    attempts=Attempts.of(settings),
    handle=_handle,
    park=_park,
    report=_report,
)


@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> PartialItemFailureResponse:
    """SQS batch, or a bare notification of S3, in; ids of the failed records out."""
    if notifications.is_notification(event):
        queue_mails(ingest, notifications.mails_in(event))
        return {"batchItemFailures": []}
    return sqs_worker.process(worker, event, context)
