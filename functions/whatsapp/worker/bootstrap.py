"""Composition root of the two queue workers of this context: settings, resources, and what is done with a result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import boto3
from aws_lambda_powertools.metrics import MetricUnit
from botocore.config import Config

from shared.ai.spending.configuration import SpendingSettings, spending_of
from shared.aws.client_configs import PATIENT
from shared.aws.dynamodb import Table
from shared.aws.s3 import Bucket
from shared.aws.secrets import JsonSecret
from shared.aws.sqs_fifo import FifoQueue
from shared.aws.sqs_standard import StandardQueue
from shared.aws.workers.sqs_worker import Record, Worker
from shared.identity import keyed_hashes
from shared.providers.action_ledger import Action, Ledger
from shared.providers.whatsapp.aws_eum import Eum
from shared.providers.whatsapp.meta_graph import Graph
from shared.runtime import clock
from shared.runtime.observability import logger, metrics
from shared.runtime.settings import Origin  # noqa: TC001 - the settings read this annotation at run time
from whatsapp.configuration.resources import Resources
from whatsapp.inbound.event import CANARY_APP, OUTBOUND, Outcome
from whatsapp.recovery import parking
from whatsapp.store.items import ACTION_PK_PATTERN, pk
from whatsapp.worker.dispatcher import Handled

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from shared.aws.tables.attempts import Attempts
    from shared.runtime.failures import Permanent

# For these kinds the provider's time is the time of the event; a synchronized history is months old.
_HAPPENED_NOW = frozenset({"message", "echo", "status"})


@dataclass(frozen=True, kw_only=True)
class InboxSettings(SpendingSettings):
    """The environment that both functions have."""

    messages_table_name: str
    whatsapp_queue_url: str
    whatsapp_jobs_queue_url: str
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
    attempts_table_name: str
    max_attempts: int


def resources_of(settings: InboxSettings, *, provider_seconds: int) -> Resources:
    """Return the resources of a worker; a call of AWS End User Messaging may take *provider_seconds*."""
    keyed_hashes.configure(
        JsonSecret(
            lambda: boto3.client("secretsmanager", config=PATIENT),
            settings.identifier_keys_secret_id,
        )
    )
    # Neither Graph nor End User Messaging has idempotency keys: one attempt, and the ledger decides about the next.
    once = Config(
        retries={"total_max_attempts": 1}, connect_timeout=3, read_timeout=provider_seconds
    )
    table = Table(boto3.client("dynamodb", config=PATIENT), settings.messages_table_name)
    sqs = boto3.client("sqs", config=PATIENT)
    return Resources(
        table=table,
        bucket=Bucket(lambda: boto3.client("s3", config=PATIENT), settings.media_bucket_name),
        queue=FifoQueue(lambda: sqs, settings.whatsapp_queue_url),
        files=StandardQueue(lambda: sqs, settings.whatsapp_jobs_queue_url),
        conversation_inbound=FifoQueue(lambda: sqs, settings.conversations_inbound_queue_url),
        conversation_statuses=FifoQueue(lambda: sqs, settings.conversations_statuses_queue_url),
        ledger=Ledger(
            table, lambda action_id: pk(ACTION_PK_PATTERN.format(actionId=action_id)), Action
        ),
        graph=Graph(settings.graph_base_url, settings.graph_api_version),
        eum=Eum(
            lambda: boto3.client("socialmessaging", config=once), settings.eum_meta_api_version
        ),
        tokens=JsonSecret(
            lambda: boto3.client("secretsmanager"), settings.whatsapp_tokens_secret_id
        ),
        media_origins=settings.media_origins,
        spending=spending_of(settings, table),
        message_ttl_days=settings.message_ttl_days,
        keep_revoked_content=settings.keep_revoked_content,
        log_all_events=settings.event_log == "all",
    )


def worker_of(
    resources: Resources,
    *,
    queue_urls: Collection[str],
    attempts: Attempts,
    handle: Callable[[Record], Handled],
) -> Worker[Handled]:
    """Return the worker of a function's queues. *handle* processes a record."""

    def park(record: Record, refusal: Permanent) -> Handled:
        event, origin = parking.park(resources, record.body, refusal)
        return Handled(event, origin, Outcome.PARKED, refusal.reason)

    def note_dead_letter(record: Record, reason: str) -> None:
        if record.has_time_for_note:
            parking.note_dead_letter(resources, record.body, reason, record.attempt)

    def report(record: Record, handled: Handled) -> None:
        _report(resources.table.consumed_write_units, record, handled)

    return Worker(
        sqs=resources.queue.client,
        queue_urls=queue_urls,
        tables=[resources.table],
        attempts=attempts,
        handle=handle,
        park=park,
        report=report,
        note_dead_letter=note_dead_letter,
    )


def _report(write_units: float, record: Record, handled: Handled) -> None:
    """Write one log line per event, and a few metrics but for the canary's, which has one of its own."""
    event, outcome = handled.event, handled.outcome
    facts: dict[str, Any] = {
        "outcome": outcome.value,
        "wru": write_units,
        "attempt": record.attempt,
    }
    if handled.reason:
        facts["reason"] = handled.reason
    if event is not None:
        facts |= {
            "correlation_id": event.correlation_id,
            "kind": event.kind,
            "field": event.field,
            "age_ms": clock.now_ms() - event.accepted_at,
        }
        if event.replay_of:
            facts |= {"replay_of": event.replay_of, "replay": event.replay}
    if handled.origin is not None:
        facts |= {"company": handled.origin.company, "channel": "whatsapp"}
    if event is None or event.app != CANARY_APP:
        _count(write_units, handled)
    logger.info("event handled", extra=facts)


def _count(write_units: float, handled: Handled) -> None:
    event, outcome = handled.event, handled.outcome
    is_ours = event is not None and event.source == "parley"
    metrics.add_metric("FollowUp" if is_ours else outcome.value.capitalize(), MetricUnit.Count, 1)
    # One value for each accepted event that is handled: its number is compared with Accepted, its average with a limit.
    consumed = "FollowUpWRU" if is_ours else "ConsumedWRU"
    metrics.add_metric(consumed, MetricUnit.Count, write_units)
    if handled.reason == "conflict":
        metrics.add_metric("Conflict", MetricUnit.Count, 1)
    if event is None:
        return
    now_ms = clock.now_ms()
    # A replay waited for an operator; a message of another context waited for its model and its provider.
    if event.replay_of is None and event.kind != OUTBOUND:
        age_ms = now_ms - event.accepted_at
        metrics.add_metric("PersistLatencyMs", MetricUnit.Milliseconds, age_ms)
    if outcome is Outcome.PERSISTED and not event.replay_of and event.kind in _HAPPENED_NOW:
        # Up to a second too much: the provider's times are whole seconds. Its clock may be ahead of Lambda's.
        end_to_end_ms = max(0, now_ms - event.at * 1_000)
        metrics.add_metric("EndToEndMs", MetricUnit.Milliseconds, end_to_end_ms)
