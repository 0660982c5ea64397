"""HTTP API of the inbox over all contexts, GET /inbox, and of tickets for live updates, POST /live/tickets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import boto3

from console.api import inbox, inputs, live, views
from shared.api.inputs import NoInput
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
    live_table_name: str
    live_url: str


settings = InboxApiSettings.load()
dynamodb = boto3.client("dynamodb")
live_table = Table(dynamodb, settings.live_table_name)
deps = inbox.InboxDependencies(
    table=Table(dynamodb, settings.inbox_table_name),
    live=live_table,
    seal_secret=JsonSecret(lambda: boto3.client("secretsmanager"), settings.api_seal_secret_id),
)
live_deps = live.TicketDependencies(table=live_table, live_url=settings.live_url)
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


@routes.reads(
    "POST /live/tickets",
    *inbox.SCOPES.values(),
    input_model=NoInput,
    result=views.LiveTicket,
)
def issue_live_ticket(request: Request[NoInput]) -> views.LiveTicket:
    """Issue a one-time ticket for a WebSocket connection that receives hints of changes."""
    return live.ticket(live_deps, request.caller)
