"""GET and POST /webhooks/whatsapp: Meta's handshake, and queuing of its events."""

from dataclasses import dataclass
from typing import Any

import boto3
from aws_lambda_powertools.metrics import MetricUnit
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from shared.api.proxy_event import header, raw_body
from shared.aws.s3 import Bucket
from shared.aws.secrets import JsonSecret
from shared.aws.sqs_fifo import PARALLEL_CALLS, FifoQueue, NotEnqueued
from shared.runtime.observability import describe, logger, metrics
from shared.runtime.settings import Settings
from whatsapp.inbound import webhook
from whatsapp.inbound.event import CANARY_APP

LARGEST_BODY_BYTES = 3 << 20  # Meta, "Webhooks": payloads are at most 3 MB.
SIGNATURE_HEADER = "x-hub-signature-256"


@dataclass(frozen=True, kw_only=True)
class WebhookSettings(Settings):
    """The environment of this function."""

    whatsapp_queue_url: str
    media_bucket_name: str
    whatsapp_app_secret_id: str
    whatsapp_canary_secret_id: str = ""  # empty: no canary is deployed


settings = WebhookSettings.load()
# The provider waits about a second, and repeats requests that we did not accept.
quick = Config(
    connect_timeout=1,
    read_timeout=2,
    retries={"total_max_attempts": 2},
    max_pool_connections=PARALLEL_CALLS,
)
sqs = boto3.client("sqs", config=quick)  # every event needs it
queue = FifoQueue(lambda: sqs, settings.whatsapp_queue_url)
bucket = Bucket(lambda: boto3.client("s3", config=quick), settings.media_bucket_name)
secret = JsonSecret(
    lambda: boto3.client("secretsmanager", config=quick), settings.whatsapp_app_secret_id
)
canary_secret = (
    JsonSecret(
        lambda: boto3.client("secretsmanager", config=quick), settings.whatsapp_canary_secret_id
    )
    if settings.whatsapp_canary_secret_id
    else None
)


@metrics.log_metrics
def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """API Gateway proxy event in, proxy response out."""
    metrics.add_metric("Received", MetricUnit.Count, 1)
    if event["httpMethod"] == "GET":
        return _handshake(event.get("queryStringParameters") or {})

    body = raw_body(event)
    if body and len(body) > LARGEST_BODY_BYTES:
        metrics.add_metric("BodyTooLarge", MetricUnit.Count, 1)
        return _answer(413)
    signature = header(event, SIGNATURE_HEADER)
    app = None if body is None else webhook.signer_of(body, signature, secret, canary_secret)
    if body is None or app is None:
        metrics.add_metric("SignatureRejected", MetricUnit.Count, 1)
        return _answer(403)
    try:
        accepted = webhook.take_meta(body, app, queue, bucket)
    except (NotEnqueued, ClientError, BotoCoreError) as failure:
        logger.error("request not enqueued", extra=describe(failure))
        return _answer(503)
    if app != CANARY_APP:  # A metric costs as much for one message an hour as for a million.
        metrics.add_metric("Accepted", MetricUnit.Count, accepted)
    return _answer(200)


def _handshake(query: dict[str, str]) -> dict[str, Any]:
    if not webhook.is_handshake(query, secret):
        return _answer(403)
    challenge = query.get("hub.challenge")
    return _answer(200, challenge) if challenge else _answer(400, "hub.challenge: is required")


def _answer(status: int, body: str = "") -> dict[str, Any]:
    return {"statusCode": status, "headers": {"Content-Type": "text/plain"}, "body": body}
