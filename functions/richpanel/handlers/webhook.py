"""POST /webhooks/richpanel: queues the help desk's webhook calls."""

import json
from dataclasses import dataclass
from typing import Any, Literal

import boto3
from aws_lambda_powertools.metrics import MetricUnit
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from richpanel.inbound import webhook
from richpanel.inbound.channels import channel_names
from richpanel.inbound.payloads import Unreadable
from shared.api.proxy_event import has_header, header, raw_body
from shared.aws.secrets import JsonSecret, SecretUnreadable
from shared.aws.sqs_fifo import FifoQueue, NotEnqueued
from shared.runtime.observability import describe, logger, metrics
from shared.runtime.settings import Settings

LARGEST_BODY_BYTES = 32 << 10
TOKEN_HEADERS = ("x-middleware-token", "x-richpanel-webhook-token")
TIMESTAMP_HEADER = "x-timestamp"
SIGNATURE_HEADER = "x-signature"


@dataclass(frozen=True, kw_only=True)
class WebhookSettings(Settings):
    """The environment of this function."""

    richpanel_queue_url: str
    richpanel_live_queue_url: str
    richpanel_webhook_secret_id: str
    auth_mode: Literal["token", "hmac", "either"]
    channel_names: tuple[str, ...]


settings = WebhookSettings.load()
# Two attempts each at the secret and at the queue fit into the function's timeout (5 s).
quick = Config(connect_timeout=0.5, read_timeout=0.7, retries={"total_max_attempts": 2})
sqs = boto3.client("sqs", config=quick)  # every call needs it
queues = webhook.EventQueues(
    mail=FifoQueue(lambda: sqs, settings.richpanel_queue_url),
    live=FifoQueue(lambda: sqs, settings.richpanel_live_queue_url),
)
secret = JsonSecret(
    lambda: boto3.client("secretsmanager", config=quick), settings.richpanel_webhook_secret_id
)
channels = channel_names(settings.channel_names)


class Refused(Exception):
    """The call is refused, with this response status and code."""

    def __init__(self, status: int, code: str) -> None:
        super().__init__(code)
        self.status, self.code = status, code


@metrics.log_metrics
def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """API Gateway proxy event in, proxy response out."""
    metrics.add_metric("Received", MetricUnit.Count, 1)
    try:
        body = _verified(event)
        taken = webhook.enqueue(body, event["requestContext"]["requestId"], queues, channels)
    except Refused as refused:
        return _refused(refused.status, refused.code)
    except Unreadable as unreadable:
        return _refused(400, unreadable.code)
    except (NotEnqueued, ClientError, BotoCoreError) as failure:
        logger.error("request not enqueued", extra=describe(failure))
        return _refused(503, "unavailable")
    metrics.add_metric("Accepted", MetricUnit.Count, len(taken))
    first = taken[0].event_id
    return _answer(200, {"status": "accepted", "accepted": len(taken), "event_id": first})


def _verified(event: dict[str, Any]) -> bytes:
    """Return the body after checking its size, authenticity and content type. Raises Refused."""
    body = raw_body(event)
    if body is not None and len(body) > LARGEST_BODY_BYTES:
        raise Refused(413, "too_large")
    try:
        is_authentic = webhook.is_authentic(_call(event, body), secret, settings.auth_mode)
    except (webhook.NoActiveSecret, SecretUnreadable) as failure:
        metrics.add_metric("SecretEmpty", MetricUnit.Count, 1)
        logger.error("no active secret", extra=describe(failure))
        is_authentic = False
    if not is_authentic:
        metrics.add_metric("SignatureRejected", MetricUnit.Count, 1)
        raise Refused(401, "unauthorized")
    if header(event, "content-type").partition(";")[0].strip().lower() != "application/json":
        raise Refused(415, "unsupported_media_type")
    return body or b""


def _call(event: dict[str, Any], body: bytes | None) -> webhook.Call:
    first, second = TOKEN_HEADERS
    return webhook.Call(
        body=body,
        token=header(event, first) or header(event, second),
        timestamp=header(event, TIMESTAMP_HEADER),
        signature=header(event, SIGNATURE_HEADER),
        is_signed=has_header(event, TIMESTAMP_HEADER) or has_header(event, SIGNATURE_HEADER),
    )


def _refused(status: int, code: str) -> dict[str, Any]:
    """Log and return the response to a refused call. *code* is one of Parley's codes, never input."""
    logger.info("refused", extra={"status": status, "reason": code})
    return _answer(status, {"status": "error", "code": code})


def _answer(status: int, body: dict[str, Any]) -> dict[str, Any]:
    headers = {"Content-Type": "application/json"}
    return {"statusCode": status, "headers": headers, "body": json.dumps(body)}
