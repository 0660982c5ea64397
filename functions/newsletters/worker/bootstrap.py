"""Composition root of the worker of `newsletter-steps.fifo`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING

import boto3
from botocore.config import Config

from newsletters.configuration.resources import (
    ROUND_MS,
    STEP_MS,
    SendingResources,
    WorkerResources,
)
from newsletters.configuration.sending_account import SendingAccount
from newsletters.recovery import parking
from newsletters.store import parked
from newsletters.store.bucket.objects import Store
from newsletters.worker import results, shares
from newsletters.worker.dispatcher import give_up, process
from newsletters.worker.results import Handled, Outcome
from shared.access.ownership.claims import Owners
from shared.ai.providers.model_creation import ModelDependencies
from shared.ai.retrieval.settings import RetrievalDependencies
from shared.aws.client_configs import PATIENT
from shared.aws.dynamodb import Table
from shared.aws.s3 import Bucket
from shared.aws.secrets import JsonSecret
from shared.aws.sqs_fifo import FifoQueue
from shared.aws.tables.attempts import Attempts
from shared.aws.workers.fair_shares import Runs
from shared.aws.workers.sqs_worker import Record, Worker
from shared.contacts.person import Sources
from shared.identity import keyed_hashes
from shared.inbox.live.announcements import Announcements
from shared.policy.consent.records import Consents
from shared.policy.kill_switches import KillSwitches, parameter_store
from shared.providers.company_secrets import CompanySecrets
from shared.runtime.settings import Origin, Settings, Url

if TYPE_CHECKING:
    from shared.providers.email.identities import Identities
    from shared.providers.email.ses import Ses
    from shared.providers.email.tenants import Tenants
    from shared.runtime.failures import Permanent

# SES has no idempotency token: one attempt, and the ledger of recipients has its result.
_once = Config(connect_timeout=3, read_timeout=20, retries={"total_max_attempts": 1})


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
    contacts_table_name: str
    inbox_table_name: str
    live_table_name: str
    inbox_function: str
    identifier_keys_secret_id: str
    switches_path: str
    email_configuration_set: str
    click_configuration_set: str
    public_url: Url
    spending_table_name: str


def resources_of(settings: WorkerSettings) -> WorkerResources:
    """Return the resources of the worker."""
    sqs = boto3.client("sqs", config=PATIENT)
    dynamodb = boto3.client("dynamodb", config=PATIENT)
    bucket = Bucket(lambda: boto3.client("s3", config=PATIENT), settings.newsletters_bucket_name)
    return WorkerResources(
        store=Store(Table(dynamodb, settings.table_name), bucket),
        steps=FifoQueue(lambda: sqs, settings.newsletter_steps_queue_url),
        exports=FifoQueue(lambda: sqs, settings.newsletter_exports_queue_url),
        spending=Table(dynamodb, settings.spending_table_name),
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


def sending_of(resources: WorkerResources, settings: WorkerSettings) -> SendingResources:
    """Return the resources of the worker for issues."""
    keyed_hashes.configure(
        JsonSecret(
            lambda: boto3.client("secretsmanager", config=PATIENT),
            settings.identifier_keys_secret_id,
        )
    )
    table = resources.store.table
    return SendingResources(
        store=resources.store,
        steps=resources.steps,
        exports=resources.exports,
        people=Sources(
            contacts=table.beside(settings.contacts_table_name),
            inbox=table.beside(settings.inbox_table_name),
            consents=Consents(table.beside(settings.conversation_log_table_name)),
        ),
        owners=resources.retrieval.owners,
        live=table.beside(settings.live_table_name),
        announcements=Announcements(settings.inbox_function),
        ses=cache(_ses),
        account=SendingAccount(cache(_identities)),
        tenants=cache(_tenants),
        switches=KillSwitches(
            parameter_store(lambda: boto3.client("ssm", config=PATIENT)), settings.switches_path
        ),
        configuration_set=settings.email_configuration_set,
        click_configuration_set=settings.click_configuration_set,
        public_url=settings.public_url,
    )


def _ses() -> Ses:
    from shared.providers.email.ses import Ses  # noqa: PLC0415 - few runs send mails

    return Ses(lambda: boto3.client("sesv2", config=_once))


def _identities() -> Identities:
    from shared.providers.email.identities import Identities  # noqa: PLC0415 - few runs send mails

    return Identities(lambda: boto3.client("sesv2", config=PATIENT))


def _tenants() -> Tenants:
    from shared.providers.email.tenants import Tenants  # noqa: PLC0415 - few companies have one

    return Tenants(lambda: boto3.client("sesv2", config=PATIENT))


def worker_of(
    resources: WorkerResources, sending: SendingResources, settings: WorkerSettings
) -> Worker[Handled]:
    """Return the worker of `newsletter-steps.fifo`."""
    table = resources.store.table

    def park(record: Record, refusal: Permanent) -> Handled:
        give_up(resources, record.body, refusal.reason)
        company = parking.park(table, record.body, refusal)
        return Handled(Outcome.PARKED, company=company, reason=refusal.reason)

    def note_dead_letter(record: Record, reason: str) -> None:
        if record.has_time_for_note:
            give_up(resources, record.body, reason)
            parked.events_of(table).note_dead_letter(record.body, reason, record.attempt)

    def handle(record: Record) -> Handled:
        return process(resources, sending, record.body, results.run_of(record))

    def written() -> float:
        return table.consumed_write_units + sending.people.consents.table.consumed_write_units

    attempts = Attempts.of(settings)
    runs = Runs(
        attempts, resources.steps.name, settings.newsletter_max_concurrency, STEP_MS, ROUND_MS
    )
    sharing = shares.of_queue(table, runs)
    return Worker(
        sqs=resources.steps.client,
        queue_urls=[settings.newsletter_steps_queue_url],
        tables=[table, sending.people.consents.table],
        attempts=attempts,
        handle=partial(sharing.handled, handle=handle),
        park=park,
        report=lambda record, handled: results.report(written(), record, handled),
        note_dead_letter=note_dead_letter,
    )
