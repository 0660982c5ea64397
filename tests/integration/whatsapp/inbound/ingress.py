"""The two ingress handlers that the providers call, with a recording queue and a secret that can rotate."""

from __future__ import annotations

import hashlib
import hmac
import importlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import boto3
import pytest
from moto import mock_aws

from events.whatsapp.sample_data import APP_ID, APP_SECRET, VERIFY_TOKEN
from shared.aws.s3 import Bucket
from shared.aws.secrets import JsonSecret
from shared.aws.sqs_fifo import FifoQueue
from shared.runtime import clock
from tests.template import environment, properties
from whatsapp.inbound.event import Event
from whatsapp.inbound.queued_events import parse_event

NOW = 1_767_268_800_000
BUCKET = str(properties("MediaBucket")["BucketName"])


class RecordingSqs:
    """Accepts entries, or refuses the entry with the number `refuses`."""

    def __init__(self) -> None:
        self.entries: list[dict[str, Any]] = []
        self.batches: list[int] = []
        self.refuses: int | None = None

    def send_message_batch(self, *, QueueUrl: str, Entries: list[dict[str, Any]]) -> dict[str, Any]:
        first = len(self.entries)
        self.entries += Entries
        self.batches.append(len(Entries))
        refused = self.refuses is not None and first <= self.refuses < first + len(Entries)
        return {"Failed": [{"Id": "0", "Code": "InternalError"}]} if refused else {}

    @property
    def events(self) -> list[Event]:
        return [parse_event(entry["MessageBody"]) for entry in self.entries]


class Ingress:
    """The two ingress handlers with a recording queue and a secret that can rotate."""

    def __init__(
        self, webhook: ModuleType, social: ModuleType, sqs: RecordingSqs, now: list[int]
    ) -> None:
        self.webhook, self.social, self.sqs, self.now = webhook, social, sqs, now
        self.secrets = boto3.client("secretsmanager")
        self.secret_reads = 0

    def rotate(self, **value: Any) -> None:
        self.secrets.put_secret_value(SecretId="apps", SecretString=json.dumps(value))

    def post(self, signed: bytes, secret: str = APP_SECRET, **changes: Any) -> dict[str, Any]:
        signature = "sha256=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
        event = {
            "httpMethod": "POST",
            "headers": {"X-Hub-Signature-256": signature},
            "body": signed.decode(),
            "isBase64Encoded": False,
        }
        answer: dict[str, Any] = self.webhook.handler(event | changes, None)
        return answer

    def get(self, **query: str) -> tuple[int, str]:
        names = {name.replace("_", ".", 1): value for name, value in query.items()}
        answer = self.webhook.handler(
            {"httpMethod": "GET", "queryStringParameters": names or None}, None
        )
        return answer["statusCode"], answer["body"]


@pytest.fixture
def ingress() -> Iterator[Ingress]:
    with open_ingress() as opened:
        yield opened


@contextmanager
def open_ingress() -> Iterator[Ingress]:
    """The ingress handlers, for one test or for several."""
    with pytest.MonkeyPatch.context() as monkeypatch, mock_aws():
        now = [NOW]
        monkeypatch.setattr(clock, "now_ms", lambda: now[0])
        for function in ("WhatsAppWebhook", "WhatsAppSocial"):
            for name, value in environment(function).items():
                monkeypatch.setenv(name, value)
        webhook = importlib.import_module("whatsapp.handlers.webhooks.graph")
        social = importlib.import_module("whatsapp.handlers.webhooks.social")
        sqs = RecordingSqs()
        ingress = Ingress(webhook, social, sqs, now)
        boto3.client("s3").create_bucket(Bucket=BUCKET)
        ingress.secrets.create_secret(Name="apps", SecretString="{}")
        ingress.rotate(verify_token=VERIFY_TOKEN, apps={APP_ID: [APP_SECRET]})
        ingress.secrets.create_secret(Name="canary", SecretString='{"app_secret": "of the canary"}')

        def client() -> Any:
            ingress.secret_reads += 1
            return ingress.secrets

        for handler in (webhook, social):
            monkeypatch.setattr(handler, "queue", FifoQueue(lambda: sqs, "url"))  # type: ignore[arg-type, return-value] # a fake with the one method that is used
            monkeypatch.setattr(handler, "bucket", Bucket(lambda: boto3.client("s3"), BUCKET))
        monkeypatch.setattr(webhook, "secret", JsonSecret(client, "apps"))
        canary = JsonSecret(lambda: ingress.secrets, "canary")
        monkeypatch.setattr(webhook, "canary_secret", canary)
        yield ingress
