"""
The two inbound endpoints (Twilio's webhook and the SNS topic), over queues of moto and a secret that can be rotated.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from moto import mock_aws

from events.conversations.aws_sms import TOPIC_ARN
from events.conversations.twilio import PUBLIC_URL, SECRET
from shared.aws.secrets import JsonSecret
from shared.aws.sqs_fifo import FifoQueue
from shared.runtime import clock
from shared.runtime.observability import metrics

if TYPE_CHECKING:
    from mypy_boto3_secretsmanager import SecretsManagerClient
    from mypy_boto3_sqs import SQSClient

NOW = 1_767_268_800_000  # 2026-01-01T12:00:00Z
SECRET_ID = "twilio-webhook"
MINUTE_MS = 60_000


@dataclass(frozen=True)
class Put:
    """One message on a queue."""

    body: dict[str, Any]
    group: str
    deduplication: str


@dataclass
class Queue:
    """A FIFO queue; `refuses` makes it refuse messages as SQS does: with HTTP 200."""

    client: SQSClient
    url: str
    refuses: bool = False

    def send_message_batch(self, **request: Any) -> Any:
        if self.refuses:
            return {"Failed": [{"Id": "0", "Code": "InternalError"}]}
        return self.client.send_message_batch(**request)

    def taken(self) -> list[Put]:
        """Remove all messages from the queue and return them, oldest first."""
        taken: list[Put] = []
        while True:
            answer = self.client.receive_message(
                QueueUrl=self.url, MaxNumberOfMessages=10, MessageSystemAttributeNames=["All"]
            )
            if not answer.get("Messages"):
                return taken
            for message in answer["Messages"]:
                attributes = message["Attributes"]
                group, once = attributes["MessageGroupId"], attributes["MessageDeduplicationId"]
                taken.append(Put(json.loads(message["Body"]), group, once))
                self.client.delete_message(
                    QueueUrl=self.url, ReceiptHandle=message["ReceiptHandle"]
                )


@dataclass
class Ingress:
    """The handlers with their queues and their secret."""

    twilio: ModuleType
    aws_sms: ModuleType
    inbound: Queue
    statuses: Queue
    secrets: SecretsManagerClient
    patch: pytest.MonkeyPatch
    now: list[int] = field(default_factory=lambda: [NOW])
    counted: list[str] = field(default_factory=list)

    def call(self, event: dict[str, Any]) -> tuple[int, str]:
        """Call the handler with a webhook of Twilio; returns status and body."""
        answer = self.twilio.handler(event, None)
        return answer["statusCode"], answer["body"]

    def rotate(self, secret: dict[str, Any]) -> None:
        """Put another value into the secret."""
        self.secrets.put_secret_value(SecretId=SECRET_ID, SecretString=json.dumps(secret))

    def known_as(self, *public_urls: str) -> None:
        """Configure other public addresses."""
        changed = replace(self.twilio.settings, public_base_urls=public_urls)
        self.patch.setattr(self.twilio, "settings", changed)

    def listens_to(self, *topics: str) -> None:
        """Configure other topics."""
        changed = replace(self.aws_sms.settings, sms_topic_arns=topics)
        self.patch.setattr(self.aws_sms, "settings", changed)


@pytest.fixture(scope="module")
def _queues() -> Iterator[tuple[Queue, Queue, SecretsManagerClient]]:
    """
    The queues, made once for a module because moto is slow; not for longer, since other modules would find old
    messages.
    """
    with mock_aws():
        sqs = boto3.client("sqs")
        inbound, statuses = (
            Queue(
                sqs,
                sqs.create_queue(
                    QueueName=f"conversations-{name}.fifo", Attributes={"FifoQueue": "true"}
                )["QueueUrl"],
            )
            for name in ("inbound", "statuses")
        )
        secrets = boto3.client("secretsmanager")
        secrets.create_secret(Name=SECRET_ID, SecretString="{}")
        yield inbound, statuses, secrets


@pytest.fixture
def ingress(
    _queues: tuple[Queue, Queue, SecretsManagerClient], monkeypatch: pytest.MonkeyPatch
) -> Ingress:
    """The handlers after a deployment, with empty queues."""
    inbound, statuses, secrets = _queues
    for name, value in {
        "CONVERSATIONS_INBOUND_QUEUE_URL": inbound.url,
        "CONVERSATIONS_STATUSES_QUEUE_URL": statuses.url,
        "TWILIO_WEBHOOK_SECRET_ID": SECRET_ID,
        "PUBLIC_BASE_URLS": PUBLIC_URL,
        "SMS_TOPIC_ARNS": TOPIC_ARN,
    }.items():
        monkeypatch.setenv(name, value)
    twilio = importlib.import_module("conversations.handlers.twilio")
    aws_sms = importlib.import_module("conversations.handlers.aws_sms")
    ingress = Ingress(twilio, aws_sms, inbound, statuses, secrets, monkeypatch)
    monkeypatch.setattr(clock, "now_ms", lambda: ingress.now[0])
    add = metrics.add_metric

    def count(name: str, unit: Any, value: float) -> None:
        ingress.counted.append(name)
        add(name, unit, value)

    monkeypatch.setattr(metrics, "add_metric", count)
    monkeypatch.setattr(twilio, "secret", JsonSecret(lambda: secrets, SECRET_ID))
    for handler in (twilio, aws_sms):
        monkeypatch.setattr(handler, "inbound", FifoQueue(lambda: inbound, inbound.url))  # type: ignore[arg-type, return-value] # has the one method that is used
        monkeypatch.setattr(handler, "statuses", FifoQueue(lambda: statuses, statuses.url))  # type: ignore[arg-type, return-value] # as above
    inbound.refuses = statuses.refuses = False
    inbound.taken(), statuses.taken()
    secrets.restore_secret(SecretId=SECRET_ID)
    ingress.rotate(SECRET)
    return ingress
