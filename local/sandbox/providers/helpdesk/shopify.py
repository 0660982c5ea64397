"""Shopify's Admin GraphQL API: a loose search for orders, one order by its id, the app's scopes; and its tokens."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from local.sandbox.accounts.shop import TOKEN_SECONDS
from local.sandbox.providers.helpdesk.graphql import Field, QueryBroken, parse, project
from local.sandbox.providers.interface import Answer, Call, Endpoint, Provider, Refused, parse_json
from local.sandbox.responses import json_response

if TYPE_CHECKING:
    from starlette.responses import Response

    from local.sandbox.accounts.shop import OrderSeed

_MOST = 250
_VERSION = re.compile(r"20\d\d-(01|04|07|10)|unstable")
_TERM = re.compile(r'name:(?:"([^"\\]*)"|([^\s"]+))')
_BUCKET = {"maximumAvailable": 2000.0, "currentlyAvailable": 3, "restoreRate": 100.0}
_COST = {"requestedQueryCost": 12, "actualQueryCost": None, "throttleStatus": _BUCKET}


def failure(status: int) -> Response:
    """Return the API's failure; the rate limit error has HTTP status 200."""
    if status == 429:  # noqa: PLR2004 - too many requests
        errors = [{"message": "Throttled", "extensions": {"code": "THROTTLED"}}]
        return json_response({"errors": errors, "extensions": {"cost": _COST}})
    return json_response({"errors": "A fault of the sandbox"}, status)


async def access_token(call: Call) -> Answer:
    """`POST /admin/oauth/access_token`: exchange client credentials for a token that is valid for 24 hours."""
    try:
        body = parse_json(call.raw)
    except ValueError:
        raise Refused(json_response({"error": "invalid_request"}, 400)) from None
    if not isinstance(body, dict) or body.get("grant_type") != "client_credentials":
        raise Refused(json_response({"error": "unsupported_grant_type"}, 400))
    shop = call.sandbox.shop
    if (body.get("client_id"), body.get("client_secret")) != shop.client:
        raise Refused(json_response({"error": "invalid_client"}, 401))
    if not shop.is_installed:
        raise Refused(json_response({"error": "app_not_installed"}, 400))
    token = shop.issue_token(call.sandbox.clock.now())
    answer = {"access_token": token, "scope": ",".join(shop.scopes), "expires_in": TOKEN_SECONDS}
    return Answer(json_response(answer), None)


async def query(call: Call) -> Answer:
    """`POST /admin/api/{version}/graphql.json`."""
    token = call.request.headers.get("x-shopify-access-token", "").strip()
    if not token or not call.sandbox.shop.accepts(token, call.sandbox.clock.now()):
        message = "[API] Invalid API key or access token (unrecognized login or wrong password)"
        raise Refused(json_response({"errors": message}, 401))
    if not _VERSION.fullmatch(call.request.path_params["version"]):
        raise Refused(json_response({"errors": "Not Found"}, 404))
    try:
        body = parse_json(call.raw)
        fields = parse(body["query"], body.get("variables") or {})
        data = {field.name: _resolved(call, field) for field in fields}
    except (ValueError, KeyError, TypeError):
        errors: object = {"query": "Required parameter missing or invalid"}
        raise Refused(json_response({"errors": errors}, 400)) from None
    except QueryBroken as broken:
        errors = [{"message": str(broken), "extensions": {"code": "undefinedField"}}]
        raise Refused(json_response({"errors": errors})) from None
    return Answer(json_response({"data": data}), body)


def _resolved(call: Call, field: Field) -> Any:  # noqa: ANN401 - any JSON value
    orders = call.sandbox.shop.orders
    if field.name == "order":
        order = orders.get(str(field.arguments["id"]).rpartition("/")[2])
        return project(field, order.as_node()) if order else None
    if field.name == "currentAppInstallation":
        scopes = [{"handle": scope} for scope in call.sandbox.shop.scopes]
        return project(field, {"accessScopes": scopes})
    if field.name != "orders":
        raise QueryBroken(f"Field '{field.name}' doesn't exist on type 'QueryRoot'")
    first = field.arguments.get("first")
    if not isinstance(first, int) or not 1 <= first <= _MOST:
        raise QueryBroken("you must provide one of first or last")
    matching = _search(call, str(field.arguments.get("query", "")))[:first]
    return project(field, {"nodes": [order.as_node() for order in matching]})


def _search(call: Call, text: str) -> list[OrderSeed]:
    """Return matching orders; an unknown filter matches all, as in the real API."""
    term = _TERM.fullmatch(text)
    return call.sandbox.shop.search_orders((term[1] or term[2] or "") if term else "")


PROVIDER = Provider(
    name="shopify",
    endpoints=(
        Endpoint("POST", "/admin/api/{version}/graphql.json", ("query",), query),
        Endpoint("POST", "/admin/oauth/access_token", ("access_token",), access_token),
    ),
    failure=failure,
)
