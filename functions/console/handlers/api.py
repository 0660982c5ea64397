"""HTTP API of the inbox over all contexts: GET /inbox."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import boto3

from console.api import inbox, inputs, views
from shared.api.routing import Request, Routes
from shared.aws.dynamodb import Table
from shared.aws.secrets import JsonSecret
from shared.runtime.settings import Settings

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

    from shared.api.cursors import Page


@dataclass(frozen=True, kw_only=True)
class InboxApiSettings(Settings):
    """The environment of this function."""

    inbox_table_name: str
    api_seal_secret_id: str


settings = InboxApiSettings.load()
deps = inbox.InboxDependencies(
    table=Table(boto3.client("dynamodb"), settings.inbox_table_name),
    seal_secret=JsonSecret(lambda: boto3.client("secretsmanager"), settings.api_seal_secret_id),
)
routes = Routes(title="Parley: inbox over all contexts", document="/inbox/openapi.json", errors={})


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """API Gateway proxy event in, proxy response out."""
    return routes.respond(event, context)


@routes.reads(
    "GET /inbox",
    *inbox.SCOPES.values(),
    input_model=inputs.InboxQuery,
    result=views.Inbox,
)
def list_inbox(request: Request[inputs.InboxQuery]) -> Page[views.Inbox]:
    """List the conversations of all contexts that the key may read, newest first."""
    return inbox.conversations(deps, request.caller, request.input)
