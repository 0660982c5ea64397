"""Handler of `conversations-statuses.fifo`: delivery statuses from providers."""

from __future__ import annotations

# First: loaded after pydantic, Powertools Batch defines models of all its event sources.
from shared.aws.workers import sqs_worker

# isort: split

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import boto3
from pydantic import TypeAdapter

from conversations.configuration.bootstrap import ConnectedSettings, resources_of
from conversations.outbound.delivery import status_updates
from conversations.outbound.turns import transmission
from conversations.recovery import parking
from conversations.recovery.worker import queue_worker
from shared.aws.client_configs import PATIENT
from shared.aws.tables.attempts import Attempts
from shared.events.exchange import DeliveryStatus
from shared.events.record_body import parse_body
from shared.runtime import clock
from shared.runtime.failures import Permanent, Transient
from shared.runtime.observability import metrics

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
    from aws_lambda_powertools.utilities.typing import LambdaContext

    from conversations.configuration.resources import Run


@dataclass(frozen=True, kw_only=True)
class StatusesSettings(ConnectedSettings):
    """Environment variables of this function."""

    conversations_statuses_queue_url: str
    attempts_table_name: str
    max_attempts: int


SOURCE = "statuses"

settings = StatusesSettings.load()
sqs = boto3.client("sqs", config=PATIENT)
resources = resources_of(settings, PATIENT)
statuses = TypeAdapter(DeliveryStatus)


def _handle(body: str, run: Run) -> str:
    event = parse_body(body, statuses, from_provider=True)
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


worker = queue_worker(
    resources,
    sqs,
    source=SOURCE,
    queue_urls=[settings.conversations_statuses_queue_url],
    attempts=Attempts.of(settings),
    handle=_handle,
)


@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> PartialItemFailureResponse:
    """Handle an SQS batch and return the ids of the records to retry."""
    return sqs_worker.process(worker, event, context)
