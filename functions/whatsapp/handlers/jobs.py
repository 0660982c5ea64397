"""Worker of the queue of jobs: one download or one step of longer work per invocation, with its own retries."""

from __future__ import annotations

# First: loaded after pydantic, Powertools Batch defines models of all its event sources.
from shared.aws import sqs_worker

# isort: split

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aws_lambda_powertools.metrics import MetricUnit

from shared.runtime import clock
from shared.runtime.observability import metrics
from whatsapp.worker.bootstrap import InboxSettings, resources_of, worker_of
from whatsapp.worker.dispatcher import Handled, process_file

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
    from aws_lambda_powertools.utilities.typing import LambdaContext

    from shared.aws.sqs_worker import Record


@dataclass(frozen=True, kw_only=True)
class MediaSettings(InboxSettings):
    """The environment of this function."""


settings = MediaSettings.load()
resources = resources_of(settings, provider_seconds=60)
# A file that waits this long for its first attempt shows that more files arrive than are downloaded.
LATE_MS = 900 * clock.SECOND_MS


def _handle(record: Record) -> Handled:
    if record.attempt == 1 and clock.now_ms() - record.sent_at_ms > LATE_MS:
        metrics.add_metric("FilesLate", MetricUnit.Count, 1)
    return process_file(resources, record.body)


worker = worker_of(
    resources,
    queue_url=settings.whatsapp_jobs_queue_url,
    max_receive_count=settings.max_receive_count,
    handle=_handle,
)


@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> PartialItemFailureResponse:
    """SQS batch of one record in, the id of the failed record out."""
    return sqs_worker.process(worker, event, context)
