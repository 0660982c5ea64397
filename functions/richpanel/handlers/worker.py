"""Consumes richpanel.fifo and richpanel-live.fifo: reads, decides, tags and answers tickets, one event at a time."""

from dataclasses import dataclass
from typing import Any

import boto3
from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.utilities.parameters import SSMProvider
from aws_lambda_powertools.utilities.typing import LambdaContext

from richpanel.bootstrap import SourcesSettings, quick, sources
from richpanel.guards.switches import SwitchBoard
from richpanel.resources import Resources
from richpanel.store.items import TTL_ATTRIBUTE, Action, key_of
from richpanel.store.lease import Lease
from richpanel.worker.pipeline import Delivery, Handled, process
from shared import clock
from shared.action_ledger import Ledger
from shared.aws.dynamodb import Table
from shared.aws.sqs_batch import Answer, Record, handle_each
from shared.failures import Transient
from shared.runtime import gc_at_start
from shared.runtime.observability import logger, metrics

# SQS allows at most twelve hours, counted from when the record was received.
LONGEST_VISIBILITY_SECONDS = 11 * 3_600


@dataclass(frozen=True, kw_only=True)
class WorkerSettings(SourcesSettings):
    """The environment of this function."""

    idempotency_table_name: str
    audit_actions_table_name: str
    richpanel_queue_url: str
    richpanel_live_queue_url: str
    switches_path: str


settings = WorkerSettings.load()
dynamodb = boto3.client("dynamodb", config=quick)
idempotency, audit = (
    Table(dynamodb, name, TTL_ATTRIBUTE)
    for name in (settings.idempotency_table_name, settings.audit_actions_table_name)
)
sqs = boto3.client("sqs", config=quick)
queue_urls = {
    url.rpartition("/")[2]: url
    for url in (settings.richpanel_queue_url, settings.richpanel_live_queue_url)
}
resources = sources(
    Resources,
    settings,
    idempotency=idempotency,
    audit=audit,
    lease=Lease(idempotency),
    ledger=Ledger(idempotency, lambda action_id: key_of(Action, action_id), Action),
    switchboard=SwitchBoard(
        SSMProvider(boto3_client=boto3.client("ssm", config=quick)), settings.switches_path
    ),
)
gc_at_start.done()


@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> Answer:
    """SQS batch (of one) in, the ids of messages to retry out."""

    def handle(record: Record) -> Handled:
        for table in (idempotency, resources.state, audit):
            table.forget_consumption()
        return process(resources, Delivery(record.body, record.attempt, context))

    return handle_each(event, handle=handle, report=_report, on_retry=_come_back_later)


def _come_back_later(record: Record, failure: Exception) -> None:
    """
    Set a record's visibility timeout to the failure's own wait, so that it is retried once it can succeed.

    If the failure gives no wait, the queue's visibility timeout applies.
    """
    if isinstance(failure, Transient) and failure.wait_ms is not None:
        sqs.change_message_visibility(
            QueueUrl=queue_urls[record.queue],
            ReceiptHandle=record.receipt,
            VisibilityTimeout=min(
                -(-failure.wait_ms // clock.SECOND_MS), LONGEST_VISIBILITY_SECONDS
            ),
        )


def _report(record: Record, handled: Handled) -> None:
    """Log one line per event, with ids and codes only."""
    metrics.add_metric(handled.outcome.capitalize(), MetricUnit.Count, 1)
    facts: dict[str, Any] = {
        "outcome": handled.outcome,
        "attempt": record.attempt,
        "queue": record.queue,
        "wru": sum(table.consumed_write_units for table in (idempotency, resources.state, audit)),
        "intents": handled.intents,
    }
    if handled.reason:
        facts["reason"] = handled.reason
    if handled.event is not None:
        age_ms = clock.now_ms() - handled.event.accepted_at
        metrics.add_metric("RouteLatencyMs", MetricUnit.Milliseconds, age_ms)
        if handled.event.source == "sweep" and handled.outcome == "processed":
            metrics.add_metric("SweepFound", MetricUnit.Count, 1)  # No webhook reported it.
        facts |= {
            "correlation_id": handled.event.conversation_id,
            "channel": str(handled.event.channel),
            "source": handled.event.source,
            "trigger": handled.event.trigger,
            "age_ms": age_ms,
        }
    logger.info("event handled", extra=facts)
