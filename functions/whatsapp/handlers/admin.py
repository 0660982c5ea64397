"""HTTP API for events that could not be processed: lists and requeues parked events and dead letters."""

from dataclasses import dataclass
from typing import Any

import boto3
from aws_lambda_powertools.utilities.typing import LambdaContext
from botocore.config import Config

from shared.api.auth import Scope
from shared.api.idempotency import Requests
from shared.api.routing import Routes
from shared.aws.dead_letters import DeadLetters
from shared.aws.dynamodb import Table
from shared.aws.s3 import Bucket
from shared.aws.secrets import JsonSecret
from shared.aws.sqs_fifo import FifoQueue
from shared.aws.sqs_standard import StandardQueue
from shared.recovery.routes import ERRORS, RecoveryRoutes
from shared.runtime.settings import Settings
from whatsapp.recovery.bootstrap import recovery_of
from whatsapp.store.items.requests import Idempotency


@dataclass(frozen=True, kw_only=True)
class AdminSettings(Settings):
    """The environment of this function."""

    messages_table_name: str
    media_bucket_name: str
    whatsapp_queue_url: str
    whatsapp_media_queue_url: str
    whatsapp_dead_letters_url: str
    whatsapp_media_dead_letters_url: str
    whatsapp_social_dead_letters_url: str
    social_topic_arns: tuple[str, ...]
    api_seal_secret_id: str


settings = AdminSettings.load()
# boto3's default timeout is a minute, and API Gateway's half of that.
quick = Config(connect_timeout=2, read_timeout=5, retries={"total_max_attempts": 2})
sqs = boto3.client("sqs", config=quick)
table = Table(boto3.client("dynamodb", config=quick), settings.messages_table_name)
recovery = recovery_of(
    table=table,
    bucket=Bucket(lambda: boto3.client("s3", config=quick), settings.media_bucket_name),
    queue=FifoQueue(lambda: sqs, settings.whatsapp_queue_url),
    files=StandardQueue(lambda: sqs, settings.whatsapp_media_queue_url),
    dead_letters=DeadLetters(sqs, settings.whatsapp_dead_letters_url),
    media_dead_letters=DeadLetters(sqs, settings.whatsapp_media_dead_letters_url),
    social_dead_letters=DeadLetters(sqs, settings.whatsapp_social_dead_letters_url),
    social_topics=settings.social_topic_arns,
)
routes = Routes(
    title="Parley: WhatsApp recovery",
    document="/whatsapp/recovery/openapi.json",
    errors=ERRORS,
    requests=Requests(table, Idempotency),
)
RecoveryRoutes(
    recovery=recovery,
    seal_secret=JsonSecret(lambda: boto3.client("secretsmanager"), settings.api_seal_secret_id),
).declare(routes, read=(Scope.WHATSAPP_READ,), replay=(Scope.WHATSAPP_ADMIN,))


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """API Gateway proxy event in, proxy response out."""
    return routes.respond(event, context)
