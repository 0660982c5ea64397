"""Handler of `conversations-replies.fifo`: sends one answer for a burst of messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import boto3
from pydantic import TypeAdapter, ValidationError

from conversations.dialogue import reply
from conversations.dialogue.bootstrap import SpeakingSettings, dialogue_dependencies
from conversations.recovery import exhausted_retries
from conversations.recovery.worker import Worker, work
from shared import clock
from shared.events import ReplyTrigger
from shared.failures import Permanent
from shared.runtime import gc_at_start
from shared.runtime.observability import metrics

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

    from conversations.resources import Run
    from shared.aws.sqs_batch import Answer


@dataclass(frozen=True, kw_only=True)
class RepliesSettings(SpeakingSettings):
    """Environment variables of this function."""

    reply_max_wait_seconds: int = 45


settings = RepliesSettings.load()
deps = dialogue_dependencies(settings)
triggers = TypeAdapter(ReplyTrigger)


def _handle(body: str, run: Run) -> str:
    try:
        trigger = triggers.validate_json(body)
    except ValidationError:
        raise Permanent("unreadable") from None
    longest = settings.reply_max_wait_seconds * clock.SECOND_MS
    outcome = reply.answer(deps, trigger, run, max_wait_ms=longest)
    return outcome.ended if outcome else "nothing"


worker = Worker(
    source="replies",
    queue_url=deps.resources.replies.url,
    sqs=boto3.client("sqs"),
    resources=deps.resources,
    max_receive_count=settings.max_receive_count,
    handle=_handle,
    bury=lambda body, reason: exhausted_retries.of_trigger(deps.resources, body, reason),
)
gc_at_start.done()


@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> Answer:
    """Handle an SQS batch and return the ids of the records to retry."""
    return work(worker, event, context)
