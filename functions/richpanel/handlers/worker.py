"""Consumes richpanel.fifo and richpanel-live.fifo: reads, decides, tags and answers tickets, one event at a time."""

# First: loaded after pydantic, Powertools Batch defines models of all its event sources.
from shared.aws.workers import sqs_worker

# isort: split

from dataclasses import dataclass
from typing import Any

import boto3
from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
from aws_lambda_powertools.utilities.typing import LambdaContext

from richpanel.configuration.bootstrap import SourcesSettings, quick, sources
from richpanel.configuration.resources import Resources
from richpanel.guards.switches import SwitchBoard
from richpanel.inbound import evaluation_step
from richpanel.store.items import TTL_ATTRIBUTE, Action, key_of
from richpanel.store.lease import Lease
from richpanel.worker import parking
from richpanel.worker.pipeline import Delivery, Handled, process
from shared.ai.spending.configuration import SpendingSettings, spending_of
from shared.aws.dynamodb import Table
from shared.aws.tables.attempts import Attempts
from shared.aws.workers.sqs_worker import Record, Worker
from shared.policy.kill_switches import parameter_store
from shared.providers.action_ledger import Ledger
from shared.runtime import clock
from shared.runtime.failures import Permanent
from shared.runtime.json_objects import json_object
from shared.runtime.observability import logger, metrics


@dataclass(frozen=True, kw_only=True)
class WorkerSettings(SourcesSettings, SpendingSettings):
    """The environment of this function."""

    idempotency_table_name: str
    audit_actions_table_name: str
    contacts_table_name: str
    richpanel_queue_url: str
    richpanel_live_queue_url: str
    switches_path: str
    attempts_table_name: str
    max_attempts: int


settings = WorkerSettings.load()
dynamodb = boto3.client("dynamodb", config=quick)
idempotency, audit = (
    Table(dynamodb, name, TTL_ATTRIBUTE)
    for name in (settings.idempotency_table_name, settings.audit_actions_table_name)
)
resources = sources(
    Resources,
    settings,
    dynamodb,
    idempotency=idempotency,
    audit=audit,
    contacts=Table(dynamodb, settings.contacts_table_name),
    lease=Lease(idempotency),
    ledger=Ledger(idempotency, lambda action_id: key_of(Action, action_id), Action),
    spending=spending_of(settings, idempotency),
    switchboard=SwitchBoard(
        parameter_store(lambda: boto3.client("ssm", config=quick)), settings.switches_path
    ),
)


def _handle(record: Record) -> Handled:
    if _is_evaluation(record.body):
        from richpanel.worker.cases import evaluations  # noqa: PLC0415 - of rare events

        until_ms = clock.now_ms() + record.context.get_remaining_time_in_millis()
        is_played = evaluations.play(resources, record.body, until_ms, is_last=record.is_last)
        return Handled(None, "processed" if is_played else "duplicate")
    return process(resources, Delivery(record.body, record.attempt, record.context))


def _is_evaluation(body: str) -> bool:
    return (json_object(body) or {}).get("type") == evaluation_step.TYPE


def _give_up(record: Record, reason: str) -> None:
    if _is_evaluation(record.body):
        from richpanel.worker.cases import evaluations  # noqa: PLC0415 - as above

        evaluations.give_up(resources, record.body, reason)


def _park(record: Record, refusal: Permanent) -> Handled:
    _give_up(record, refusal.reason)
    event = parking.park(resources, record.body, refusal.reason)
    return Handled(event, "parked", refusal.reason)


def _note_dead_letter(record: Record, reason: str) -> None:
    _give_up(record, reason)
    parking.note_dead_letter(resources, record.body, reason, record.attempt)


def _report(record: Record, handled: Handled) -> None:
    """Log one line per event, with ids and codes only."""
    metrics.add_metric(handled.outcome.capitalize(), MetricUnit.Count, 1)
    facts: dict[str, Any] = {
        "outcome": handled.outcome,
        "attempt": record.attempt,
        "queue": record.queue,
        "wru": sum(table.consumed_write_units for table in (idempotency, resources.state, audit)),
        "intents": handled.intents,
    }
    if handled.reason:
        facts["reason"] = handled.reason
    if handled.event is not None:
        age_ms = clock.now_ms() - handled.event.accepted_at
        metrics.add_metric("RouteLatencyMs", MetricUnit.Milliseconds, age_ms)
        if handled.event.source == "sweep" and handled.outcome == "processed":
            metrics.add_metric("SweepFound", MetricUnit.Count, 1)  # No webhook reported it.
        facts |= {
            "correlation_id": handled.event.conversation_id,
            "channel": str(handled.event.channel),
            "source": handled.event.source,
            "trigger": handled.event.trigger,
            "age_ms": age_ms,
        }
    logger.info("event handled", extra=facts)


worker = Worker(
    sqs=boto3.client("sqs", config=quick),
    queue_urls=[settings.richpanel_queue_url, settings.richpanel_live_queue_url],
    tables=[idempotency, resources.state, audit],
    attempts=Attempts.of(settings),
    handle=_handle,
    park=_park,
    report=_report,
    note_dead_letter=_note_dead_letter,
)


@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> PartialItemFailureResponse:
    """SQS batch (of one) in, the ids of messages to retry out."""
    return sqs_worker.process(worker, event, context)
