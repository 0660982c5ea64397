"""
Answers one request of the data endpoint.

    open      decrypt with the account's private keys      421 if no key fits: the client fetches the public key again
    token     of this account's company, open              427 otherwise: the client closes the form
    step      the next screen by the routing, with the data of the company's endpoint
    store     the answers so far                           before the answer: a lost answer is asked for again

A repeated request stores the same answers and gets the same answer, also the one that finishes a form.
"""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from aws_lambda_powertools.metrics import MetricUnit

from shared.aws.sqs_fifo import digest, to_json
from shared.aws.tables.dynamodb_json import plain
from shared.runtime.failures import Transient
from shared.runtime.observability import metrics
from whatsapp import store
from whatsapp.inbound.flows import encryption, routing
from whatsapp.inbound.flows.endpoint import EndpointCall
from whatsapp.inbound.flows.routing import Exchange
from whatsapp.store.items.contacts.customers import FlowToken

if TYPE_CHECKING:
    from shared.aws.dynamodb import Table
    from whatsapp.inbound.flows.endpoint import Endpoints
    from whatsapp.inbound.flows.keys import PrivateKeys
    from whatsapp.store.items.contacts.customers import FlowConfig

BAD_KEY = HTTPStatus.MISDIRECTED_REQUEST  # 421: the client fetches the public key again
TOKEN_OVER = 427
MESSAGE_OVER = "This form is no longer available."
_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Reply:
    """Status and body of an answer; the body is encrypted, or empty."""

    status: int
    body: str = ""


class AsksEndpoint(Exception):
    """The answer has data of the company's own endpoint."""


class TokenOver(Exception):
    """The token is unknown, finished, expired, or of another company."""


def answer(
    table: Table, private_keys: PrivateKeys, endpoints: Endpoints, account: str, body: bytes
) -> Reply:
    """Return the reply to a body whose signature is valid. Raises Transient and ClientError."""
    pairs = store.forms.keys_of(table, account) if account else None
    if pairs is None:
        return Reply(BAD_KEY)
    try:
        opened = encryption.opened(body, private_keys.of_account(account, pairs))
    except encryption.Undecryptable:
        metrics.add_metric("FlowUndecryptable", MetricUnit.Count, 1)
        return Reply(BAD_KEY)
    exchange = Exchange.of(opened.request)
    try:
        shown = _answered(table, endpoints, pairs.company, exchange)
    except TokenOver:
        return Reply(TOKEN_OVER, opened.seal({"error_msg": MESSAGE_OVER}))
    return Reply(HTTPStatus.OK, opened.seal(shown))


def rehearse(
    table: Table, company: str, exchange: Exchange, *, flow: str | None = None
) -> dict[str, Any]:
    """
    Return the answer to a request without storing anything. *flow*: the token must be of this form; None: of any.

    Raises TokenOver, and AsksEndpoint for an answer that the company's endpoint would give.
    """
    if exchange.without_token is not None:
        return exchange.without_token
    token = _token_of(table, company, exchange.token)
    if token.state != "open" or flow not in {None, token.flow}:
        raise TokenOver
    config = _config(table, token)
    step = routing.step(exchange, config, token.answers)
    if config is not None and config.endpoint_url is not None and step.shows is not None:
        raise AsksEndpoint
    return step.answer


def _token_of(table: Table, company: str | None, token: str) -> FlowToken:
    """Return a company's token, finished or not. Raises TokenOver."""
    found = store.forms.token(table, FlowToken.of(token)) if token else None
    if found is None or found.company != company:
        raise TokenOver
    return found


def _answered(
    table: Table, endpoints: Endpoints, company: str | None, exchange: Exchange
) -> dict[str, Any]:
    """Return the answer to a request, after storing what it changes. Raises TokenOver and Transient."""
    if exchange.without_token is not None:
        if exchange.action != routing.PING:
            metrics.add_metric("FlowClientError", MetricUnit.Count, 1)
        return exchange.without_token
    request = digest(exchange.action, exchange.screen, to_json(plain(exchange.data)))
    call = EndpointCall.of(digest(FlowToken.of(exchange.token), request))
    for _ in range(_ROUNDS):
        token = _token_of(table, company, exchange.token)
        if token.last_request == request:
            return routing.finished(exchange.token)  # The answer that finished the form was lost.
        if token.state != "open":
            raise TokenOver
        config = _config(table, token)
        step = routing.step(exchange, config, token.answers)
        if step.is_missing_route:
            metrics.add_metric("FlowRouteMissing", MetricUnit.Count, 1)
            return step.answer
        # Before the answers are stored: the same request asks again, under the same id.
        step = endpoints.completed(table, config, exchange, step, call)
        next_token = token.model_copy(
            update={
                "answers": step.answers,
                "screen": step.screen,
                "state": "finished" if step.is_finished else "open",
                "last_request": request if step.is_finished else None,
            }
        )
        if next_token == token or store.forms.advance(table, next_token):
            return step.answer
    raise Transient("flow_token_contended")


def _config(table: Table, token: FlowToken) -> FlowConfig | None:
    """Return the routing of a token's form, if the token's company has set it."""
    config = store.forms.config(table, token.flow)
    return config if config is not None and config.company == token.company else None
