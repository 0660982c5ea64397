"""
Handler of `conversations-replies.fifo`, which sends one answer for a burst of messages, and of
`conversations-agents.fifo`: what people send and release does not wait behind first messages.
"""

from __future__ import annotations

# First: loaded after pydantic, Powertools Batch defines models of all its event sources.
from shared.aws.workers import sqs_worker

# isort: split

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from conversations.dialogue import reply
from conversations.dialogue.bootstrap import SpeakingSettings, dialogue_dependencies
from conversations.lifecycle.records import evaluation_step, reply_trigger
from conversations.lifecycle.records.evaluation_step import EvaluationStep
from conversations.lifecycle.records.reply_trigger import ReplyTrigger
from conversations.recovery import exhausted_retries, shares
from conversations.recovery.worker import queue_worker
from shared.aws.tables.attempts import Attempts
from shared.aws.workers.fair_shares import Runs
from shared.events.record_body import load_event, parse_body
from shared.runtime import clock
from shared.runtime.observability import metrics

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
    from aws_lambda_powertools.utilities.typing import LambdaContext

    from conversations.configuration.resources import Resources, Run
    from conversations.dialogues.runs import RunDependencies


@dataclass(frozen=True, kw_only=True)
class RepliesSettings(SpeakingSettings):
    """Environment variables of this function."""

    channel_max_concurrency: int  # of the queue of agents
    reply_max_concurrency: int
    reply_max_wait_seconds: int = 45


settings = RepliesSettings.load()
deps = dialogue_dependencies(settings)
triggers = TypeAdapter(ReplyTrigger)
steps = TypeAdapter(EvaluationStep)
attempts = Attempts.of(settings)
runs = Runs(attempts, deps.resources.replies.name, settings.reply_max_concurrency)
agents_runs = Runs(attempts, deps.resources.agents.name, settings.channel_max_concurrency)


def _handle(body: str, run: Run) -> str:
    kind = load_event(body).get("type")
    if kind == evaluation_step.TYPE:
        from conversations.dialogues import runs as evaluation_runs  # noqa: PLC0415 - see above

        return evaluation_runs.play(_of_evaluations(), parse_body(body, steps), run)
    if kind != reply_trigger.TYPE:
        # Replies start faster without it.
        from conversations.dialogue import dispatcher  # noqa: PLC0415 - see above
        from conversations.lifecycle.records import commands  # noqa: PLC0415 - see above

        done = dispatcher.work(deps, commands.read(body), None, run)
        return done.ended if done else "nothing"
    trigger = parse_body(body, triggers)
    longest = settings.reply_max_wait_seconds * clock.SECOND_MS
    outcome = reply.answer(deps, trigger, run, max_wait_ms=longest)
    return outcome.ended if outcome else "nothing"


def _of_evaluations() -> RunDependencies:
    from conversations.dialogues.runs import RunDependencies  # noqa: PLC0415 - see above

    return RunDependencies(
        log=deps.resources.log,
        spending=deps.writer.spending.table,
        companies=deps.resources.companies.table,
        model_deps=deps.writer.model_deps,
        documents=deps.writer.documents,
    )


def _show_failure(resources: Resources, body: str, reason: str) -> None:
    kind = load_event(body).get("type")
    if kind == evaluation_step.TYPE:
        from conversations.dialogues import runs as evaluation_runs  # noqa: PLC0415 - see above

        evaluation_runs.give_up(_of_evaluations(), parse_body(body, steps), reason)
        return
    is_trigger = kind == reply_trigger.TYPE
    show = exhausted_retries.of_trigger if is_trigger else exhausted_retries.of_record
    show(resources, body, reason)


worker = queue_worker(
    deps.resources,
    deps.resources.replies.client,
    source="replies",
    queue_urls=[deps.resources.replies.url, deps.resources.agents.url],
    attempts=attempts,
    handle=_handle,
    show_failure=_show_failure,
    sharing=[
        shares.of_replies(deps.resources, runs, triggers),
        shares.of_agents(deps.resources, agents_runs),
    ],
    due_ms=reply_trigger.due_ms,
)


@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> PartialItemFailureResponse:
    """Handle an SQS batch and return the ids of the records to retry."""
    return sqs_worker.process(worker, event, context)
