"""Worker of `whatsapp.fifo`: processes all events of the inbox, including its own follow-up events."""

from __future__ import annotations

# First: loaded after pydantic, Powertools Batch defines models of all its event sources.
from shared.aws import sqs_worker

# isort: split

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

import boto3
from aws_lambda_powertools.metrics import MetricUnit
from botocore.config import Config

from shared.action_ledger import Action, Ledger
from shared.aws.dynamodb import Table
from shared.aws.s3 import Bucket
from shared.aws.secrets import JsonSecret
from shared.aws.sqs_fifo import FifoQueue
from shared.aws.sqs_worker import Record, Worker
from shared.identity import keyed_hashes
from shared.providers.whatsapp.aws_eum import Eum
from shared.providers.whatsapp.meta_graph import Graph
from shared.runtime import clock
from shared.runtime.observability import logger, metrics
from shared.runtime.settings import Origin, Settings
from whatsapp.event import OUTBOUND, Outcome
from whatsapp.recovery import parking
from whatsapp.resources import Resources
from whatsapp.store.items import ACTION_PK_PATTERN, pk
from whatsapp.worker.dispatcher import Handled, Invocation, process

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
    from aws_lambda_powertools.utilities.typing import LambdaContext
    from mypy_boto3_sqs import SQSClient

    from shared.failures import Permanent

# For these kinds the provider's time is the time of the event; a synchronized history is months old.
_HAPPENED_NOW = frozenset({"message", "echo", "status"})


@dataclass(frozen=True, kw_only=True)
class WorkerSettings(Settings):
    """The environment of this function."""

    messages_table_name: str
    whatsapp_queue_url: str
    conversations_inbound_queue_url: str
    conversations_statuses_queue_url: str
    media_bucket_name: str
    whatsapp_tokens_secret_id: str
    identifier_keys_secret_id: str
    graph_base_url: Origin
    graph_api_version: str
    eum_meta_api_version: str
    media_origins: tuple[Origin, ...]
    event_log: Literal["none", "all"]
    message_ttl_days: int
    keep_revoked_content: bool
    max_receive_count: int


settings = WorkerSettings.load()
# Neither Graph nor End User Messaging has idempotency keys: one attempt, and the ledger decides about the next.
once = Config(retries={"total_max_attempts": 1}, connect_timeout=3, read_timeout=10)
# The default read timeout is as long as the function's timeout.
patient = Config(connect_timeout=2, read_timeout=8, retries={"total_max_attempts": 3})


@cache
def _sqs() -> SQSClient:
    """Create one client for all queues, on the first send."""
    return boto3.client("sqs", config=patient)


keyed_hashes.configure(
    JsonSecret(
        lambda: boto3.client("secretsmanager", config=patient), settings.identifier_keys_secret_id
    )
)
table = Table(boto3.client("dynamodb", config=patient), settings.messages_table_name)
resources = Resources(
    table=table,
    bucket=Bucket(lambda: boto3.client("s3", config=patient), settings.media_bucket_name),
    queue=FifoQueue(_sqs, settings.whatsapp_queue_url),
    conversation_inbound=FifoQueue(_sqs, settings.conversations_inbound_queue_url),
    conversation_statuses=FifoQueue(_sqs, settings.conversations_statuses_queue_url),
    ledger=Ledger(
        table, lambda action_id: pk(ACTION_PK_PATTERN.format(actionId=action_id)), Action
    ),
    graph=Graph(settings.graph_base_url, settings.graph_api_version),
    eum=Eum(lambda: boto3.client("socialmessaging", config=once), settings.eum_meta_api_version),
    tokens=JsonSecret(lambda: boto3.client("secretsmanager"), settings.whatsapp_tokens_secret_id),
    media_origins=settings.media_origins,
    message_ttl_days=settings.message_ttl_days,
    keep_revoked_content=settings.keep_revoked_content,
    log_all_events=settings.event_log == "all",
)
# A hanging table uses about this much time; the same again is needed to record the reason of a dead letter.
NOTE_MS = 30 * clock.SECOND_MS


def _handle(record: Record) -> Handled:
    return process(
        resources,
        record.body,
        Invocation(record.context.aws_request_id, record.context.get_remaining_time_in_millis),
    )


def _park(record: Record, refusal: Permanent) -> Handled:
    event, origin = parking.park(resources, record.body, refusal)
    return Handled(event, origin, Outcome.PARKED, refusal.reason)


def _note_dead_letter(record: Record, reason: str) -> None:
    if record.context.get_remaining_time_in_millis() > NOTE_MS:
        parking.note_dead_letter(resources, record.body, reason, record.attempt)


def _report(record: Record, handled: Handled) -> None:
    """Write one log line and a few metrics per event."""
    event, outcome = handled.event, handled.outcome
    is_ours = event is not None and event.source == "parley"
    metrics.add_metric("FollowUp" if is_ours else outcome.value.capitalize(), MetricUnit.Count, 1)
    # One value for each accepted event that is handled: its number is compared with Accepted, its average with a limit.
    consumed = "FollowUpWRU" if is_ours else "ConsumedWRU"
    metrics.add_metric(consumed, MetricUnit.Count, table.consumed_write_units)
    facts: dict[str, Any] = {
        "outcome": outcome.value,
        "wru": table.consumed_write_units,
        "attempt": record.attempt,
    }
    if handled.reason:
        facts["reason"] = handled.reason
        if handled.reason == "conflict":
            metrics.add_metric("Conflict", MetricUnit.Count, 1)
    if event is not None:
        now_ms = clock.now_ms()
        age_ms = now_ms - event.accepted_at
        # A replay waited for an operator; a message of another context waited for its model and its provider.
        if event.replay_of is None and event.kind != OUTBOUND:
            metrics.add_metric("PersistLatencyMs", MetricUnit.Milliseconds, age_ms)
        if outcome is Outcome.PERSISTED and not event.replay_of and event.kind in _HAPPENED_NOW:
            # Up to a second too much: the provider's times are whole seconds. Its clock may be ahead of ours.
            end_to_end_ms = max(0, now_ms - event.at * 1_000)
            metrics.add_metric("EndToEndMs", MetricUnit.Milliseconds, end_to_end_ms)
        facts |= {
            "correlation_id": event.correlation_id,
            "kind": event.kind,
            "field": event.field,
            "age_ms": age_ms,
        }
        if event.replay_of:
            facts |= {"replay_of": event.replay_of, "replay": event.replay}
    if handled.origin is not None:
        facts |= {"company": handled.origin.company, "channel": "whatsapp"}
    logger.info("event handled", extra=facts)


worker = Worker(
    sqs=_sqs(),
    queue_urls=[settings.whatsapp_queue_url],
    tables=[table],
    max_receive_count=settings.max_receive_count,
    handle=_handle,
    park=_park,
    report=_report,
    note_dead_letter=_note_dead_letter,
)


@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> PartialItemFailureResponse:
    """SQS batch in, ids of the failed records out."""
    return sqs_worker.process(worker, event, context)
