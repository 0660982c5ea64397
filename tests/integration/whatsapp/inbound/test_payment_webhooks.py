"""POST /webhooks/payments/{gateway}: 200 only for a verified webhook whose claim is queued."""

from __future__ import annotations

import base64
import importlib
import json
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from moto import mock_aws

from tests.template import create_queue
from tests.unit.whatsapp.test_gateways import hex_of, razorpay

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

SECRET = {"gateways": {"razorpay": ["hook secret"], "payu": "salt"}}


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    with mock_aws():
        url = create_queue(boto3.client("sqs"), "WhatsAppQueue")
        boto3.client("secretsmanager").create_secret(Name="apps", SecretString=json.dumps(SECRET))
        monkeypatch.setenv("WHATSAPP_QUEUE_URL", url)
        monkeypatch.setenv("WHATSAPP_APP_SECRET_ID", "apps")
        yield importlib.reload(importlib.import_module("whatsapp.handlers.webhooks.payments"))


def posted(
    module: ModuleType, body: bytes, signature: str, gateway: str = "razorpay"
) -> dict[str, Any]:
    event = {
        "httpMethod": "POST",
        "pathParameters": {"gateway": gateway},
        "headers": {"X-Razorpay-Signature": signature},
        "body": base64.b64encode(body).decode(),
        "isBase64Encoded": True,
    }
    answer: dict[str, Any] = module.handler(event, None)
    return answer


def queued(module: ModuleType) -> list[dict[str, Any]]:
    found = boto3.client("sqs").receive_message(
        QueueUrl=module.settings.whatsapp_queue_url, MaxNumberOfMessages=10
    )
    return [json.loads(message["Body"]) for message in found.get("Messages", [])]


def test_a_verified_webhook_is_queued_once_as_a_claim(module: ModuleType) -> None:
    body = razorpay()

    answers = [posted(module, body, hex_of(body, "hook secret"))["statusCode"] for _ in range(2)]

    assert answers == [200, 200]
    (event,) = queued(module)
    assert (event["kind"], event["source"]) == ("payment_claim", "gateway")
    assert event["payload"] == {
        "reference": "ref-1",
        "gateway": "razorpay",
        "status": "captured",
        "transactionId": "pay_1",
        "amount": 2_500,
        "currency": "INR",
    }


@pytest.mark.parametrize(
    ("body", "signature", "gateway", "status"),
    [
        (razorpay(), "0" * 64, "razorpay", 403),
        (razorpay(), "", "razorpay", 403),
        (razorpay(), hex_of(razorpay(), "hook secret"), "stripe", 404),
        (razorpay(), hex_of(razorpay(), "hook secret"), "payu", 403),
        (b"[1]", hex_of(b"[1]", "hook secret"), "razorpay", 400),
        (b"x" * (257 << 10), "", "razorpay", 413),
        (razorpay(notes={}), hex_of(razorpay(notes={}), "hook secret"), "razorpay", 200),
    ],
)
def test_nothing_is_queued_for_a_webhook_that_is_refused_or_about_no_order(
    module: ModuleType, body: bytes, signature: str, gateway: str, status: int
) -> None:
    assert posted(module, body, signature, gateway)["statusCode"] == status
    assert queued(module) == []


def test_a_webhook_that_cannot_be_queued_is_repeated_by_the_gateway(module: ModuleType) -> None:
    boto3.client("sqs").delete_queue(QueueUrl=module.settings.whatsapp_queue_url)

    answer = posted(module, razorpay(), hex_of(razorpay(), "hook secret"))

    assert answer["statusCode"] == 503
