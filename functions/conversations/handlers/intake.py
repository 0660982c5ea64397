"""Handler of `conversations-inbound.fifo`: customer messages, stored files, business messages sent outside Parley."""

from __future__ import annotations

# First: loaded after pydantic, Powertools Batch defines models of all its event sources.
from shared.aws.workers import sqs_worker

# isort: split

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import boto3
from pydantic import Field, TypeAdapter

from conversations.configuration.bootstrap import ConnectedSettings, resources_of
from conversations.inbound import intake, withdrawals
from conversations.inbound.files import late_attachments
from conversations.recovery.worker import queue_worker
from shared.aws.client_configs import PATIENT
from shared.aws.sqs_standard import StandardQueue
from shared.aws.tables.attempts import Attempts
from shared.events.exchange import FileStored, InboundMessage, NumberReleased
from shared.events.record_body import parse_body
from shared.policy.consent.records import Consents
from shared.runtime.observability import metrics

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
    from aws_lambda_powertools.utilities.typing import LambdaContext

    from conversations.configuration.resources import Run


@dataclass(frozen=True, kw_only=True)
class IntakeSettings(ConnectedSettings):
    """Environment variables of this function."""

    conversations_inbound_queue_url: str
    conversations_media_queue_url: str
    attempts_table_name: str
    max_attempts: int


settings = IntakeSettings.load()
sqs = boto3.client("sqs", config=PATIENT)
resources = resources_of(settings, PATIENT)
deps = intake.IntakeDependencies(
    resources=resources,
    consents=Consents(resources.log),
    files=StandardQueue(lambda: sqs, settings.conversations_media_queue_url),
)
events: TypeAdapter[InboundMessage | FileStored | NumberReleased] = TypeAdapter(
    Annotated[InboundMessage | FileStored | NumberReleased, Field(discriminator="type")]
)


def _handle(body: str, _: Run) -> str:
    event = parse_body(body, events, from_provider=True)
    if isinstance(event, FileStored):
        return late_attachments.store_file_key(resources, event, deps.files)
    if isinstance(event, NumberReleased):
        return withdrawals.take(resources, event)
    return intake.take(deps, event)


worker = queue_worker(
    resources,
    sqs,
    source="intake",
    queue_urls=[settings.conversations_inbound_queue_url],
    attempts=Attempts.of(settings),
    handle=_handle,
)


@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> PartialItemFailureResponse:
    """Handle an SQS batch and return the ids of the records to retry."""
    return sqs_worker.process(worker, event, context)
