"""Worker of `newsletter-steps.fifo`: retrieves passages, generates outlines and drafts, removes deleted newsletters."""

from __future__ import annotations

# First: loaded after pydantic, Powertools Batch defines models of all its event sources.
from shared.aws.workers import sqs_worker

# isort: split

from typing import TYPE_CHECKING, Any

from newsletters.worker.bootstrap import WorkerSettings, resources_of, sending_of, worker_of
from shared.runtime.observability import metrics

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
    from aws_lambda_powertools.utilities.typing import LambdaContext

settings = WorkerSettings.load()
resources = resources_of(settings)
sending = sending_of(resources, settings)
worker = worker_of(resources, sending, settings)


@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> PartialItemFailureResponse:
    """SQS batch in; ids of the failed records out."""
    return sqs_worker.process(worker, event, context)
