"""POST /webhooks/whatsapp/flows: the encrypted data endpoint of WhatsApp Flows. Nothing decrypted is logged."""

from dataclasses import dataclass
from typing import Any

import boto3
from aws_lambda_powertools.metrics import MetricUnit
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from shared.api.proxy_event import header, raw_body
from shared.aws.dynamodb import Table
from shared.aws.secrets import JsonSecret, SecretUnreadable
from shared.providers.company_secrets import CompanySecrets
from shared.runtime.failures import Transient
from shared.runtime.observability import describe, logger, metrics
from shared.runtime.settings import Settings, is_local_stage
from whatsapp.inbound import webhook
from whatsapp.inbound.flows import exchange
from whatsapp.inbound.flows.endpoint import Endpoints
from whatsapp.inbound.flows.keys import PrivateKeys

SIGNATURE_HEADER = "x-hub-signature-256"
BAD_SIGNATURE = 432  # Meta, "Endpoint error codes": the client shows an error
LARGEST_BODY_BYTES = 1 << 20


@dataclass(frozen=True, kw_only=True)
class FlowsSettings(Settings):
    """The environment of this function."""

    messages_table_name: str
    whatsapp_app_secret_id: str
    flow_keys_path: str


settings = FlowsSettings.load()
# The customer waits in front of the form.
quick = Config(connect_timeout=1, read_timeout=2, retries={"total_max_attempts": 2})
table = Table(boto3.client("dynamodb", config=quick), settings.messages_table_name)
secret = JsonSecret(
    lambda: boto3.client("secretsmanager", config=quick), settings.whatsapp_app_secret_id
)
endpoints = Endpoints(
    secrets=CompanySecrets(lambda: boto3.client("secretsmanager", config=quick)),
    loopback=is_local_stage(),
)
private_keys = PrivateKeys(lambda: boto3.client("ssm", config=quick), settings.flow_keys_path)


@metrics.log_metrics
def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """
    API Gateway proxy event in, proxy response out.

    The query parameter `account` names the business account whose keys decrypt the body.
    """
    metrics.add_metric("FlowRequests", MetricUnit.Count, 1)
    body = raw_body(event)
    if body and len(body) > LARGEST_BODY_BYTES:
        return _answer(413)
    account = str((event.get("queryStringParameters") or {}).get("account") or "")
    try:
        signature = header(event, SIGNATURE_HEADER)
        if body is None or webhook.signer_of(body, signature, secret, None) is None:
            metrics.add_metric("SignatureRejected", MetricUnit.Count, 1)
            return _answer(BAD_SIGNATURE)
        named = account if account.isdecimal() else ""
        reply = exchange.answer(table, private_keys, endpoints, named, body)
    except (ClientError, BotoCoreError, SecretUnreadable, Transient) as failure:
        logger.error("form request not answered", extra=describe(failure))
        return _answer(503)
    return _answer(reply.status, reply.body)


def _answer(status: int, body: str = "") -> dict[str, Any]:
    headers = {"Content-Type": "text/plain", "Cache-Control": "no-store"}
    return {"statusCode": int(status), "headers": headers, "body": body}
