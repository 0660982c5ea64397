"""
HTTP API of administrators: parked events and dead letters; erasure and export of contacts; voice notes as text.

The function also answers calls of requests about a person over all contexts.
"""

from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from typing import Any

import boto3
from aws_lambda_powertools.utilities.typing import LambdaContext
from botocore.config import Config

from shared.api.audit_log.log import AuditedSettings
from shared.api.auth import Scope
from shared.api.idempotency import Requests
from shared.api.routing.routes import Routes
from shared.aws.dead_letters import DeadLetters
from shared.aws.dynamodb import Table
from shared.aws.s3 import Bucket
from shared.aws.secrets import JsonSecret
from shared.aws.sqs_fifo import FifoQueue
from shared.aws.sqs_standard import StandardQueue
from shared.events.recovery.routes import ERRORS, RecoveryRoutes
from shared.identity import keyed_hashes
from shared.privacy import PART, part_calls
from shared.privacy import settings as privacy_settings
from whatsapp.api.conversations.transcripts import TranscriptRoutes
from whatsapp.api.queries import NotFound
from whatsapp.privacy.requests import WhatsAppPart, jobs_of
from whatsapp.privacy.routes import PrivacyRoutes
from whatsapp.recovery.bootstrap import recovery_of
from whatsapp.store.conversations.inbox_heads import WhatsAppHeads
from whatsapp.store.items.sending.requests import Idempotency


@dataclass(frozen=True, kw_only=True)
class AdminSettings(AuditedSettings):
    """The environment of this function."""

    messages_table_name: str
    media_bucket_name: str
    whatsapp_queue_url: str
    whatsapp_jobs_queue_url: str
    whatsapp_campaigns_queue_url: str
    whatsapp_dead_letters_url: str
    whatsapp_jobs_dead_letters_url: str
    whatsapp_campaigns_dead_letters_url: str
    whatsapp_social_dead_letters_url: str
    social_topic_arns: tuple[str, ...]
    api_seal_secret_id: str
    identifier_keys_secret_id: str
    contacts_table_name: str


settings = AdminSettings.load()
# boto3's default timeout is a minute, and API Gateway's half of that.
quick = Config(connect_timeout=2, read_timeout=5, retries={"total_max_attempts": 2})
sqs = cache(lambda: boto3.client("sqs", config=quick))
dynamodb = boto3.client("dynamodb", config=quick)
table = Table(dynamodb, settings.messages_table_name)
# Links must be signed with version 4: newer buckets and regions reject boto3's default signature.
signing = quick.merge(Config(signature_version="s3v4"))
bucket = Bucket(lambda: boto3.client("s3", config=signing), settings.media_bucket_name)
queue = FifoQueue(sqs, settings.whatsapp_queue_url)
seal_secret = JsonSecret(lambda: boto3.client("secretsmanager"), settings.api_seal_secret_id)
keyed_hashes.configure(
    JsonSecret(
        lambda: boto3.client("secretsmanager", config=quick), settings.identifier_keys_secret_id
    )
)
jobs = StandardQueue(sqs, settings.whatsapp_jobs_queue_url)
privacy_jobs = jobs_of(table, bucket, queue)
recovery = recovery_of(
    table=table,
    bucket=bucket,
    queue=queue,
    files=jobs,
    campaigns=StandardQueue(sqs, settings.whatsapp_campaigns_queue_url),
    dead_letters=DeadLetters(sqs, settings.whatsapp_dead_letters_url),
    media_dead_letters=DeadLetters(sqs, settings.whatsapp_jobs_dead_letters_url),
    campaign_dead_letters=DeadLetters(sqs, settings.whatsapp_campaigns_dead_letters_url),
    social_dead_letters=DeadLetters(sqs, settings.whatsapp_social_dead_letters_url),
    social_topics=settings.social_topic_arns,
)
routes = Routes(
    title="Parley: WhatsApp recovery and privacy",
    document="/whatsapp/recovery/openapi.json",
    errors={
        **ERRORS,
        **privacy_settings.ERRORS,
        NotFound: (HTTPStatus.NOT_FOUND, "not_found"),
    },
    requests=Requests(table, Idempotency),
    audit_log=settings.audit_log(dynamodb),
)
RecoveryRoutes(recovery=recovery, seal_secret=seal_secret).declare(
    routes, read=(Scope.WHATSAPP_READ,), replay=(Scope.WHATSAPP_ADMIN,)
)
routes.add(TranscriptRoutes(table, jobs))
routes.add(PrivacyRoutes(privacy_jobs, Table(dynamodb, settings.contacts_table_name), seal_secret))


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """API Gateway proxy event in, proxy response out; a call of a request about a person has an answer of its own."""
    if PART in event:
        return part_calls.answer(WhatsAppPart(jobs=privacy_jobs), WhatsAppHeads(table), event[PART])
    return routes.respond(event, context)
