"""An active payment configuration of acme, and orders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from local.sandbox.providers.whatsapp.operations.commerce import payments as provider
from tests.integration.whatsapp.actions.conftest import WABA, Actions
from tests.integration.whatsapp.conftest import PHONE
from whatsapp.store.items.accounts.tenants import PaymentConfig

if TYPE_CHECKING:
    from collections.abc import Callable

REFERENCE = "ref-1"


def an_order(**changes: Any) -> dict[str, Any]:
    """An order of INR 25.00: two bells, tax, shipping and a discount."""
    facts: dict[str, Any] = {
        "items": [
            {
                "retailerId": "bell",
                "name": "Bell",
                "amount": 1_200,
                "saleAmount": 1_000,
                "quantity": 2,
            }
        ],
        "subtotal": 2_000,
        "tax": 360,
        "shipping": 240,
        "discount": 100,
    }
    return facts | changes


def payment_order(**changes: Any) -> dict[str, Any]:
    return {"referenceId": REFERENCE, "totalAmount": 2_500, "order": an_order()} | changes


def configured(actions: Actions, name: str = "shop", **facts: Any) -> None:
    """Store an active configuration of the company, as a synchronisation does."""
    known = {
        "pk": PaymentConfig.of(facts.get("company", "acme"), facts.get("tenant_id", "acme"), name),
        "company": "acme", "tenant_id": "acme",
        "config_name": name, "type": "PG", "status": "active", "provider_name": "RazorPay", "account": WABA,
    }  # fmt: skip
    actions.harness.resources.table.put(PaymentConfig(**known | facts).attributes())


@pytest.fixture
def shop(actions: Actions) -> Actions:
    configured(actions)
    actions.register(default_payment_config="shop")
    provider.configure(actions.sandbox, WABA, "shop")
    return actions


@pytest.fixture
def captured(shop: Actions) -> Callable[[], Actions]:
    """Sends the order and lets the customer pay it."""

    def pay() -> Actions:
        sent = shop.send("send_payment_order", payment_order())
        assert sent.status == 200, sent.body
        provider.pay(shop.sandbox, REFERENCE, 2_500)
        found = shop.run("lookup_payment", {"referenceId": REFERENCE})
        assert found.result["paymentStatus"] == "captured", found.body
        return shop

    return pay


__all__ = ["PHONE"]
