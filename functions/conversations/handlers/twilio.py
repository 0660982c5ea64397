"""POST /webhooks/twilio and /webhooks/twilio/status: enqueues messages and delivery statuses from Twilio."""

from dataclasses import dataclass
from typing import Any

import boto3
from aws_lambda_powertools.metrics import MetricUnit
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from conversations.inbound.webhooks import twilio_events, twilio_signature
from conversations.inbound.webhooks.twilio_signature import Call
from shared.api.proxy_event import has_header, header, raw_body
from shared.aws.secrets import JsonSecret, SecretUnreadable
from shared.aws.sqs_fifo import FifoQueue, NotEnqueued
from shared.events.exchange import inbound_entry, status_entry
from shared.runtime import clock
from shared.runtime.observability import describe, logger, metrics
from shared.runtime.settings import Settings, Url

# The longest text, 1,600 characters, takes 19 KB as a form. The gap check finds messages of rejected larger calls.
LARGEST_BODY_BYTES = 64 << 10
SIGNATURE_HEADER = "x-twilio-signature"
SETTINGS_HEADER = "x-twilio-webhooks-signature-settings"
STATUS_ROUTE = "/webhooks/twilio/status"
ACTION_PARAMETER = "a"
# TwiML without a reply to the customer.
NO_REPLY = "<Response/>"


@dataclass(frozen=True, kw_only=True)
class TwilioSettings(Settings):
    """Environment variables of this function."""

    conversations_inbound_queue_url: str
    conversations_statuses_queue_url: str
    twilio_webhook_secret_id: str
    public_base_urls: tuple[Url, ...]


settings = TwilioSettings.load()
# Twilio waits 15 s and usually calls once: two attempts each for stale secret, fresh secret and queue take at most 9 s.
quick = Config(connect_timeout=0.5, read_timeout=1, retries={"total_max_attempts": 2})
sqs = boto3.client("sqs", config=quick)  # created at start: every event needs it
inbound = FifoQueue(lambda: sqs, settings.conversations_inbound_queue_url)
statuses = FifoQueue(lambda: sqs, settings.conversations_statuses_queue_url)
secret = JsonSecret(
    lambda: boto3.client("secretsmanager", config=quick), settings.twilio_webhook_secret_id
)


@metrics.log_metrics
def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """Handle an API Gateway proxy event and return the proxy response."""
    metrics.add_metric("Received", MetricUnit.Count, 1)
    body = raw_body(event)
    if body and _is_too_large(event, body):
        metrics.add_metric("BodyTooLarge", MetricUnit.Count, 1)
        return _answer(413)
    try:
        call = None if body is None else _call(event, body)
        account = _signer_of(call) if call else None
        if call is None or account is None:
            metrics.add_metric("SignatureRejected", MetricUnit.Count, 1)
            return _answer(403)
        _take(event, call, account)
    except SecretUnreadable as failure:
        metrics.add_metric("SecretEmpty", MetricUnit.Count, 1)
        logger.error("no active secret", extra=describe(failure))
        return _answer(503)
    except (NotEnqueued, ClientError, BotoCoreError) as failure:
        logger.error("request not enqueued", extra=describe(failure))
        return _answer(503)
    metrics.add_metric("Accepted", MetricUnit.Count, 1)
    return _answer(200, NO_REPLY)


def _is_too_large(event: dict[str, Any], body: bytes) -> bool:
    return len(body) > LARGEST_BODY_BYTES or twilio_signature.has_too_many_fields(
        body, is_json=_is_json(event), query=twilio_signature.query_of(event)
    )


def _is_json(event: dict[str, Any]) -> bool:
    content_type = header(event, "content-type").partition(";")[0].strip().lower()
    return content_type == "application/json"


def _call(event: dict[str, Any], body: bytes) -> Call:
    query = twilio_signature.query_of(event)
    return Call(
        body=body,
        is_json=_is_json(event),
        urls=twilio_signature.urls_of(event, settings.public_base_urls),
        signature=header(event, SIGNATURE_HEADER),
        settings=header(event, SETTINGS_HEADER) if has_header(event, SETTINGS_HEADER) else None,
        body_hashes=[value for name, value in query if name == "bodySHA256"],
    )


def _signer_of(call: Call) -> str | None:
    """Return the account that signed the call, or None if no known account did. New tokens apply within a minute."""
    account = twilio_signature.signer_of(call, secret.value().get("accounts"))
    if account is None and secret.refreshed():
        account = twilio_signature.signer_of(call, secret.value().get("accounts"))
    return account


def _take(event: dict[str, Any], call: Call, account: str) -> None:
    """Enqueue the event of a verified call. Raises NotEnqueued and the errors of the SDK."""
    fields = twilio_signature.fields_of(call.body, is_json=call.is_json)
    now = clock.now_ms()
    if event["resource"] == STATUS_ROUTE:
        actions = [v for name, v in twilio_signature.query_of(event) if name == ACTION_PARAMETER]
        action_id = actions[0] if len(actions) == 1 else None
        status = twilio_events.delivery_status(fields, account, action_id, now)
        statuses.send([status_entry(status)])
    else:
        inbound.send([inbound_entry(twilio_events.inbound_message(fields, account, now))])


def _answer(status: int, body: str = "") -> dict[str, Any]:
    return {"statusCode": status, "headers": {"Content-Type": "text/xml"}, "body": body}
