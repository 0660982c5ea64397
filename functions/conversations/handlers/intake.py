"""Handler of `conversations-inbound.fifo`: customer messages, stored files, business messages sent outside Parley."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import boto3
from botocore.config import Config
from pydantic import Field, TypeAdapter

from conversations.bootstrap import ConnectedSettings, resources_of
from conversations.inbound import intake, late_attachments
from conversations.inbound.attachments import Fetcher
from conversations.outbound.credentials import Credentials
from conversations.outbound.providers.gateway import file_proof
from conversations.recovery.worker import Worker, work
from shared.aws.dynamodb_json import storable
from shared.consent.records import Consents
from shared.events import FileStored, InboundMessage
from shared.failures import Permanent
from shared.runtime import gc_at_start
from shared.runtime.observability import metrics
from shared.runtime.settings import Origin  # noqa: TC001 - the settings read this annotation at run time

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

    from conversations.resources import Run
    from shared.aws.sqs_batch import Answer


@dataclass(frozen=True, kw_only=True)
class IntakeSettings(ConnectedSettings):
    """Environment variables of this function."""

    conversations_inbound_queue_url: str
    media_origins: tuple[Origin, ...]
    twilio_base_url: Origin
    max_receive_count: int


settings = IntakeSettings.load()
patient = Config(connect_timeout=2, read_timeout=8, retries={"total_max_attempts": 3})
sqs = boto3.client("sqs", config=patient)
resources = resources_of(settings, patient)
credentials = Credentials(lambda: boto3.client("secretsmanager", config=patient))
deps = intake.Intake(
    resources=resources,
    consents=Consents(resources.log),
    media=Fetcher(
        resources=resources,
        origins=settings.media_origins,
        proof=lambda opened, url: file_proof(credentials, settings.twilio_base_url, opened, url),
    ),
)
type Told = Annotated[InboundMessage | FileStored, Field(discriminator="type")]
told: TypeAdapter[InboundMessage | FileStored] = TypeAdapter(Told)


def _handle(body: str, _: Run) -> str:
    try:
        event = told.validate_python(storable(json.loads(body)))
    except ValueError:  # from either call: a pydantic error is a ValueError
        raise Permanent("unreadable") from None
    if isinstance(event, FileStored):
        return late_attachments.take(resources, event)
    return intake.take(deps, event)


worker = Worker(
    source="intake",
    queue_url=settings.conversations_inbound_queue_url,
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
