"""The webhook that the help desk calls: the handler over moto's queues, with a secret that can rotate."""

from __future__ import annotations

import hashlib
import hmac
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any

import boto3
import pytest
from moto import mock_aws

from events.richpanel.samples import HMAC_KEY, START, TOKEN
from richpanel.inbound.event import RichpanelEvent
from richpanel.inbound.queued_events import parse_event
from shared.aws.secrets import JsonSecret
from shared.runtime import clock
from tests.template import create_queue, environment

MINIMAL = b'{"ticket_id": "70411"}'
SECRET = "webhook"
MODULE = "richpanel.handlers.webhook"


class Ingress:
    """The handler with its queues and its secret. `now` is its clock, in milliseconds."""

    def __init__(self, webhook: ModuleType, now: list[int]) -> None:
        self.webhook, self.now = webhook, now
        self.sqs = boto3.client("sqs")
        self.secrets = boto3.client("secretsmanager")
        self.secret_reads = 0

    def rotate(self, **value: Any) -> None:
        self.secrets.put_secret_value(SecretId=SECRET, SecretString=json.dumps(value))

    def take(self, event: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Invoke the handler with an event; returns status and body of the response."""
        answer = self.webhook.handler(event, None)
        assert answer["headers"] == {"Content-Type": "application/json"}
        return answer["statusCode"], json.loads(answer["body"])

    def post(
        self, body: bytes = MINIMAL, headers: dict[str, Any] | None = None, **changes: Any
    ) -> tuple[int, dict[str, Any]]:
        """A POST with the sample token, or with these headers."""
        return self.take(call(body, headers) | changes)

    def mail(self) -> list[RichpanelEvent]:
        return self._received("RICHPANEL_QUEUE_URL")

    def live(self) -> list[RichpanelEvent]:
        return self._received("RICHPANEL_LIVE_QUEUE_URL")

    def messages(self, variable: str = "RICHPANEL_QUEUE_URL") -> list[dict[str, Any]]:
        """Receive and delete all messages of a queue, with their attributes."""
        url = environment("RichpanelWebhook")[variable]
        found: list[dict[str, Any]] = []
        while batch := self.sqs.receive_message(
            QueueUrl=url, MaxNumberOfMessages=10, AttributeNames=["All"]
        ).get("Messages"):
            for message in batch:
                self.sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
            found += [dict(message) for message in batch]
        return found

    def _received(self, variable: str) -> list[RichpanelEvent]:
        return [parse_event(message["Body"]) for message in self.messages(variable)]


def call(body: bytes = MINIMAL, headers: dict[str, Any] | None = None) -> dict[str, Any]:
    """An API Gateway event for a POST of JSON, with the sample token unless *headers* are given."""
    given = {"X-Middleware-Token": TOKEN} if headers is None else headers
    return {
        "httpMethod": "POST",
        "headers": {"Content-Type": "application/json"} | given,
        "body": body.decode("utf-8", "surrogateescape"),
        "isBase64Encoded": False,
        "requestContext": {"requestId": "request-1"},
    }


def signature(body: bytes = MINIMAL, at: int | str = START, key: str = HMAC_KEY) -> str:
    return hmac.new(key.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()


@contextmanager
def open_ingress(mode: str = "token") -> Iterator[Ingress]:
    """The webhook in one authentication mode (AUTH_MODE), for one test or for several."""
    with pytest.MonkeyPatch.context() as monkeypatch, mock_aws():
        now = [START * 1_000]
        monkeypatch.setattr(clock, "now_ms", lambda: now[0])
        for name, value in environment("RichpanelWebhook", RichpanelAuthMode=mode).items():
            monkeypatch.setenv(name, value)
        monkeypatch.delitem(sys.modules, MODULE, raising=False)
        ingress = Ingress(import_module(MODULE), now)
        for queue in ("RichpanelQueue", "RichpanelLiveQueue"):
            create_queue(ingress.sqs, queue)
        ingress.secrets.create_secret(Name=SECRET, SecretString="{}")
        ingress.rotate(active_tokens=[TOKEN], active_hmac_keys=[HMAC_KEY])

        def client() -> Any:
            ingress.secret_reads += 1
            return ingress.secrets

        monkeypatch.setattr(ingress.webhook, "secret", JsonSecret(client, SECRET))
        yield ingress
