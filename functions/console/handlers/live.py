"""
WebSocket API of live updates: $connect with a ticket, $disconnect, and the messages of clients.

A message gets no answer. Errors close no connection, except that $connect refuses one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from console.live import messages
from console.store import tickets
from shared.api.errors import InvalidInput
from shared.aws.dynamodb import Table
from shared.inbox.live import connections
from shared.inbox.live.posts import Live
from shared.runtime.failures import Transient
from shared.runtime.observability import describe, logger, write_metrics
from shared.runtime.settings import Settings, Url

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

TICKET = re.compile(r"[A-Za-z0-9_-]{43}")
QUICK = Config(connect_timeout=1, read_timeout=2, retries={"total_max_attempts": 3})


@dataclass(frozen=True, kw_only=True)
class LiveSettings(Settings):
    """The environment of this function."""

    live_table_name: str
    api_keys_table_name: str
    live_endpoint: Url
    inbox_table_name: str


settings = LiveSettings.load()
dynamodb = boto3.client("dynamodb", config=QUICK)
deps = messages.LiveDependencies(
    live=Live(
        Table(dynamodb, settings.live_table_name),
        Table(dynamodb, settings.api_keys_table_name),
        settings.live_endpoint,
    ),
    inbox=Table(dynamodb, settings.inbox_table_name),
)


def handler(event: dict[str, Any], _context: LambdaContext) -> dict[str, Any]:
    """Event of API Gateway's WebSocket API in, status out."""
    request = event["requestContext"]
    route, connection_id = request["routeKey"], request["connectionId"]
    try:
        status = _ROUTES.get(route, _message)(event, connection_id)
    except (ClientError, BotoCoreError, Transient) as failure:
        logger.error("live call failed", extra=describe(failure))
        status = HTTPStatus.SERVICE_UNAVAILABLE
    finally:
        write_metrics()
    facts = {"correlation_id": request["requestId"], "route": route, "status": int(status)}
    logger.info("live call answered", extra=facts)
    return {"statusCode": int(status)}


def _connect(event: dict[str, Any], connection_id: str) -> HTTPStatus:
    ticket = (event.get("queryStringParameters") or {}).get("ticket", "")
    if not TICKET.fullmatch(ticket):
        return HTTPStatus.UNAUTHORIZED
    opened = tickets.consume(deps.live, ticket, connection_id)
    return HTTPStatus.OK if opened else HTTPStatus.UNAUTHORIZED


def _disconnect(_event: dict[str, Any], connection_id: str) -> HTTPStatus:
    key = connections.key_of(deps.live.table, connection_id)
    if key is not None:
        connections.remove(deps.live.table, key)
    return HTTPStatus.OK


def _message(event: dict[str, Any], connection_id: str) -> HTTPStatus:
    try:
        messages.take(deps, connection_id, event.get("body") or "")
    except InvalidInput:
        return HTTPStatus.BAD_REQUEST
    return HTTPStatus.OK


_ROUTES = {"$connect": _connect, "$disconnect": _disconnect, "$default": _message}
