"""`conversations-statuses.fifo`: what providers say became of our messages."""

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
    """The environment of this function."""

    conversations_statuses_queue_url: str
    max_receive_count: int


SOURCE = "statuses"

settings = StatusesSettings.load()
patient = Config(connect_timeout=2, read_timeout=8, retries={"total_max_attempts": 3})
sqs = boto3.client("sqs", config=patient)
here = resources_of(settings, patient)
statuses = TypeAdapter(DeliveryStatus)


def _handle(body: str, run: Run) -> str:
    try:
        event = statuses.validate_python(storable(json.loads(body)))
    except ValueError:  # of both: a pydantic error is one
        raise Permanent("unreadable") from None
    try:
        return status_updates.apply(here, event)
    except Permanent as refusal:
        if refusal.reason != status_updates.UNKNOWN_MESSAGE:
            raise
    # Without an action of ours to find it by, a message of ours is known as soon as its worker has linked its id.
    is_early = clock.now_ms() < clock.from_text(event.occurred_at) + transmission.IN_DOUBT_MS
    if event.action_id is None and is_early and not run.is_last:
        raise Transient(status_updates.UNKNOWN_MESSAGE)
    # Of another sender at the same number or account, as a rule: kept, but nobody has to look.
    reason, counted = status_updates.UNKNOWN_MESSAGE, "UnmatchedStatus"
    parking.park(here.log, here.bucket, SOURCE, body, reason, counted=counted)
    return "unmatched"


worker = Worker(
    source=SOURCE,
    queue_url=settings.conversations_statuses_queue_url,
    sqs=sqs,
    here=here,
    max_receive_count=settings.max_receive_count,
    handle=_handle,
    bury=lambda *_: None,
)
gc_at_start.done()


@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> Answer:
    """SQS batch in, the ids of what is to come back out."""
    return work(worker, event, context)
