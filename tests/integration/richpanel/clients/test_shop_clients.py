"""The shop's and the shipping service's clients: their requests, and unexpected responses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from local.sandbox import Sandbox
from local.sandbox.accounts.shop import OrderSeed
from richpanel.clients.calls import BadAnswer
from richpanel.clients.shipstation import ShipStation
from richpanel.clients.shopify import Shopify
from shared.providers import http
from shared.runtime.failures import Permanent, Transient
from tests.integration.richpanel.conftest import NOW, Time


def has_order(sandbox: Sandbox, name: str = "#1001", order_id: str = "6001") -> None:
    order = OrderSeed(id=order_id, name=name, email="jane@x.example", created_at="2026-03-01")
    sandbox.shop.orders[order_id] = order


@pytest.mark.parametrize(
    ("number", "asked"),
    [
        ("1001", 'name:"1001"'),
        ("EN-1001", 'name:"EN-1001"'),
        ('1001" OR email:"*', 'name:"1001ORemail"'),
        ("10\\01*", 'name:"1001"'),
    ],
)
def test_a_number_is_sent_as_a_variable_without_search_operators(
    shop: Shopify, sandbox: Sandbox, number: str, asked: str
) -> None:
    shop.orders_named(number)

    body: Any = sandbox.sent[0].body
    assert body["variables"] == {"query": asked}
    assert number not in body["query"]


def test_a_number_without_searchable_characters_makes_no_request(
    shop: Shopify, sandbox: Sandbox
) -> None:
    assert shop.orders_named('"*"') == []
    assert sandbox.sent == []


def test_at_most_five_candidates_are_returned(shop: Shopify, sandbox: Sandbox) -> None:
    for number in range(7):
        has_order(sandbox, f"#1001{number}", f"600{number}")

    assert len(shop.orders_named("1001")) == 5


def test_an_order_is_read_by_its_id(shop: Shopify, sandbox: Sandbox) -> None:
    has_order(sandbox)

    order = shop.order("6001")
    assert order is not None
    assert (order.legacy_resource_id, order.name) == ("6001", "#1001")
    assert shop.order("6002") is None


@pytest.mark.parametrize("order_id", ["", "gid://shopify/Order/6001", "6001/x", "\u0661"])
def test_an_id_that_is_no_number_is_not_requested(
    shop: Shopify, sandbox: Sandbox, order_id: str
) -> None:
    assert shop.order(order_id) is None
    assert sandbox.sent == []


def answering(monkeypatch: pytest.MonkeyPatch, *bodies: bytes) -> None:
    answers = iter(bodies)
    monkeypatch.setattr(http, "call", lambda *_, **__: http.Answer(200, next(answers)))


THROTTLED = b'{"errors": [{"message": "Throttled", "extensions": {"code": "THROTTLED"}}]}'
NONE = b'{"data": {"orders": {"nodes": []}}}'


def test_a_throttled_query_is_retried_once(
    shop: Shopify, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    answering(monkeypatch, THROTTLED, NONE)
    assert shop.orders_named("1001") == []
    assert 500 <= time.waits[0] <= 2_000

    answering(monkeypatch, THROTTLED, THROTTLED)
    with pytest.raises(Transient, match="shopify_throttled"):
        shop.orders_named("1001")


@pytest.mark.parametrize(
    "body",
    [
        b'{"errors": [{"message": "jane@x.example", "extensions": {"code": "ACCESS_DENIED"}}]}',
        b'{"data": {"orders": {"nodes": []}}, "errors": [{"message": "withheld"}]}',
        b'{"errors": "Not Found"}',
        b'{"errors": {"query": "missing"}}',
        b'{"errors": [null]}',
    ],
)
def test_an_answer_with_an_error_is_a_refusal_even_if_it_has_data(
    shop: Shopify, monkeypatch: pytest.MonkeyPatch, body: bytes
) -> None:
    answering(monkeypatch, body)

    with pytest.raises(Permanent) as failure:
        shop.orders_named("1001")
    assert str(failure.value) == "shopify_error"


@pytest.mark.parametrize(
    "body",
    [
        b"{}",
        b"[]",
        b"null",
        b'{"data": null}',
        b'{"data": {}}',
        b'{"data": {"orders": null}}',
        b'{"data": {"orders": {"nodes": [{}]}}}',
        b"<html>",
        b"",
    ],
)
def test_an_answer_of_another_shape_is_a_failure(
    shop: Shopify, monkeypatch: pytest.MonkeyPatch, body: bytes
) -> None:
    answering(monkeypatch, body)

    with pytest.raises(BadAnswer):
        shop.orders_named("1001")


def test_a_short_reset_of_the_shipping_services_limit_is_waited_for(
    shipping: ShipStation, sandbox: Sandbox, time: Time
) -> None:
    sandbox.faults.add(kind="status", status=429, provider="shipstation")

    assert shipping.shipments_of("1001") == []
    assert time.waits[0] == 1_000


@pytest.mark.parametrize("reset", ["6", "60", "soon", "", "-1"])
def test_a_long_reset_is_not_waited_for(
    shipping: ShipStation, time: Time, monkeypatch: pytest.MonkeyPatch, reset: str
) -> None:
    limited = http.Answer(429, b"", {"x-rate-limit-reset": reset})
    monkeypatch.setattr(http, "call", lambda *_, **__: limited)

    with pytest.raises(Transient, match="shipstation_429"):
        shipping.shipments_of("1001")
    assert len(time.waits) == 1  # the pause before the second attempt


def test_no_reset_is_waited_for_without_time_for_another_call(
    shipping: ShipStation, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    limited = http.Answer(429, b"", {"x-rate-limit-reset": "3"})
    monkeypatch.setattr(http, "call", lambda *_, **__: limited)

    with pytest.raises(Transient, match="shipstation_429"):
        replace(shipping, deadline_ms=NOW + 3_400).shipments_of("1001")
    assert 3_000 not in time.waits
