"""HTTP API of the inbox: GET /whatsapp/conversations, /whatsapp/conversations/{key}/messages, /whatsapp/analytics."""

from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import boto3
from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.utilities.typing import LambdaContext
from botocore.config import Config

from shared.api import rest
from shared.api.auth import Scope
from shared.aws.dynamodb import Table
from shared.aws.s3 import Bucket
from shared.aws.secrets import JsonSecret
from shared.runtime.settings import Settings
from whatsapp.api import analytics, queries
from whatsapp.api.analytics import AnalyticsQuery
from whatsapp.api.queries import ConversationsQuery, MessagesQuery, NotFound, PhoneRequired


@dataclass(frozen=True, kw_only=True)
class ApiSettings(Settings):
    """The environment of this function."""

    messages_table_name: str
    media_bucket_name: str
    api_seal_secret_id: str


settings = ApiSettings.load()
# Links must be signed with version 4: newer buckets and regions reject boto3's default signature.
signing = Config(signature_version="s3v4")
source = queries.Source(
    table=Table(boto3.client("dynamodb"), settings.messages_table_name),
    bucket=Bucket(lambda: boto3.client("s3", config=signing), settings.media_bucket_name),
    seal_secret=JsonSecret(lambda: boto3.client("secretsmanager"), settings.api_seal_secret_id),
)
app = rest.resolver(
    {NotFound: rest.NOT_FOUND, PhoneRequired: (HTTPStatus.BAD_REQUEST, "phone_required")}
)


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """API Gateway proxy event in, proxy response out."""
    return rest.respond(app, event, context)


@app.get("/whatsapp/conversations")
def list_conversations() -> Response[str]:
    """List the conversations of one number, newest first. Query: phone, archived, limit, cursor."""
    caller = rest.caller(app, Scope.WHATSAPP_READ)
    query = rest.query(app, ConversationsQuery)
    page = queries.conversations(source, caller.company, query)
    return rest.page(app, page.result, page.cursor)


@app.get("/whatsapp/conversations/<key>/messages")
def list_messages(key: str) -> Response[str]:
    """List the messages of one conversation, newest first. Query: limit, cursor."""
    caller = rest.caller(app, Scope.WHATSAPP_READ)
    page = queries.messages(source, caller.company, key, rest.query(app, MessagesQuery))
    return rest.page(app, page.result, page.cursor)


@app.get("/whatsapp/analytics")
def list_analytics() -> Response[str]:
    """List the counted days of one account, oldest first. Query: waba, from, to."""
    caller = rest.caller(app, Scope.WHATSAPP_READ)
    page = analytics.analytics(source.table, caller.company, rest.query(app, AnalyticsQuery))
    return rest.page(app, page.result, page.cursor)
