"""Composition root of the worker of `newsletter-steps.fifo`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import boto3

from newsletters.configuration.resources import ROUND_MS, STEP_MS, WorkerResources
from newsletters.recovery import parking
from newsletters.store import parked
from newsletters.store.objects import Store
from newsletters.worker import results, shares
from newsletters.worker.dispatcher import process
from newsletters.worker.results import Handled, Outcome
from shared.access.ownership.claims import Owners
from shared.ai.model_creation import ModelDependencies
from shared.ai.retrieval.settings import RetrievalDependencies
from shared.aws.client_configs import PATIENT
from shared.aws.dynamodb import Table
from shared.aws.fair_shares import Runs
from shared.aws.s3 import Bucket
from shared.aws.sqs_fifo import FifoQueue
from shared.aws.sqs_worker import Record, Worker
from shared.aws.tables.attempts import Attempts
from shared.providers.company_secrets import CompanySecrets
from shared.runtime.settings import Origin, Settings

if TYPE_CHECKING:
    from shared.runtime.failures import Permanent


@dataclass(frozen=True, kw_only=True)
class WorkerSettings(Settings):
    """The environment of this function."""

    table_name: str
    conversation_log_table_name: str
    newsletters_bucket_name: str
    newsletter_steps_queue_url: str
    newsletter_exports_queue_url: str
    openai_base_url: Origin
    attempts_table_name: str
    max_attempts: int
    newsletter_max_concurrency: int


def resources_of(settings: WorkerSettings) -> WorkerResources:
    """Return the resources of the worker."""
    sqs = boto3.client("sqs", config=PATIENT)
    dynamodb = boto3.client("dynamodb", config=PATIENT)
    bucket = Bucket(lambda: boto3.client("s3", config=PATIENT), settings.newsletters_bucket_name)
    return WorkerResources(
        store=Store(Table(dynamodb, settings.table_name), bucket),
        steps=FifoQueue(lambda: sqs, settings.newsletter_steps_queue_url),
        exports=FifoQueue(lambda: sqs, settings.newsletter_exports_queue_url),
        models=ModelDependencies(
            openai_url=f"{settings.openai_base_url}/v1",
            credentials=CompanySecrets(lambda: boto3.client("secretsmanager", config=PATIENT)),
            make_bedrock=lambda config: boto3.client("bedrock-runtime", config=config),
        ),
        retrieval=RetrievalDependencies(
            bucket=bucket,
            make_bedrock=lambda config: boto3.client("bedrock-agent-runtime", config=config),
            owners=Owners(Table(dynamodb, settings.conversation_log_table_name)),
        ),
    )


def worker_of(resources: WorkerResources, settings: WorkerSettings) -> Worker[Handled]:
    """Return the worker of `newsletter-steps.fifo`."""
    table = resources.store.table

    def park(record: Record, refusal: Permanent) -> Handled:
        company = parking.park(table, record.body, refusal)
        return Handled(Outcome.PARKED, company=company, reason=refusal.reason)

    def note_dead_letter(record: Record, reason: str) -> None:
        if record.has_time_for_note:
            parked.events_of(table).note_dead_letter(record.body, reason, record.attempt)

    def handle(record: Record) -> Handled:
        return process(resources, record.body, results.run_of(record))

    attempts = Attempts.of(settings)
    runs = Runs(
        attempts, resources.steps.name, settings.newsletter_max_concurrency, STEP_MS, ROUND_MS
    )
    sharing = shares.of_queue(table, runs)
    return Worker(
        sqs=resources.steps.client,
        queue_urls=[settings.newsletter_steps_queue_url],
        tables=[table],
        attempts=attempts,
        handle=lambda record: sharing.handled(record, handle),
        park=park,
        report=lambda record, handled: results.report(table.consumed_write_units, record, handled),
        note_dead_letter=note_dead_letter,
    )
