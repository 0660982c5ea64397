"""Composition root of the worker: its settings, its resources, and the report of results."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import boto3
from botocore.config import Config

from email_threads.configuration.resources import Run, SendingResources
from email_threads.recovery import parking
from email_threads.store import parked
from email_threads.store.items.replies.sends import action_key
from email_threads.worker import shares
from email_threads.worker.dispatcher import Handled, Outcome, give_up, process
from shared.access.ownership.claims import Owners
from shared.ai.providers.model_creation import ModelDependencies
from shared.ai.spending.configuration import SpendingSettings, spending_of
from shared.aws.client_configs import PATIENT
from shared.aws.dynamodb import Table
from shared.aws.s3 import Bucket
from shared.aws.secrets import JsonSecret
from shared.aws.sqs_fifo import FifoQueue
from shared.aws.sqs_standard import StandardQueue
from shared.aws.tables.attempts import Attempts
from shared.aws.workers import event_report
from shared.aws.workers.fair_shares import Runs
from shared.aws.workers.sqs_worker import Record, Worker
from shared.identity import keyed_hashes
from shared.policy.consent.records import Consents
from shared.policy.kill_switches import KillSwitches, parameter_store
from shared.providers.action_ledger import Action, Ledger
from shared.providers.company_secrets import CompanySecrets
from shared.providers.email.ses import Ses
from shared.runtime.settings import Origin, Url  # noqa: TC001 - the settings read this annotation at run time

if TYPE_CHECKING:
    from shared.runtime.failures import Permanent

# SES has no idempotency token: one attempt, and the ledger decides about the next.
_once = Config(connect_timeout=3, read_timeout=20, retries={"total_max_attempts": 1})


@dataclass(frozen=True, kw_only=True)
class WorkerSettings(SpendingSettings):
    """The environment of this function."""

    email_conversations_table_name: str
    email_bucket_name: str
    email_threads_queue_url: str
    email_inbound_queue_url: str
    email_max_concurrency: int
    media_bucket_name: str
    conversations_inbound_queue_url: str
    conversations_statuses_queue_url: str
    conversation_log_table_name: str
    identifier_keys_secret_id: str
    switches_path: str
    openai_base_url: Origin
    email_configuration_set: str
    public_url: Url
    attempts_table_name: str
    max_attempts: int


def resources_of(settings: WorkerSettings) -> SendingResources:
    """Return the resources of the worker."""
    keyed_hashes.configure(
        JsonSecret(
            lambda: boto3.client("secretsmanager", config=PATIENT),
            settings.identifier_keys_secret_id,
        )
    )
    sqs = boto3.client("sqs", config=PATIENT)
    dynamodb = boto3.client("dynamodb", config=PATIENT)
    table = Table(dynamodb, settings.email_conversations_table_name)
    log = Table(dynamodb, settings.conversation_log_table_name)
    return SendingResources(
        table=table,
        bucket=Bucket(lambda: boto3.client("s3", config=PATIENT), settings.email_bucket_name),
        media=Bucket(lambda: boto3.client("s3", config=PATIENT), settings.media_bucket_name),
        queue=FifoQueue(lambda: sqs, settings.email_threads_queue_url),
        conversations_inbound=FifoQueue(lambda: sqs, settings.conversations_inbound_queue_url),
        conversations_statuses=FifoQueue(lambda: sqs, settings.conversations_statuses_queue_url),
        consents=Consents(log),
        owners=Owners(log),
        ledger=Ledger(table, action_key, Action),
        ses=Ses(lambda: boto3.client("sesv2", config=_once)),
        models=ModelDependencies(
            openai_url=f"{settings.openai_base_url}/v1",
            credentials=CompanySecrets(lambda: boto3.client("secretsmanager", config=PATIENT)),
            make_bedrock=lambda config: boto3.client("bedrock-runtime", config=config),
        ),
        switches=KillSwitches(
            parameter_store(lambda: boto3.client("ssm", config=PATIENT)), settings.switches_path
        ),
        spending=spending_of(settings, table),
        configuration_set=settings.email_configuration_set,
        public_url=settings.public_url,
        region=sqs.meta.region_name,
    )


def worker_of(resources: SendingResources, settings: WorkerSettings) -> Worker[Handled]:
    """Return the worker of `email-threads.fifo`."""

    def handle(record: Record) -> Handled:
        return process(resources, record.body, _run_of(record))

    def park(record: Record, refusal: Permanent) -> Handled:
        give_up(resources, record.body, refusal.reason)
        company = parking.park(resources, record.body, refusal)
        return Handled(Outcome.PARKED, company=company, reason=refusal.reason)

    def note_dead_letter(record: Record, reason: str) -> None:
        if record.has_time_for_note:
            give_up(resources, record.body, reason)
            events = parked.events_of(resources.table)
            events.note_dead_letter(record.body, reason, record.attempt)

    attempts = Attempts.of(settings)
    sharing = shares.of_analyses(
        resources.table,
        Runs(attempts, resources.queue.name, settings.email_max_concurrency),
        StandardQueue(lambda: resources.queue.client, settings.email_inbound_queue_url),
    )
    return Worker(
        sqs=resources.queue.client,
        queue_urls=[settings.email_threads_queue_url],
        tables=[resources.table, resources.spending.table],
        attempts=attempts,
        handle=partial(sharing.handled, handle=handle),
        park=park,
        report=lambda record, handled: _report(
            resources.table.consumed_write_units + resources.spending.table.consumed_write_units,
            record,
            handled,
        ),
        note_dead_letter=note_dead_letter,
    )


def _run_of(record: Record) -> Run:
    return Run(
        owner=record.context.aws_request_id,
        remaining_ms=record.context.get_remaining_time_in_millis(),
        attempt=record.attempt,
        is_last=record.is_last,
    )


def _report(write_units: float, record: Record, handled: Handled) -> None:
    event_report.write(
        record,
        handled.outcome,
        write_units,
        reason=handled.reason,
        correlation_id=handled.conversation_id,
        company=handled.company,
        kind=handled.kind,
    )
