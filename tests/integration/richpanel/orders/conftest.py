"""The order lookup over the sandbox: a mail, the orders in the shop, and the match."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from local.sandbox import Sandbox
from local.sandbox.accounts.shop import OrderSeed, ShipmentSeed
from local.sandbox.accounts.tickets import TicketSeed
from richpanel.clients.helpdesk import HelpDesk
from richpanel.clients.shipstation import ShipStation
from richpanel.clients.shopify import Shopify
from richpanel.guards.order_ownership import OrderMatch, Reason, Services, find_order
from tests.integration.richpanel.conftest import Time

JANE = "jane.doe@shop-mail.example"
JOE = "joe@shop-mail.example"
PARCEL = {"number": "9400111899223100000000", "company": "USPS", "url": "https://tools.usps.com/x"}
MESSAGE = {"id": "m-1", "body": "Where is my order?", "created_at": "2026-03-02T12:00:00Z"}


@dataclass
class Counter:
    """A customer's mail, the orders in the shop, and the order lookup."""

    sandbox: Sandbox
    services: Services

    def has_order(self, number: str = "#1001", order_id: str = "6001", **change: Any) -> None:
        facts: dict[str, Any] = {
            "id": order_id,
            "name": number,
            "email": JANE,
            "created_at": "2026-03-01T09:00:00Z",
            "shipping_method": "Standard",
        }
        self.sandbox.shop.orders[order_id] = OrderSeed.model_validate(facts | change)

    def has_shipment(self, **facts: Any) -> None:
        given = {"order_number": "1001", "tracking_number": "9405"} | facts
        self.sandbox.shop.shipments.append(ShipmentSeed.model_validate(given))

    def asked(self, *numbers: str, is_email: bool = True, **ticket: Any) -> OrderMatch:
        seed = {"id": "t-1", "sender": JANE, "comments": [MESSAGE]} | ticket
        self.sandbox.help_desk.seed(TicketSeed.model_validate(seed), "2026-03-02T12:00:00Z")
        read = self.services.help_desk.ticket(seed["id"])
        assert read is not None
        return find_order(self.services, read, read.in_order[-1], numbers, is_email=is_email)

    def operations(self) -> list[str]:
        """The operations requested, without the reading of the ticket."""
        return [sent.operation for sent in self.sandbox.sent][1:]


@pytest.fixture
def counter(
    sandbox: Sandbox, help_desk_client: HelpDesk, shop: Shopify, shipping: ShipStation, time: Time
) -> Counter:
    return Counter(sandbox, Services(help_desk_client, shop, shipping))


def linked(order_id: str = "6001") -> dict[str, Any]:
    return {"order": {"order_id": order_id, "app_client_id": "shop-1"}}


def no_match(reason: Reason) -> OrderMatch:
    return OrderMatch(None, None, reason)
