"""The worker's use cases over moto: a table, a bucket and secrets from the template, and a queue that is a list."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from moto import mock_aws

from shared.access.ownership.claims import Proof
from shared.ai.spending.budget import Spending
from shared.aws.dead_letters import DeadLetters
from shared.aws.dynamodb import Table
from shared.aws.s3 import Bucket
from shared.aws.secrets import JsonSecret
from shared.aws.sqs_fifo import Entry
from shared.aws.sqs_standard import StandardQueue
from shared.events.recovery.port import Recovery
from shared.privacy.requests import Jobs
from shared.providers.action_ledger import Action, Ledger
from shared.providers.whatsapp.aws_eum import Eum
from shared.providers.whatsapp.meta_graph import Graph
from shared.runtime import clock
from shared.runtime.failures import Permanent
from shared.runtime.observability import metrics
from tests.integration.whatsapp.inbound.ingress import ingress  # noqa: F401 - a fixture for the tests of this folder
from tests.simulation.whatsapp.system import LISTS
from tests.suites import prepared
from tests.template import create_queue, create_table, name_of, properties
from whatsapp import store
from whatsapp.configuration.resources import Resources
from whatsapp.inbound.event import Outcome
from whatsapp.inbound.splitter import Delivery, events_of, queue_entry
from whatsapp.privacy.requests import jobs_of
from whatsapp.recovery import parking
from whatsapp.recovery.bootstrap import recovery_of
from whatsapp.store.items import ACTION_PK_PATTERN, Phone, WebhookEvent, pk
from whatsapp.store.items.contacts.privacy import PrivacyJob
from whatsapp.worker.dispatcher import Handled, Invocation, process, process_file

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

PHONE = "106540352242922"
NOW = 1_767_268_800_000  # 2026-01-01T12:00:00Z
APP = "1029384756"
T0 = NOW // 1_000 - 3_600  # 2026-01-01T11:00:00Z


@dataclass
class Outbox:
    """The entries that the worker sent to a queue: its own, or one of another context."""

    entries: list[Entry] = field(default_factory=list)

    def send(self, entries: list[Entry]) -> int:
        self.entries += entries
        return len(entries)


@dataclass
class Harness:
    """One worker and its storage, driven event by event."""

    resources: Resources
    outbox: Outbox
    inbound: Outbox  # events handed over to conversations
    statuses: Outbox
    dynamodb: DynamoDBClient  # separate from the worker's table object: the tests' own reads are not counted

    @property
    def privacy_jobs(self) -> Jobs[PrivacyJob]:
        """The jobs that erase or export a contact."""
        return jobs_of(self.resources.table, self.resources.bucket, self.resources.queue)

    def take(
        self, *values: dict[str, Any], waba: str = "102290129340398", **delivery: Any
    ) -> list[Handled]:
        """Deliver webhook values (`{"messages": [...]}`; `field` names another field) and handle their events."""
        return [self.handle(body) for body in self.bodies(*values, waba=waba, **delivery)]

    def bodies(
        self, *values: dict[str, Any], waba: str = "102290129340398", **delivery: Any
    ) -> list[str]:
        """The queue records of webhook values."""
        changes = [
            {
                "field": value.pop("field", "messages"),
                "value": {
                    "metadata": {"phone_number_id": PHONE, "display_phone_number": "15550783881"}
                }
                | value,
            }
            for value in [dict(value) for value in values]
        ]
        facts: dict[str, Any] = {
            "source": "meta",
            "app": APP,
            "accepted_at": clock.now_ms(),
        } | delivery
        events = events_of({"entry": [{"id": waba, "changes": changes}]}, Delivery(**facts))
        return [queue_entry(event).body for event in events]

    def receive_account_change(
        self, field: str, value: dict[str, Any], second: int = 0, source: str = "meta"
    ) -> Handled:
        """Process a notice about the whole account, sent *second* seconds after T0."""
        changes = [{"field": field, "value": value}]
        entry = {"id": "102290129340398", "time": T0 + second, "changes": changes}
        (event,) = events_of({"entry": [entry]}, Delivery(source, APP, NOW))
        return self.handle(queue_entry(event).body)

    def events_kept(self) -> int:
        """The number of stored webhook events."""
        return len([key for key in self.keys() if key.startswith("WEBHOOK#")])

    def outcomes(self, *values: dict[str, Any], **delivery: Any) -> list[Outcome]:
        return [handled.outcome for handled in self.take(*values, **delivery)]

    def handle(self, body: str) -> Handled:
        try:
            if '"kind":"media"' in body:
                return process_file(self.resources, body)
            return process(self.resources, body, Invocation("request-1", lambda: 60_000))
        except Permanent as refusal:
            event, origin = parking.park(self.resources, body, refusal)
            return Handled(event, origin, Outcome.PARKED, refusal.reason)

    def item(self, key: str) -> dict[str, Any]:
        """One stored item; empty if there is none."""
        return self.resources.table.get(pk(key)) or {}

    def keys(self) -> list[str]:
        """All keys except the lists of numbers."""
        items = self.dynamodb.scan(TableName=self.resources.table.name)["Items"]
        return sorted(item["pk"]["S"] for item in items if not item["pk"]["S"].startswith(LISTS))


@pytest.fixture
def harness(monkeypatch: pytest.MonkeyPatch) -> Iterator[Harness]:
    monkeypatch.setattr(clock, "now_ms", lambda: NOW)
    store.phones.forget()
    with mock_aws():
        yield harness_on_moto()


@pytest.fixture
def recovery(harness: Harness) -> Recovery[WebhookEvent]:
    sqs = boto3.client("sqs")
    return recovery_of(
        table=harness.resources.table,
        bucket=harness.resources.bucket,
        queue=harness.resources.queue,
        files=harness.resources.files,
        campaigns=StandardQueue(lambda: sqs, create_queue(sqs, "WhatsAppCampaignsQueue")),
        dead_letters=DeadLetters(
            lambda: sqs, create_queue(sqs, "WhatsAppDeadLetters"), wait_seconds=0
        ),
        media_dead_letters=DeadLetters(
            lambda: sqs, create_queue(sqs, "WhatsAppJobsDeadLetters"), wait_seconds=0
        ),
        campaign_dead_letters=DeadLetters(
            lambda: sqs, create_queue(sqs, "WhatsAppCampaignsDeadLetters"), wait_seconds=0
        ),
        social_dead_letters=DeadLetters(
            lambda: sqs, create_queue(sqs, "WhatsAppSocialDeadLetters"), wait_seconds=0
        ),
        social_topics=(),
    )


def harness_on_moto() -> Harness:
    dynamodb, s3 = boto3.client("dynamodb"), boto3.client("s3")
    secrets = boto3.client("secretsmanager")
    table = Table(dynamodb, name_of("WhatsAppTable"))
    bucket = str(properties("MediaBucket")["BucketName"])

    def build() -> None:
        for logical_id in ("WhatsAppTable", "AuditLogTable", "SpendingTable"):
            create_table(dynamodb, logical_id)
        s3.create_bucket(Bucket=bucket)
        secrets.create_secret(Name="tokens", SecretString='{"acme": "EAAtoken"}')
        store.phones.register(table, a_phone())
        store.phones.forget()

    prepared.prepare("a number of WhatsApp", build)
    outbox, inbound, statuses = Outbox(), Outbox(), Outbox()
    resources = Resources(
        table=table,
        bucket=Bucket(lambda: s3, bucket),
        queue=outbox,  # type: ignore[arg-type] # has the one method that is used
        files=outbox,  # type: ignore[arg-type] # as above
        conversation_inbound=inbound,  # type: ignore[arg-type] # as above
        conversation_statuses=statuses,  # type: ignore[arg-type] # as above
        ledger=Ledger(
            table, lambda action_id: pk(ACTION_PK_PATTERN.format(actionId=action_id)), Action
        ),
        graph=Graph("http://127.0.0.1:9", "v23.0"),
        eum=Eum(lambda: boto3.client("socialmessaging"), "v20.0"),
        tokens=JsonSecret(lambda: secrets, "tokens"),
        media_origins=(),
        message_ttl_days=0,
        spending=Spending(Table(dynamodb, name_of("SpendingTable")), 100, 1_000),
        keep_revoked_content=False,
        log_all_events=False,
    )
    return Harness(resources, outbox, inbound, statuses, boto3.client("dynamodb"))


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the counted metrics."""
    names: list[str] = []
    monkeypatch.setattr(metrics, "add_metric", lambda name, *_: names.append(name))
    return names


def a_phone(**changes: Any) -> Phone:
    facts: dict[str, Any] = {
        "pk": Phone.key(PHONE),
        "company": "acme",
        "phone": PHONE,
        "display_phone": "15550783881",
        "phone_arn": f"arn:parley:whatsapp:::phone-number-id/{PHONE}",
        "provider": "graph",
        "waba_meta_id": "102290129340398",
        "app_id": APP,
        "token_ref": "acme",
        "business_account_name": "Acme Bikes",
        "proof": Proof.GRANTED,
    }
    return Phone(**facts | changes)


def text(
    identity: str,
    body: str = "hello",
    *,
    at: int = NOW // 1000 - 60,
    sender: str = "447700900101",
    **more: Any,
) -> dict[str, Any]:
    return {
        "id": identity,
        "from": sender,
        "timestamp": str(at),
        "type": "text",
        "text": {"body": body},
    } | more
