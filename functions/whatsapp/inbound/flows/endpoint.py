"""
A company's own endpoint for the data of a form's screens.

    POST {flow_id, action, screen, next_screen, answers}    signed as Standard Webhooks, answered within WITHIN_MS
    200  {"data": {...}, "screen": "..."}                   `screen` is optional: another screen of the routing

Without such an answer the form goes on: with the newest answer for the screen that the endpoint has marked as the same
for all customers (`Cache-Control: public`), else with the stored data. An answer without that mark is never shown to
another customer. A repeated request has the same id.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from aws_lambda_powertools.metrics import MetricUnit

from shared.aws.sqs_fifo import to_json
from shared.aws.tables.dynamodb_json import plain, storable
from shared.providers.outcomes import InDoubt, NotSent, Refused
from shared.runtime import clock
from shared.runtime.observability import metrics
from whatsapp import store

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shared.aws.dynamodb import Table
    from shared.providers.company_secrets import CompanySecrets
    from shared.providers.http import Answer
    from whatsapp.inbound.flows.routing import Exchange, Step
    from whatsapp.store.items.contacts.customers import FlowConfig

# The client waits ten seconds (Meta, "Implementing endpoints for Flows"); the function's own work takes the rest.
WITHIN_MS = 4 * clock.SECOND_MS
LARGEST_DATA_BYTES = 16 << 10
LARGEST_CACHED_BYTES = 4 << 10
# Rules of `Cache-Control` that outweigh `public` (RFC 9111, 5.2.2).
_NOT_KEPT = frozenset({"no-store", "no-cache", "private"})
CACHED_AGAIN_MS = 60 * clock.SECOND_MS
_OK = 200


class _Unusable(Exception):
    """The endpoint gave no answer that can be shown."""


@dataclass(frozen=True, slots=True)
class EndpointCall:
    """The calls for one request of the customer: all have its id, and end at the same time (ms since 1970)."""

    id: str
    until_ms: int

    @classmethod
    def of(cls, call_id: str) -> EndpointCall:
        """Return the calls of a request that has just come."""
        return cls(call_id, clock.now_ms() + WITHIN_MS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoints:
    """The companies' endpoints. *loopback* permits those on this machine, for the local stack only."""

    secrets: CompanySecrets
    loopback: bool = False

    def completed(
        self,
        table: Table,
        config: FlowConfig | None,
        exchange: Exchange,
        step: Step,
        call: EndpointCall,
    ) -> Step:
        """Return a step with the data of the company's endpoint, if the form has one."""
        if config is None or config.endpoint_url is None or step.shows is None:
            return step
        try:
            answer = self._called(config, exchange, step, call)
            screen, data = _read(config, step.shows, answer)
        except (_Unusable, Refused, NotSent, InDoubt):
            metrics.add_metric("FlowEndpointFailed", MetricUnit.Count, 1)
            kept = (config.cached or {}).get(step.shows)
            return _showing(step, step.shows, kept["data"]) if kept else step
        _keep(table, config, screen, data, answer.headers)
        return _showing(step, screen, data)

    def _called(
        self, config: FlowConfig, exchange: Exchange, step: Step, call: EndpointCall
    ) -> Answer:
        """
        Make one call. Raises Refused, NotSent, InDoubt, and _Unusable for an address that is not public, and after the
        time.
        """
        within_ms = call.until_ms - clock.now_ms()
        if within_ms <= 0:
            raise _Unusable
        from shared.providers import http  # noqa: PLC0415 - few forms have an endpoint
        from shared.providers.standard_webhooks import signed  # noqa: PLC0415 - as above

        secret = self.secrets.value(str(config.company), config.endpoint_secret)
        body = to_json(
            {
                "flow_id": config.pk.rpartition("#")[2],
                "action": exchange.action,
                "screen": exchange.screen,
                "next_screen": step.shows,
                "answers": plain(step.answers),
            }
        ).encode()
        headers = signed(body, call.id, str(secret.get("signing_key", "")))
        try:
            return http.call_untrusted(
                str(config.endpoint_url),
                headers={"Content-Type": "application/json", **headers},
                body=body,
                within_ms=within_ms,
                loopback=self.loopback,
            )
        except http.OriginRefused:
            raise _Unusable from None


def _read(config: FlowConfig, shows: str, answer: Answer) -> tuple[str, dict[str, Any]]:
    """Return the screen and its data in an answer. Raises _Unusable."""
    if answer.status != _OK or len(answer.data) > LARGEST_DATA_BYTES:
        raise _Unusable
    try:
        given = json.loads(answer.data, parse_constant=_no_number, parse_float=_finite)
    except (ValueError, RecursionError):
        raise _Unusable from None
    data = given.get("data") if isinstance(given, dict) else None
    screen = given.get("screen") if isinstance(given, dict) else None
    screen = shows if screen is None else screen
    if not isinstance(data, dict) or not isinstance(screen, str) or screen not in config.screens:
        raise _Unusable
    return screen, data


def _no_number(_: str) -> float:
    raise ValueError("NaN and Infinity are no JSON")


def _finite(text: str) -> float:
    """Return a number that JSON can have. Raises ValueError."""
    number = float(text)
    return number if math.isfinite(number) else _no_number(text)


def _showing(step: Step, screen: str, data: Mapping[str, Any]) -> Step:
    return replace(step, answer={"screen": screen, "data": plain(data)}, screen=screen)


def _keep(
    table: Table,
    config: FlowConfig,
    screen: str,
    data: dict[str, Any],
    headers: Mapping[str, str],
) -> None:
    """Keep an answer that is the same for all customers, at most once a minute for a screen."""
    rules = {rule.strip().lower() for rule in headers.get("cache-control", "").split(",")}
    if (
        "public" not in rules
        or rules & _NOT_KEPT
        or len(to_json(data).encode()) > LARGEST_CACHED_BYTES
    ):
        return
    known = (config.cached or {}).get(screen) or {}
    now_ms, new = clock.now_ms(), storable(data)
    is_recent = "at" in known and now_ms - clock.from_text(known["at"]) < CACHED_AGAIN_MS
    if is_recent or known.get("data") == new:
        return
    cached = {**(config.cached or {}), screen: {"data": new, "at": clock.to_text(now_ms)}}
    store.forms.cache_data(table, config, cached)
