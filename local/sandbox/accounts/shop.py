"""The shop in the sandbox: orders, and shipments of the shipping service."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from local.sandbox.accounts.seeds import Seed
from local.sandbox.request_limit import Window

TOKEN_SECONDS = 86_399
SHIPSTATION_REQUESTS, SHIPSTATION_SECONDS = 40, 60.0


class ParcelSeed(Seed):
    """One fulfillment of an order."""

    number: str | None = None
    company: str | None = None
    url: str | None = None
    status: str = "SUCCESS"
    created_at: str | None = None


class OrderSeed(Seed):
    """
    An order. `id` is the shop's internal id (digits), `name` the order number. Times are ISO 8601.

    `in_desk_copy`: the fields of the help desk's copy; without `email` the copy has no owner.
    """

    id: str = Field(pattern=r"^[0-9]{1,20}$")
    name: str
    email: str | None = None
    created_at: str
    cancelled_at: str | None = None
    fulfillment_status: str = "UNFULFILLED"
    financial_status: str = "PAID"
    shipping_method: str | None = None
    status_url: str | None = None
    tags: list[str] = Field(default_factory=list)
    parcels: list[ParcelSeed] = Field(default_factory=list)
    in_desk_copy: frozenset[str] = frozenset(
        {"name", "email", "created_at", "shipping_lines", "fulfillments"}
    )

    def help_desk_copy(self) -> dict[str, Any]:
        """Return the help desk's copy of the order, with the field names of Shopify's older API, as observed."""
        whole: dict[str, Any] = {
            "name": self.name,
            "email": self.email,
            "created_at": self.created_at,
            "shipping_lines": [{"title": self.shipping_method}] if self.shipping_method else [],
            "fulfillments": [
                {
                    "status": parcel.status.lower(),
                    "created_at": parcel.created_at or self.created_at,
                    "tracking_number": parcel.number,
                    "tracking_company": parcel.company,
                    "tracking_url": parcel.url,
                }
                for parcel in self.parcels
            ],
        }
        facts = {
            "cancelled_at": self.cancelled_at,
            "financial_status": self.financial_status.lower(),
            "fulfillment_status": None
            if self.fulfillment_status == "UNFULFILLED"
            else self.fulfillment_status.lower(),
            "order_status_url": self.status_url,
            "tags": ", ".join(self.tags),
        }
        return {name: value for name, value in whole.items() if name in self.in_desk_copy} | facts

    def as_node(self) -> dict[str, Any]:
        """Return the order as a node of the Admin API with all simulated fields."""
        return {
            "id": f"gid://shopify/Order/{self.id}",
            "legacyResourceId": self.id,
            "name": self.name,
            "email": self.email,
            "phone": None,
            "createdAt": self.created_at,
            "cancelledAt": self.cancelled_at,
            "tags": self.tags,
            "displayFulfillmentStatus": self.fulfillment_status,
            "displayFinancialStatus": self.financial_status,
            "statusPageUrl": self.status_url,
            "shippingLine": {"title": self.shipping_method} if self.shipping_method else None,
            "fulfillments": [
                {
                    "createdAt": parcel.created_at or self.created_at,
                    "status": parcel.status,
                    "trackingInfo": [
                        {"number": parcel.number, "company": parcel.company, "url": parcel.url}
                    ],
                }
                for parcel in self.parcels
            ],
        }


class ShipmentSeed(Seed):
    """A shipping label."""

    order_number: str
    tracking_number: str
    carrier_code: str = "stamps_com"
    customer_email: str = ""
    order_id: int = 1
    create_date: str = "2026-03-03T10:00:00.0000000"
    voided: bool = False
    is_return_label: bool = False


class Shop:
    """
    Orders by their id, oldest first, and shipments. `client` are the app's client credentials.

    Any static token is valid; `revoked` ones and expired ones of the client credentials are not.
    """

    def __init__(self) -> None:
        self.client = ("client-1", "client-secret-1")
        self.is_installed = True
        self.scopes = ["read_orders", "read_all_orders"]
        self.issued: dict[str, float] = {}
        self.revoked: set[str] = set()
        self.orders: dict[str, OrderSeed] = {}
        self.shipments: list[ShipmentSeed] = []
        self.shipping_window = Window(SHIPSTATION_REQUESTS, SHIPSTATION_SECONDS)

    def issue_token(self, now: float) -> str:
        """Return a new token of the client credentials; older ones stay valid until they expire."""
        token = f"shpat_{len(self.issued) + 1}"
        self.issued[token] = now + TOKEN_SECONDS
        return token

    def accepts(self, token: str, now: float) -> bool:
        """Return whether a request with this token is executed."""
        return token not in self.revoked and now < self.issued.get(token, now + 1)

    def search_orders(self, text: str) -> list[OrderSeed]:
        """Return every order whose number contains *text*, newest first: as loose as Shopify's search."""
        number = text.strip("#").casefold()
        return [
            order for order in reversed(self.orders.values()) if number in order.name.casefold()
        ]
