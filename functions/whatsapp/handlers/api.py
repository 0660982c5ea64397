"""HTTP API of the inbox: GET /whatsapp/conversations, /whatsapp/conversations/{key}/messages, /whatsapp/analytics."""

from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import boto3
from aws_lambda_powertools.utilities.typing import LambdaContext
from botocore.config import Config

from shared.api.auth import Scope
from shared.api.cursors import Page
from shared.api.routing import Request, Routes
from shared.aws.dynamodb import Table
from shared.aws.s3 import Bucket
from shared.aws.secrets import JsonSecret
from shared.runtime.settings import Settings
from whatsapp.api import analytics, inputs, queries, views
from whatsapp.api.queries import NotFound, PhoneRequired


@dataclass(frozen=True, kw_only=True)
class ApiSettings(Settings):
    """The environment of this function."""

    messages_table_name: str
    media_bucket_name: str
    api_seal_secret_id: str


settings = ApiSettings.load()
# Links must be signed with version 4: newer buckets and regions reject boto3's default signature.
signing = Config(signature_version="s3v4")
deps = queries.ApiDependencies(
    table=Table(boto3.client("dynamodb"), settings.messages_table_name),
    bucket=Bucket(lambda: boto3.client("s3", config=signing), settings.media_bucket_name),
    seal_secret=JsonSecret(lambda: boto3.client("secretsmanager"), settings.api_seal_secret_id),
)
routes = Routes(
    title="Parley: WhatsApp inbox",
    document="/whatsapp/openapi.json",
    errors={
        NotFound: (HTTPStatus.NOT_FOUND, "not_found"),
        PhoneRequired: (HTTPStatus.BAD_REQUEST, "phone_required"),
    },
)


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """API Gateway proxy event in, proxy response out."""
    return routes.respond(event, context)


@routes.reads(
    "GET /whatsapp/conversations",
    Scope.WHATSAPP_READ,
    input_model=inputs.ConversationsQuery,
    result=views.Conversations,
)
def list_conversations(request: Request[inputs.ConversationsQuery]) -> Page[views.Conversations]:
    """List the conversations of one number, newest first."""
    return queries.conversations(deps, request.caller.company, request.input)


@routes.reads(
    "GET /whatsapp/conversations/{key}/messages",
    Scope.WHATSAPP_READ,
    input_model=inputs.MessagesQuery,
    result=views.Messages,
)
def list_messages(request: Request[inputs.MessagesQuery], key: str) -> Page[views.Messages]:
    """List the messages of one conversation, newest first."""
    return queries.messages(deps, request.caller.company, key, request.input)


@routes.reads(
    "GET /whatsapp/analytics",
    Scope.WHATSAPP_READ,
    input_model=inputs.AnalyticsQuery,
    result=views.AnalyticsDays,
)
def list_analytics(request: Request[inputs.AnalyticsQuery]) -> Page[views.AnalyticsDays]:
    """List the counted days of one account, oldest first."""
    return analytics.analytics(deps.table, request.caller.company, request.input)
