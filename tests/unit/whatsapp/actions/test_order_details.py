"""Orders for any amounts: sums add up, amounts are whole numbers, and any other sum is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.api.errors import InvalidInput
from whatsapp.actions.commerce.payments.inputs import OrderInput
from whatsapp.actions.commerce.payments.order_details import (
    Checkout,
    amount_text,
    message_of,
    settings_of,
    template_of,
    totals_of,
)
from whatsapp.actions.templates.sending import slots
from whatsapp.sending.drafts import UsedTemplate
from whatsapp.store.items.accounts.tenants import PaymentConfig

AMOUNT = st.integers(min_value=1, max_value=10_000_000)


@st.composite
def orders(draw: st.DrawFn) -> dict[str, Any]:
    """An order whose sums add up."""
    items = []
    for number in range(draw(st.integers(1, 5))):
        amount = draw(AMOUNT)
        item: dict[str, Any] = {
            "retailerId": f"sku-{number}",
            "name": "Article",
            "amount": amount,
            "quantity": draw(st.integers(1, 99_999)),
        }
        if draw(st.booleans()):
            item["saleAmount"] = draw(st.integers(0, amount - 1))
        items.append(item)
    subtotal = sum(item.get("saleAmount", item["amount"]) * item["quantity"] for item in items)
    tax, shipping = draw(st.integers(1, 10**6)), draw(st.none() | st.integers(0, 10**6))
    discount = draw(st.none() | st.integers(0, subtotal))
    order = {"items": items, "subtotal": subtotal, "tax": tax}
    more = {"shipping": shipping, "discount": discount}
    return order | {name: value for name, value in more.items() if value is not None}


def total_of(order: dict[str, Any]) -> int:
    whole: int = (
        order["subtotal"] + order["tax"] + order.get("shipping", 0) - order.get("discount", 0)
    )
    return whole


def amounts(part: Any) -> list[Any]:
    """All values in a payload that are numbers of any kind."""
    if isinstance(part, dict):
        return [found for value in part.values() for found in amounts(value)]
    if isinstance(part, list):
        return [found for value in part for found in amounts(value)]
    return [part] if isinstance(part, int | float) else []


@given(orders(), st.none() | st.integers(10**9, 2 * 10**9))
@settings(derandomize=True, deadline=None)
def test_the_payload_of_an_order_has_whole_amounts_that_add_up(
    facts: dict[str, Any], expires: int | None
) -> None:
    order = OrderInput.model_validate(facts)
    totals = totals_of(order, total_of(facts))
    config = PaymentConfig(pk="-", tenant_id="t", config_name="shop", provider_name="razorpay")
    checkout = Checkout(
        reference="ref-1",
        order=order,
        totals=totals,
        settings=settings_of(config, "ref-1"),
        expires_at=expires,
    )

    message = message_of(checkout).content["action"]["parameters"]
    buttons = {"type": "BUTTONS", "buttons": [{"type": "ORDER_DETAILS"}]}

    def used(value: dict[str, Any]) -> UsedTemplate:
        components = slots.components_of([buttons], [slots.Given("order", value, "order")])
        return UsedTemplate(name="checkout", language="en_US", components=components)

    (button,) = template_of(checkout, used).content["components"]

    assert message == button["parameters"][0]["action"]["order_details"]
    assert all(type(number) is int for number in amounts(message))
    shown = message["order"]
    paid = sum(
        item.get("sale_amount", item["amount"])["value"] * item["quantity"]
        for item in shown["items"]
    )
    assert shown["subtotal"]["value"] == paid
    shipping = shown.get("shipping", {"value": 0})["value"]
    discount = shown.get("discount", {"value": 0})["value"]
    assert message["total_amount"]["value"] == paid + shown["tax"]["value"] + shipping - discount
    assert ("expiration" in shown) == (expires is not None)


@given(orders(), st.sampled_from(["subtotal", "total", "expected"]), st.integers(-5, 5))
@settings(derandomize=True, deadline=None)
def test_an_order_that_does_not_add_up_is_refused(
    facts: dict[str, Any], wrong: str, by: int
) -> None:
    total = total_of(facts)
    changed = dict(facts)
    if wrong == "subtotal":
        changed["subtotal"] = max(0, changed["subtotal"] + by)
    elif wrong == "total":
        changed["total"] = max(0, total + by)
    order = OrderInput.model_validate(changed)
    expected = total + by if wrong == "expected" else total

    if by == 0:
        assert totals_of(order, expected).total == total
        return
    is_same = wrong == "subtotal" and changed["subtotal"] == facts["subtotal"]
    if is_same:
        return
    with pytest.raises(InvalidInput):
        totals_of(order, expected)


@given(st.integers(0, 10**12))
@settings(derandomize=True, deadline=None)
def test_an_amount_is_shown_without_rounding(minor: int) -> None:
    text = amount_text(minor)

    assert int(text.removeprefix("INR ").replace(".", "")) == minor
