"""
The sandbox's own routes for what stands in its help desk and its shop, for customers who write, and for models.

`POST /_tickets` (a `TicketSeed`), `POST /_orders` (an `OrderSeed`), `POST /_shipments` (a `ShipmentSeed`),
`POST /_tags` (`{"names": [...]}`); `POST /_comments` (a `CustomerComment`) adds a customer's message and calls our
webhook as the help desk's rules do: with the minimal body, and never twice for one call that failed.
`GET /_tickets/{id}` shows a ticket without counting as a request to the help desk.
`POST /_openai_answers` (an `OpenAiAnswer`) puts in line what OpenAI's model says next.
"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import urllib3
from pydantic import ValidationError
from starlette.routing import Route

from local.sandbox.control import bad_input, broken_rules
from local.sandbox.helpdesk.shop import OrderSeed, ShipmentSeed
from local.sandbox.helpdesk.tickets import CustomerComment, Seed, Ticket, TicketSeed
from local.sandbox.openai.api import OpenAiAnswer
from local.sandbox.provider import json_response

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.requests import Request
    from starlette.responses import Response

    from local.sandbox.state import Sandbox

# The first call starts a function, which takes long on a busy machine.
_TIMEOUT_SECONDS = 30


class TagSeed(Seed):
    """Names of tags that exist."""

    names: list[str]


async def _put_ticket(sandbox: Sandbox, seed: TicketSeed) -> Response:
    ticket = sandbox.desk.seed(seed, sandbox.timestamp())
    return json_response({"id": seed.id, "comment_ids": [c["id"] for c in ticket.comments]}, 201)


async def _put_order(sandbox: Sandbox, seed: OrderSeed) -> Response:
    sandbox.shop.orders[seed.id] = seed
    return json_response({"id": seed.id}, 201)


async def _put_shipment(sandbox: Sandbox, seed: ShipmentSeed) -> Response:
    sandbox.shop.shipments.append(seed)
    return json_response({"order_number": seed.order_number}, 201)


async def _put_tags(sandbox: Sandbox, seed: TagSeed) -> Response:
    return json_response({name: sandbox.desk.know_tag(name) for name in seed.names}, 201)


async def _put_answer(sandbox: Sandbox, seed: OpenAiAnswer) -> Response:
    sandbox.openai.answers.append(seed)
    return json_response({"in_line": len(sandbox.openai.answers)}, 201)


async def _customer_writes(sandbox: Sandbox, said: CustomerComment) -> Response:
    ticket = sandbox.desk.tickets.get(said.ticket_id)
    if ticket is None:
        return bad_input(("ticket_id", "must be the id of a ticket"), status=404)
    if said.comment.is_operator:
        return bad_input(("comment.is_operator", "customers are no operators"))
    comment_id = ticket.add(said.comment, sandbox.timestamp())
    ticket.status = "OPEN"
    calls = [asyncio.to_thread(_call_webhook, sandbox, ticket) for _ in range(said.webhooks)]
    return json_response({"comment_id": comment_id, "webhooks": await asyncio.gather(*calls)}, 201)


def _call_webhook(sandbox: Sandbox, ticket: Ticket) -> int | None:
    """One rule fires: the HTTP status of our answer, None where there is no webhook or no answer."""
    config = sandbox.config
    if config.richpanel_webhook_url is None or config.richpanel_token is None:
        return None
    body = {
        "ticket_id": ticket.seed.id,
        "ticket_url": f"{sandbox.url}/v1/tickets",
        "trigger": "customer_message",
        "channel": ticket.seed.channel,
    }
    headers = {
        "Content-Type": "application/json",
        "X-Middleware-Token": config.richpanel_token,
    }
    with urllib3.PoolManager(retries=False, timeout=_TIMEOUT_SECONDS) as pool:
        try:
            answer = pool.request(
                "POST", config.richpanel_webhook_url, body=json.dumps(body), headers=headers
            )
        except urllib3.exceptions.HTTPError:
            return None
    return answer.status


async def _show_ticket(request: Request) -> Response:
    sandbox: Sandbox = request.app.state.sandbox
    ticket = sandbox.desk.tickets.get(request.path_params["id"])
    if ticket is None:
        return bad_input(("id", "must be the id of a ticket"), status=404)
    return json_response(ticket.as_json())


def taking[Given: Seed](
    shape: type[Given], act: Callable[[Sandbox, Given], Awaitable[Response]]
) -> Callable[[Request], Awaitable[Response]]:
    """A route that reads what it is *given* in a shape and acts on it; bad input is refused."""

    async def take(request: Request) -> Response:
        try:
            seed = shape.model_validate_json(await request.body())
        except ValidationError as error:
            return bad_input(*broken_rules(error))
        return await act(request.app.state.sandbox, seed)

    return take


ROUTES = [
    Route("/_tickets", taking(TicketSeed, _put_ticket), methods=["POST"]),
    Route("/_tickets/{id:path}", _show_ticket, methods=["GET"]),
    Route("/_orders", taking(OrderSeed, _put_order), methods=["POST"]),
    Route("/_shipments", taking(ShipmentSeed, _put_shipment), methods=["POST"]),
    Route("/_tags", taking(TagSeed, _put_tags), methods=["POST"]),
    Route("/_comments", taking(CustomerComment, _customer_writes), methods=["POST"]),
    Route("/_openai_answers", taking(OpenAiAnswer, _put_answer), methods=["POST"]),
]
