"""Handler of one channel's queue: first messages, agent actions and deferred work."""

from __future__ import annotations

# First: loaded after pydantic, Powertools Batch defines models of all its event sources.
from shared.aws.workers import sqs_worker

# isort: split

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from conversations.dialogue import dispatcher
from conversations.dialogue.bootstrap import SpeakingSettings, dialogue_dependencies
from conversations.lifecycle.records import commands
from conversations.recovery import exhausted_retries, shares
from conversations.recovery.worker import queue_worker
from conversations.store.items.conversation import ChannelMethod
from shared.aws.tables.attempts import Attempts
from shared.aws.workers.fair_shares import Runs
from shared.runtime.observability import metrics

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
    from aws_lambda_powertools.utilities.typing import LambdaContext

    from conversations.configuration.resources import Run


@dataclass(frozen=True, kw_only=True)
class ProcessorSettings(SpeakingSettings):
    """Environment variables of this function."""

    channel_method: str
    channel_max_concurrency: int


settings = ProcessorSettings.load()
channel = ChannelMethod(settings.channel_method)
deps = dialogue_dependencies(settings)
queue = deps.resources.channels[channel]
attempts = Attempts.of(settings)
runs = Runs(attempts, queue.name, settings.channel_max_concurrency)


def _handle(body: str, run: Run) -> str:
    outcome = dispatcher.work(deps, commands.read(body), channel, run)
    return outcome.ended if outcome else "nothing"


worker = queue_worker(
    deps.resources,
    deps.resources.replies.client,
    source=f"processor-{channel}",
    queue_urls=[queue.url],
    attempts=attempts,
    handle=_handle,
    show_failure=exhausted_retries.of_record,
    sharing=[shares.of_channel(deps.resources, runs, channel)],
)


@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> PartialItemFailureResponse:
    """Handle an SQS batch and return the ids of the records to retry."""
    return sqs_worker.process(worker, event, context)
