"""An AWS account in moto with what the functions of conversations use. The templates declare its tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import boto3
import yaml

from events.conversations import sample_data

if TYPE_CHECKING:
    from mypy_boto3_sqs.literals import QueueAttributeNameType

ACCOUNT: Final = "123456789012"  # moto's
REGION: Final = "us-east-1"
BUCKET: Final = "dialogues-media"
SWITCHES: Final = "/parley/dialogues"
_STACKS: Final = Path(__file__).parents[2] / "stacks"
_TABLES: Final = {
    "AUDIT_LOG_TABLE_NAME": ("console.yaml", "AuditLogTable"),
    "ATTEMPTS_TABLE_NAME": ("shared.yaml", "AttemptsTable"),
    "COMPANY_DATA_TABLE_NAME": ("conversations.yaml", "CompanyDataTable"),
    "CONVERSATIONS_TABLE_NAME": ("conversations.yaml", "ConversationsTable"),
    "CONTACTS_TABLE_NAME": ("contacts.yaml", "ContactsTable"),
    "CONVERSATION_LOG_TABLE_NAME": ("conversations.yaml", "ConversationLogTable"),
    "INBOX_TABLE_NAME": ("console.yaml", "InboxTable"),
    "SPENDING_TABLE_NAME": ("shared.yaml", "SpendingTable"),
}
# The queues that have a worker here, with their delivery delay; the others keep what is sent to them.
WORKED: Final = {
    "CONVERSATIONS_INBOUND_QUEUE_URL": 0,
    "WHATSAPP_CHANNEL_QUEUE_URL": 0,
    "SMS_CHANNEL_QUEUE_URL": 0,
    "EMAIL_CHANNEL_QUEUE_URL": 0,
    "CONVERSATIONS_REPLIES_QUEUE_URL": 1,
    "CONVERSATIONS_AGENTS_QUEUE_URL": 0,
    "CONVERSATIONS_MEDIA_QUEUE_URL": 0,
}
_KEPT: Final = (
    "CONVERSATIONS_STATUSES_QUEUE_URL",
    "WHATSAPP_QUEUE_URL",
    "EMAIL_THREADS_QUEUE_URL",
    "DEAD_LETTER_URLS",
)
_STANDARD: Final = "CONVERSATIONS_MEDIA_QUEUE_URL"
_SECRETS: Final[dict[str, Any]] = {
    "IDENTIFIER_KEYS_SECRET_ID": sample_data.IDENTIFIER_KEYS,
    "TWILIO_WEBHOOK_SECRET_ID": {"accounts": {}},
    "WHATSAPP_TOKENS_SECRET_ID": {sample_data.COMPANY: "a token of the sandbox"},
}


class _WithoutTags(yaml.CSafeLoader):
    """Loads a template; the functions of CloudFormation are left out: no part that is used here has one."""


_WithoutTags.add_multi_constructor("!", lambda *_: None)


def create() -> dict[str, str]:
    """Create everything in moto, and return the variables of the functions that name it."""
    return {
        **{name: _table(name, *place) for name, place in _TABLES.items()},
        **{name: _queue(name, delay) for name, delay in (WORKED | dict.fromkeys(_KEPT, 0)).items()},
        **{name: _secret(name, value) for name, value in _SECRETS.items()},
        **_bucket_and_switches(),
    }


def put_secret(name: str, value: dict[str, Any]) -> None:
    """Store a secret."""
    boto3.client("secretsmanager").create_secret(Name=name, SecretString=json.dumps(value))


def _table(variable: str, stack: str, logical_id: str) -> str:
    loaded = yaml.load((_STACKS / stack).read_text(), Loader=_WithoutTags)  # noqa: S506 - a SafeLoader
    wanted = loaded["Resources"][logical_id]["Properties"]
    name = variable.removesuffix("_TABLE_NAME").lower()
    parts = (
        *("KeySchema", "AttributeDefinitions", "BillingMode"),
        *("GlobalSecondaryIndexes", "LocalSecondaryIndexes"),
    )
    boto3.client("dynamodb").create_table(
        TableName=name, **{part: wanted[part] for part in parts if part in wanted}
    )
    return name


def _queue(variable: str, delay: int) -> str:
    is_fifo = variable != _STANDARD
    name = variable.removesuffix("_URL").lower().replace("_", "-")
    attributes: dict[QueueAttributeNameType, str] = {
        "DelaySeconds": str(delay),
        "VisibilityTimeout": "720",
    }
    if is_fifo:
        attributes["FifoQueue"] = "true"
    made = boto3.client("sqs").create_queue(
        QueueName=f"{name}.fifo" if is_fifo else name, Attributes=attributes
    )
    return str(made["QueueUrl"])


def _secret(variable: str, value: dict[str, Any]) -> str:
    name = variable.removesuffix("_SECRET_ID").lower()
    put_secret(name, value)
    return name


def _bucket_and_switches() -> dict[str, str]:
    boto3.client("s3").create_bucket(Bucket=BUCKET)
    parameters = boto3.client("ssm")
    for name, value in (("safe_mode", "false"), ("automation_enabled", "true")):
        parameters.put_parameter(Name=f"{SWITCHES}/{name}", Value=value, Type="String")
    return {"MEDIA_BUCKET_NAME": BUCKET, "SWITCHES_PATH": SWITCHES}


def settings(url: str, model_url: str) -> dict[str, str]:
    """
    Return the other variables of the functions and of the SDK.

    *url* is the address of the sandbox, *model_url* of the API of OpenAI.
    """
    return {
        "STAGE": "local",
        "POWERTOOLS_SERVICE_NAME": "conversations",
        "POWERTOOLS_METRICS_NAMESPACE": "Parley/dialogues",
        "POWERTOOLS_METRICS_DISABLED": "true",
        "POWERTOOLS_TRACE_DISABLED": "true",
        "POWERTOOLS_LOG_LEVEL": "CRITICAL",
        "PYDANTIC_DISABLE_PLUGINS": "true",
        "AUDIT_LOG_RETENTION_DAYS": "1",
        "CHANNEL_MAX_CONCURRENCY": "10",
        "MEDIA_MAX_CONCURRENCY": "10",
        "REPLY_MAX_CONCURRENCY": "20",
        "REPLY_MAX_WAIT_SECONDS": "45",
        "REQUEST_MAX_AGE_SECONDS": "0",
        "MAX_ATTEMPTS": "5",
        "SPENDING_PERCENT": "100",
        "SPENDING_MOST_PERCENT": "1000",
        "PROCESSOR_VERSION": "1.0.0",
        "ROUTER_VERSION": "1.0.0",
        "CORS_ORIGIN": "",
        "RELEASE": "",
        "EMAIL_CONFIGURATION_SET": "dialogues",
        "EUM_META_API_VERSION": "v20.0",
        "GRAPH_API_VERSION": "v23.0",
        "PUBLIC_BASE_URLS": "",
        "GRAPH_BASE_URL": url,
        "MEDIA_ORIGINS": url,
        "OPENAI_BASE_URL": model_url,
        "TWILIO_BASE_URL": url,
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
        "AWS_DEFAULT_REGION": REGION,
        "AWS_REGION": REGION,
        "AWS_EC2_METADATA_DISABLED": "true",
        **{f"AWS_ENDPOINT_URL_{service}": url for service in _IN_SANDBOX},
    }


_IN_SANDBOX: Final = (
    "BEDROCK_AGENT_RUNTIME",
    "BEDROCK_RUNTIME",
    "PINPOINT_SMS_VOICE_V2",
    "SESV2",
    "SOCIALMESSAGING",
)
