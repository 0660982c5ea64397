"""
The screen that follows a customer's answers, by the routing that the business has set. Pure.

    ping, error notification    answered without a token
    INIT                        the first screen
    BACK                        the screen before
    data_exchange               the next screen, or SUCCESS, which ends the form
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from shared.aws.tables.dynamodb_json import plain, storable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whatsapp.store.items.contacts.customers import FlowConfig

SUCCESS = "SUCCESS"
INIT, BACK, DATA_EXCHANGE, PING = "INIT", "BACK", "data_exchange", "ping"
LARGEST_ANSWERS_BYTES = 8_000
LONGEST_SCREEN = 100
NO_ROUTE = "This form cannot be continued. Please contact the business."
TOO_LONG = "The answers are too long."
_ACTIVE = {"data": {"status": "active"}}
_ACKNOWLEDGED = {"data": {"acknowledged": True}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One decrypted request. *screen* is the one that the customer is at."""

    action: str
    token: str = field(repr=False)
    screen: str
    data: dict[str, Any] = field(repr=False)

    @classmethod
    def of(cls, request: Mapping[str, Any]) -> Exchange:
        """Return a request of the client; missing and malformed parts are empty."""
        data = request.get("data")
        return cls(
            action=_text(request.get("action")),
            token=_text(request.get("flow_token")),
            screen=_text(request.get("screen"))[:LONGEST_SCREEN],
            data=storable(data) if isinstance(data, dict) else {},
        )

    @property
    def without_token(self) -> dict[str, Any] | None:
        """The answer to a health check or to a notification of an error; None for other requests."""
        if self.action == PING:
            return _ACTIVE
        return _ACKNOWLEDGED if "error" in self.data else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """
    The answer to a request, and what it changes: *answers* are all of the form so far, *screen* the last known one.

    *is_missing_route*: the business has set no routing for this screen. *shows*: the screen that is shown with its
    stored data; None if the form ends or stays.
    """

    answer: dict[str, Any] = field(repr=False)
    answers: dict[str, Any] = field(repr=False)
    screen: str
    is_finished: bool = False
    is_missing_route: bool = False
    shows: str | None = None


def step(exchange: Exchange, config: FlowConfig | None, answers: Mapping[str, Any]) -> Step:
    """Return the step that a request makes in a form with these *answers* so far."""
    given = dict(answers)
    if config is None or config.first_screen is None:
        return _stay(exchange, given, NO_ROUTE, is_missing_route=True)
    if exchange.action == INIT:
        return _show(config, config.first_screen, given)
    if exchange.action == BACK:
        return _show(config, _before(config, exchange.screen), given)
    route = config.screens.get(exchange.screen) or {}
    if exchange.action != DATA_EXCHANGE or "next" not in route:
        return _stay(exchange, given, NO_ROUTE, is_missing_route=True)
    return _submit(exchange, config, given, str(route["next"]))


def _submit(exchange: Exchange, config: FlowConfig, given: dict[str, Any], following: str) -> Step:
    """Return the step that submits the answers of a screen."""
    merged = given | exchange.data
    if len(json.dumps(plain(merged)).encode()) > LARGEST_ANSWERS_BYTES:
        return _stay(exchange, given, TOO_LONG)
    if following == SUCCESS:
        return Step(
            answer=finished(exchange.token),
            answers=merged,
            screen=exchange.screen,
            is_finished=True,
        )
    return _show(config, following, merged)


def finished(token: str) -> dict[str, Any]:
    """Return the answer that ends a form. The client sends its params to the chat, as the form's completion."""
    params = {"extension_message_response": {"params": {"flow_token": token}}}
    return {"screen": SUCCESS, "data": params}


def _show(config: FlowConfig, screen: str, answers: dict[str, Any]) -> Step:
    data = plain((config.screens.get(screen) or {}).get("data") or {})
    shown = {"screen": screen, "data": data}
    return Step(answer=shown, answers=answers, screen=screen, shows=screen)


def _stay(
    exchange: Exchange, answers: dict[str, Any], problem: str, *, is_missing_route: bool = False
) -> Step:
    """Return the same screen with an error, which the client shows to the customer."""
    return Step(
        answer={"screen": exchange.screen, "data": {"error_message": problem}},
        answers=answers,
        screen=exchange.screen,
        is_missing_route=is_missing_route,
    )


def _before(config: FlowConfig, screen: str) -> str:
    """
    Return the screen from which the customer came to *screen*; the first one if it is unknown.

    Not confirmed by live traffic: that a BACK request names the screen that the customer leaves.
    """
    before = [name for name, route in config.screens.items() if route.get("next") == screen]
    return before[0] if before else str(config.first_screen)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
