"""Handler of `conversations-statuses.fifo`: delivery statuses from providers."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import boto3
from botocore.config import Config
from pydantic import TypeAdapter

from conversations.bootstrap import ConnectedSettings, resources_of
from conversations.outbound.delivery import status_updates
from conversations.outbound.turns import transmission
from conversations.recovery import parking
from conversations.recovery.worker import Worker, work
from shared import clock
from shared.aws.dynamodb_json import storable
from shared.events import DeliveryStatus
from shared.failures import Permanent, Transient
from shared.runtime import gc_at_start
from shared.runtime.observability import metrics

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

    from conversations.resources import Run
    from shared.aws.sqs_batch import Answer


@dataclass(frozen=True, kw_only=True)
class StatusesSettings(ConnectedSettings):
    """Environment variables of this function."""

    conversations_statuses_queue_url: str
    max_receive_count: int


SOURCE = "statuses"

settings = StatusesSettings.load()
patient = Config(connect_timeout=2, read_timeout=8, retries={"total_max_attempts": 3})
sqs = boto3.client("sqs", config=patient)
resources = resources_of(settings, patient)
statuses = TypeAdapter(DeliveryStatus)


def _handle(body: str, run: Run) -> str:
    try:
        event = statuses.validate_python(storable(json.loads(body)))
    except ValueError:  # from either call: a pydantic error is a ValueError
        raise Permanent("unreadable") from None
    try:
        return status_updates.apply(resources, event)
    except Permanent as refusal:
        if refusal.reason != status_updates.UNKNOWN_MESSAGE:
            raise
    # Without an action id the message is found by its provider id, once the worker has linked that id.
    is_early = clock.now_ms() < clock.from_text(event.occurred_at) + transmission.IN_DOUBT_MS
    if event.action_id is None and is_early and not run.is_last:
        raise Transient(status_updates.UNKNOWN_MESSAGE)
    # Usually from another sender with the same number or account: parked under a metric without an alarm.
    reason, counted = status_updates.UNKNOWN_MESSAGE, "UnmatchedStatus"
    parking.park(resources.log, resources.bucket, SOURCE, body, reason, counted=counted)
    return "unmatched"


worker = Worker(
    source=SOURCE,
    queue_url=settings.conversations_statuses_queue_url,
    sqs=sqs,
    resources=resources,
    max_receive_count=settings.max_receive_count,
    handle=_handle,
    bury=lambda *_: None,
)
gc_at_start.done()


@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> Answer:
    """Handle an SQS batch and return the ids of the records to retry."""
    return work(worker, event, context)
