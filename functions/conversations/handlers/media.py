"""Handler of `conversations-media`: downloads one file of a customer's message per invocation, with its own retries."""

from __future__ import annotations

# First: loaded after pydantic, Powertools Batch defines models of all its event sources.
from shared.aws.workers import sqs_worker

# isort: split

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import boto3
from aws_lambda_powertools.metrics import MetricUnit

from conversations.configuration.bootstrap import ConnectedSettings, resources_of
from conversations.inbound.files import downloads
from conversations.recovery import shares
from conversations.recovery.worker import queue_worker
from shared.ai.spending.configuration import SpendingSettings, spending_of
from shared.aws.client_configs import PATIENT
from shared.aws.sqs_standard import StandardQueue
from shared.aws.tables.attempts import Attempts
from shared.aws.workers.fair_shares import Runs
from shared.providers.company_secrets import CompanySecrets
from shared.runtime import clock
from shared.runtime.observability import metrics
from shared.runtime.settings import Origin  # noqa: TC001 - the settings read this annotation at run time

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
    from aws_lambda_powertools.utilities.typing import LambdaContext

    from conversations.configuration.resources import Run


@dataclass(frozen=True, kw_only=True)
class MediaSettings(ConnectedSettings, SpendingSettings):
    """Environment variables of this function."""

    conversations_media_queue_url: str
    media_origins: tuple[Origin, ...]
    twilio_base_url: Origin
    openai_base_url: Origin
    media_max_concurrency: int
    attempts_table_name: str
    max_attempts: int


# A file that waits this long for its first attempt shows that more files arrive than are downloaded.
LATE_MS = 900 * clock.SECOND_MS

settings = MediaSettings.load()
sqs = boto3.client("sqs", config=PATIENT)
resources = resources_of(settings, PATIENT)
deps = downloads.DownloadDependencies(
    resources=resources,
    origins=settings.media_origins,
    credentials=CompanySecrets(lambda: boto3.client("secretsmanager", config=PATIENT)),
    twilio_url=settings.twilio_base_url,
    openai_url=f"{settings.openai_base_url}/v1",
    spending=spending_of(settings, resources.log),
)


def _handle(body: str, run: Run) -> str:
    if run.attempt == 1 and clock.now_ms() - run.sent_at_ms > LATE_MS:
        metrics.add_metric("FilesLate", MetricUnit.Count, 1)
    return downloads.fetch(deps, body, run)


queue = StandardQueue(lambda: sqs, settings.conversations_media_queue_url)
attempts = Attempts.of(settings)
runs = Runs(attempts, queue.name, settings.media_max_concurrency)
worker = queue_worker(
    resources,
    sqs,
    source="media",
    queue_urls=[queue.url],
    attempts=attempts,
    handle=_handle,
    show_failure=downloads.show_failure,
    sharing=[shares.of_files(resources, runs, queue)],
)


@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> PartialItemFailureResponse:
    """Handle an SQS batch of one record and return the id of the failed record."""
    return sqs_worker.process(worker, event, context)
