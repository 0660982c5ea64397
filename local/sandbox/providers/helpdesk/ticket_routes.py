"""
The sandbox's control routes for tickets, orders, messages of customers, and answers of models.

`POST /_tickets` (a `TicketSeed`), `POST /_orders` (an `OrderSeed`), `POST /_shipments` (a `ShipmentSeed`),
`POST /_tags` (`{"names": [...]}`); `POST /_comments` (a `CustomerComment`) adds a customer's message and calls our
webhook as the help desk's rules do: with the minimal body, and without retries.
`GET /_tickets/{id}` returns a ticket without counting as a request to the help desk.
`POST /_openai_answers` (an `OpenAiAnswer`) and `POST /_bedrock_answers` (a `BedrockAnswer`) queue answers of models.
`POST /_knowledge_documents` (a `KnowledgeDocument`) adds a document to a knowledge base.
"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import urllib3
from starlette.routing import Route

from local.sandbox.accounts.bedrock import BedrockAnswer
from local.sandbox.accounts.knowledge_bases import KnowledgeDocument
from local.sandbox.accounts.openai import OpenAiAnswer
from local.sandbox.accounts.seeds import Seed
from local.sandbox.accounts.shop import OrderSeed, ShipmentSeed
from local.sandbox.accounts.tickets import CustomerComment, Ticket, TicketSeed
from local.sandbox.responses import bad_input, json_response
from local.sandbox.seed_routes import seed_route

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from local.sandbox.state import Sandbox

# The first call starts a function, which is slow on a busy machine.
_TIMEOUT_SECONDS = 30


class TagSeed(Seed):
    """Names of existing tags."""

    names: list[str]


async def _put_ticket(sandbox: Sandbox, seed: TicketSeed) -> Response:
    ticket = sandbox.help_desk.seed(seed, sandbox.timestamp())
    return json_response({"id": seed.id, "comment_ids": [c["id"] for c in ticket.comments]}, 201)


async def _put_order(sandbox: Sandbox, seed: OrderSeed) -> Response:
    sandbox.shop.orders[seed.id] = seed
    return json_response({"id": seed.id}, 201)


async def _put_shipment(sandbox: Sandbox, seed: ShipmentSeed) -> Response:
    sandbox.shop.shipments.append(seed)
    return json_response({"order_number": seed.order_number}, 201)


async def _put_tags(sandbox: Sandbox, seed: TagSeed) -> Response:
    return json_response({name: sandbox.help_desk.add_tag(name) for name in seed.names}, 201)


async def _put_answer(sandbox: Sandbox, seed: OpenAiAnswer) -> Response:
    sandbox.openai.answers.append(seed)
    return json_response({"in_line": len(sandbox.openai.answers)}, 201)


async def _put_bedrock_answer(sandbox: Sandbox, seed: BedrockAnswer) -> Response:
    sandbox.bedrock.answers.append(seed)
    return json_response({"in_line": len(sandbox.bedrock.answers)}, 201)


async def _add_knowledge_document(sandbox: Sandbox, seed: KnowledgeDocument) -> Response:
    sandbox.knowledge_bases.documents.append(seed)
    return json_response({"knowledge_base_id": seed.knowledge_base_id}, 201)


async def _customer_writes(sandbox: Sandbox, seed: CustomerComment) -> Response:
    ticket = sandbox.help_desk.tickets.get(seed.ticket_id)
    if ticket is None:
        return bad_input(("ticket_id", "must be the id of a ticket"), status=404)
    if seed.comment.is_operator:
        return bad_input(("comment.is_operator", "must be false for a customer"))
    comment_id = ticket.add(seed.comment, sandbox.timestamp())
    ticket.status = "OPEN"
    calls = [asyncio.to_thread(_call_webhook, sandbox, ticket) for _ in range(seed.webhooks)]
    return json_response({"comment_id": comment_id, "webhooks": await asyncio.gather(*calls)}, 201)


def _call_webhook(sandbox: Sandbox, ticket: Ticket) -> int | None:
    """Call the webhook once; return the HTTP status, None without a webhook or a response."""
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
    ticket = sandbox.help_desk.tickets.get(request.path_params["id"])
    if ticket is None:
        return bad_input(("id", "must be the id of a ticket"), status=404)
    return json_response(ticket.as_json())


ROUTES = [
    Route("/_tickets", seed_route(TicketSeed, _put_ticket), methods=["POST"]),
    Route("/_tickets/{id:path}", _show_ticket, methods=["GET"]),
    Route("/_orders", seed_route(OrderSeed, _put_order), methods=["POST"]),
    Route("/_shipments", seed_route(ShipmentSeed, _put_shipment), methods=["POST"]),
    Route("/_tags", seed_route(TagSeed, _put_tags), methods=["POST"]),
    Route("/_comments", seed_route(CustomerComment, _customer_writes), methods=["POST"]),
    Route("/_openai_answers", seed_route(OpenAiAnswer, _put_answer), methods=["POST"]),
    Route("/_bedrock_answers", seed_route(BedrockAnswer, _put_bedrock_answer), methods=["POST"]),
    Route(
        "/_knowledge_documents",
        seed_route(KnowledgeDocument, _add_knowledge_document),
        methods=["POST"],
    ),
]
