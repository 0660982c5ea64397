"""
Richpanel's API: tickets, tags, replies, teams, and the order linked to a ticket.

Undocumented behaviour is simulated as observed: lists have singular names, tags are named by name or id.
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from local.sandbox.accounts.tickets import CommentSeed, Ticket
from local.sandbox.providers.interface import Answer, Call, Endpoint, Provider, Refused, parse_json
from local.sandbox.responses import json_response

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.responses import Response

_LARGEST_PAGE = 100
_LIST_PARAMETERS = frozenset(
    {"status", "per_page", "page", "order", "sortKey", "updated_at", "appClientId"}
)
_MESSAGES = {
    400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 422: "Unprocessable Entity",
    429: "Too Many Requests", 500: "Internal Server Error", 502: "Bad Gateway", 503: "Service Unavailable",
}  # fmt: skip


def failure(status: int) -> Response:
    """Return the API's failure with this HTTP status."""
    headers = {"Retry-After": "1"} if status == 429 else None  # noqa: PLR2004 - too many requests
    return json_response({"message": _MESSAGES.get(status, "Error")}, status, headers)


def refused(status: int, rule: str) -> Refused:
    """Return a refusal that names the rule."""
    return Refused(json_response({"message": _MESSAGES[status], "error": rule}, status))


def _limited(act: Callable[[Call], Awaitable[Answer]]) -> Callable[[Call], Awaitable[Answer]]:
    """Check the API key and the request limit before a request."""

    @wraps(act)
    async def limited(call: Call) -> Answer:
        if not call.request.headers.get("x-richpanel-key", "").strip():
            raise refused(401, "the header x-richpanel-key is missing")
        seconds = call.sandbox.help_desk.window.refused_for(call.sandbox.clock.now())
        if seconds is not None:
            response = failure(429)
            response.headers["Retry-After"] = str(seconds)
            raise Refused(response)
        return await act(call)

    return limited


@_limited
async def list_tickets(call: Call) -> Answer:
    """`GET /v1/tickets`: a page of tickets without comments, sorted by the time of their last change."""
    query = dict(call.request.query_params)
    if unknown := query.keys() - _LIST_PARAMETERS:
        raise refused(400, f"unknown parameter {sorted(unknown)[0]}")
    if query.get("sortKey", "updatedAt") not in {"updatedAt", "createdAt"}:
        raise refused(400, "sortKey must be updatedAt or createdAt")
    if query.get("order", "DESC") not in {"ASC", "DESC"}:
        raise refused(400, "order must be ASC or DESC")
    page, size = _number(query, "page", 1), _number(query, "per_page", 30)
    if size > _LARGEST_PAGE:
        raise refused(400, f"per_page must be at most {_LARGEST_PAGE}")
    matching = [
        ticket
        for ticket in call.sandbox.help_desk.tickets.values()
        if query.get("status") in (None, ticket.status)
        and ticket.updated_at >= query.get("updated_at", "")
    ]
    matching.sort(
        key=lambda t: t.created_at if query.get("sortKey") == "createdAt" else t.updated_at,
        reverse=query.get("order", "DESC") == "DESC",
    )
    end = page * size
    shown = [ticket.as_json(with_comments=False) for ticket in matching[end - size : end]]
    return Answer(
        json_response({"ticket": shown, "next_page": page + 1 if matching[end:] else None})
    )


@_limited
async def get_ticket(call: Call) -> Answer:
    """`GET /v1/tickets/{id}`: a ticket with its comments."""
    ticket = _ticket(call, *_rest(call, "tickets", 1))
    written = ticket.as_json()
    return Answer(json_response({"ticket": written} if ticket.seed.is_wrapped else written))


@_limited
async def add_tags(call: Call) -> Answer:
    """`PUT /v1/tickets/{id}/add-tags`: adds existing tags by name or id."""
    ticket, body = _ticket(call, *_rest(call, "tickets", 2)[:1]), _body(call)
    ticket.tags += [name for name in _tag_names(call, body) if name not in ticket.tags]
    return _changed(call, ticket, body)


@_limited
async def remove_tags(call: Call) -> Answer:
    """`PUT /v1/tickets/{id}/remove-tags`: as `add_tags`; a tag that the ticket does not have is no error."""
    ticket, body = _ticket(call, *_rest(call, "tickets", 2)[:1]), _body(call)
    removed = _tag_names(call, body)
    ticket.tags = [name for name in ticket.tags if name not in removed]
    return _changed(call, ticket, body)


@_limited
async def send_message(call: Call) -> Answer:
    """`PUT /v1/tickets/{id}/send-message`: sends an e-mail to the customer and adds a comment."""
    ticket, body = _ticket(call, *_rest(call, "tickets", 2)[:1]), _body(call)
    text, author = _text(body, "body"), _text(body, "author_id")
    if not isinstance(body.get("attachments", []), list):
        raise refused(422, "attachments must be a list")
    return _add_comment(
        call, ticket, body, CommentSeed(body=text, author_id=author, is_operator=True)
    )


@_limited
async def update_ticket(call: Call) -> Answer:
    """`PUT /v1/tickets/{id}`: adds a comment, or changes the assignee or the status."""
    ticket, body = _ticket(call, *_rest(call, "tickets", 1)), _body(call)
    change = body.get("ticket")
    if not isinstance(change, dict) or not change:
        raise refused(422, "ticket must be an object with the changed fields")
    if "assignee_id" in change:
        ticket.assignee_id = _text(change, "assignee_id")
    if "state" in change or "status" in change:
        if (change.get("state"), change.get("status")) not in {
            ("closed", "CLOSED"),
            ("open", "OPEN"),
        }:
            raise refused(422, "state and status must agree, such as closed and CLOSED")
        ticket.status = change["status"]
    comment = change.get("comment")
    if comment is None:
        return _changed(call, ticket, body)
    if not isinstance(comment, dict) or comment.get("sender_type") not in {"operator", "customer"}:
        raise refused(422, "comment.sender_type must be operator or customer")
    is_operator = comment["sender_type"] == "operator"
    author = "operator-of-the-key" if is_operator else "customer-1"
    seed = CommentSeed(body=_text(comment, "body"), author_id=author, is_operator=is_operator)
    return _add_comment(call, ticket, body, seed)


@_limited
async def get_order(call: Call) -> Answer:
    """`GET /v1/order/{ticket}`: the ids of the linked order; `GET /v1/order/{client}/{order}`: its copy."""
    segments = _rest(call, "order")
    if len(segments) == 1:
        link = _ticket(call, *segments).seed.order
        ids = {"orderId": link.order_id, "appClientId": link.app_client_id} if link else {}
        return Answer(json_response(ids))
    order = call.sandbox.shop.orders.get(segments[-1])
    if len(segments) != 2 or order is None:  # noqa: PLR2004 - client and order
        raise refused(404, "no such order")
    return Answer(json_response({"order": order.help_desk_copy()}))


@_limited
async def list_tags(call: Call) -> Answer:
    """`GET /v1/tags`: all tags."""
    tags = [{"id": tag, "name": name} for name, tag in sorted(call.sandbox.help_desk.tags.items())]
    return Answer(json_response({"tag": tags}))


@_limited
async def create_tag(call: Call) -> Answer:
    """`POST /v1/tags`: creates a tag."""
    body = _body(call)
    name = _text(body, "name")
    if name in call.sandbox.help_desk.tags:
        raise refused(422, "a tag with this name exists")
    tag = call.sandbox.help_desk.add_tag(name)
    return Answer(json_response({"tag": {"id": tag, "name": name}}, 201), body)


@_limited
async def list_teams(call: Call) -> Answer:
    """`GET /v1/teams`: all teams."""
    teams = [
        {"id": f"team-{n}", "name": name} for n, name in enumerate(call.sandbox.help_desk.teams)
    ]
    return Answer(json_response({"teams": teams}))


def update_operation(call: Call) -> str:
    """Return the operation of a PUT of a ticket; a body that is not JSON counts as an update."""
    try:
        change = parse_json(call.raw)["ticket"]
        return next(
            name
            for key, name in (("comment", "comment"), ("assignee_id", "assign"), ("state", "close"))
            if key in change
        )
    except (ValueError, KeyError, TypeError, StopIteration):
        return "update"


def _rest(call: Call, after: str, count: int | None = None) -> list[str]:
    """Return the decoded path segments after `/v1/{after}/`; an unencoded id has two segments."""
    raw = call.request.scope["raw_path"].decode("ascii").partition("?")[0]
    segments = [unquote(part) for part in raw.split(f"/{after}/", 1)[1].split("/")]
    if not all(segments) or (count is not None and len(segments) != count):
        raise refused(404, "no such path; ids in paths must be URL-encoded")
    return segments


def _ticket(call: Call, ticket_id: str) -> Ticket:
    ticket = call.sandbox.help_desk.tickets.get(ticket_id)
    if ticket is None:
        raise refused(404, "no such ticket")
    return ticket


def _body(call: Call) -> dict[str, Any]:
    if not call.request.headers.get("content-type", "").startswith("application/json"):
        raise refused(400, "the body must be application/json")
    try:
        body = parse_json(call.raw)
    except ValueError:
        raise refused(400, "the body is not JSON") from None
    if not isinstance(body, dict):
        raise refused(400, "the body must be an object")
    return body


def _text(body: dict[str, Any], key: str) -> str:
    value = body.get(key)
    if not isinstance(value, str) or not value.strip():
        raise refused(422, f"{key} must be a non-empty text")
    return value


def _tag_names(call: Call, body: dict[str, Any]) -> list[str]:
    tags, tag_ids = body.get("tags"), call.sandbox.help_desk.tags
    if not isinstance(tags, list) or not tags:
        raise refused(422, "tags must be a non-empty list")
    names = {tag: name for name, tag in tag_ids.items()} | {name: name for name in tag_ids}
    if not all(isinstance(tag, str) and tag in names for tag in tags):
        raise refused(422, "each of tags must be the id or the name of a tag")
    return [names[tag] for tag in tags]


def _number(query: dict[str, str], key: str, otherwise: int) -> int:
    text = query.get(key, str(otherwise))
    if not (text.isascii() and text.isdecimal()) or int(text) < 1:
        raise refused(400, f"{key} must be a number from 1")
    return int(text)


def _changed(call: Call, ticket: Ticket, body: dict[str, Any]) -> Answer:
    ticket.updated_at = call.sandbox.timestamp()
    return Answer(json_response({"ticket": ticket.as_json()}), body)


def _add_comment(call: Call, ticket: Ticket, body: dict[str, Any], comment: CommentSeed) -> Answer:
    ticket.add(comment, call.sandbox.timestamp())
    return Answer(json_response({"ticket": ticket.as_json()}), body)


PROVIDER = Provider(
    name="richpanel",
    endpoints=(
        Endpoint("GET", "/v1/tickets", ("list_tickets",), list_tickets),
        Endpoint("PUT", "/v1/tickets/{id:path}/add-tags", ("add_tags",), add_tags),
        Endpoint("PUT", "/v1/tickets/{id:path}/remove-tags", ("remove_tags",), remove_tags),
        Endpoint("PUT", "/v1/tickets/{id:path}/send-message", ("send_message",), send_message),
        Endpoint("GET", "/v1/tickets/{id:path}", ("get_ticket",), get_ticket),
        Endpoint(
            "PUT",
            "/v1/tickets/{id:path}",
            ("update", "comment", "assign", "close"),
            update_ticket,
            update_operation,
        ),
        Endpoint("GET", "/v1/order/{ids:path}", ("get_order",), get_order),
        Endpoint("GET", "/v1/tags", ("list_tags",), list_tags),
        Endpoint("POST", "/v1/tags", ("create_tag",), create_tag),
        Endpoint("GET", "/v1/teams", ("list_teams",), list_teams),
    ),
    failure=failure,
)
