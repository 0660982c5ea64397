"""Worker of `whatsapp.fifo`: processes all events of the inbox, including its own follow-up events."""

from __future__ import annotations

# First: loaded after pydantic, Powertools Batch defines models of all its event sources.
from shared.aws.workers import sqs_worker

# isort: split

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shared.aws.tables.attempts import Attempts
from shared.runtime.observability import metrics
from whatsapp.worker.bootstrap import InboxSettings, resources_of, worker_of
from whatsapp.worker.dispatcher import Handled, Invocation, process

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
    from aws_lambda_powertools.utilities.typing import LambdaContext

    from shared.aws.workers.sqs_worker import Record


@dataclass(frozen=True, kw_only=True)
class WorkerSettings(InboxSettings):
    """The environment of this function."""


settings = WorkerSettings.load()
resources = resources_of(settings, provider_seconds=10)


def _handle(record: Record) -> Handled:
    context = record.context
    run = Invocation(context.aws_request_id, context.get_remaining_time_in_millis)
    return process(resources, record.body, run)


worker = worker_of(
    resources,
    queue_urls=(settings.whatsapp_queue_url,),
    attempts=Attempts.of(settings),
    handle=_handle,
)


@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> PartialItemFailureResponse:
    """SQS batch in, ids of the failed records out."""
    return sqs_worker.process(worker, event, context)
