"""POST /webhooks/payments/{gateway}: verifies a gateway's webhook and queues the payment that it reports."""

from dataclasses import dataclass
from typing import Any

import boto3
from aws_lambda_powertools.metrics import MetricUnit
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from shared.api.proxy_event import header, raw_body
from shared.aws.secrets import JsonSecret, texts
from shared.aws.sqs_fifo import FifoQueue, NotEnqueued
from shared.runtime import clock
from shared.runtime.observability import describe, logger, metrics
from shared.runtime.settings import Settings
from whatsapp.inbound.payments import claims
from whatsapp.inbound.payments.gateways import GATEWAYS, Gateway, Unreadable

LARGEST_BODY_BYTES = 256 << 10


@dataclass(frozen=True, kw_only=True)
class PaymentSettings(Settings):
    """The environment of this function. The secret's field `gateways` has the secrets of each gateway by its name."""

    whatsapp_queue_url: str
    whatsapp_app_secret_id: str


settings = PaymentSettings.load()
quick = Config(connect_timeout=1, read_timeout=2, retries={"total_max_attempts": 2})
sqs = boto3.client("sqs", config=quick)
queue = FifoQueue(lambda: sqs, settings.whatsapp_queue_url)
secret = JsonSecret(
    lambda: boto3.client("secretsmanager", config=quick), settings.whatsapp_app_secret_id
)


@metrics.log_metrics
def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """
    API Gateway proxy event in, proxy response out.

    200 once the claim is queued, or if the webhook is about an unknown order; 503 if it is not queued, so that the
    gateway repeats it.
    """
    metrics.add_metric("PaymentWebhooks", MetricUnit.Count, 1)
    name = str((event.get("pathParameters") or {}).get("gateway", ""))
    gateway = GATEWAYS.get(name)
    if gateway is None:
        return _answer(404)
    body = raw_body(event)
    if body and len(body) > LARGEST_BODY_BYTES:
        return _answer(413)
    if body is None or not _is_signed(gateway, name, body, event):
        metrics.add_metric("SignatureRejected", MetricUnit.Count, 1)
        return _answer(403)
    return _answer(_taken(gateway, name, body))


def _taken(gateway: Gateway, name: str, body: bytes) -> int:
    """Queue the claim of a verified webhook and return the status of the answer."""
    try:
        claim = gateway.read(body)
    except Unreadable:
        return 400
    if claim is None:
        metrics.add_metric("PaymentWebhooksIgnored", MetricUnit.Count, 1)
        return 200
    try:
        queue.send([claims.entry_of(claim, name, body, clock.now_ms())])
    except (NotEnqueued, ClientError, BotoCoreError) as failure:
        logger.error("request not enqueued", extra=describe(failure))
        return 503
    metrics.add_metric("Accepted", MetricUnit.Count, 1)
    return 200


def _is_signed(gateway: Gateway, name: str, body: bytes, event: dict[str, Any]) -> bool:
    """Whether the gateway signed the body; a new secret works within a minute."""
    signature = header(event, gateway.signature_header) if gateway.signature_header else ""
    if gateway.is_signed(body, signature, _secrets(name)):
        return True
    return secret.refreshed() and gateway.is_signed(body, signature, _secrets(name))


def _secrets(name: str) -> list[str]:
    gateways = secret.value().get("gateways")
    return texts(gateways.get(name)) if isinstance(gateways, dict) else []


def _answer(status: int) -> dict[str, Any]:
    return {"statusCode": status, "headers": {"Content-Type": "text/plain"}, "body": ""}
