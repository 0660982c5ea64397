"""
Shopify's Admin GraphQL API, read only: orders by number or id.

A search is loose and brings neighbours along, so what comes back are candidates; see `orders`. An app sees only the
orders of the last 60 days unless it has the scope `read_all_orders` (check): older ones look as if there were none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic import Field

from richpanel.clients.calls import BadAnswer, attempt, content, refusal, repeatable
from richpanel.clients.shapes import Id, Moment, ProviderModel, Some, several
from shared.providers.outcomes import NotSent, Refused

if TYPE_CHECKING:
    from shared.providers import http

# What a search term is made of; everything else could change what is searched for.
_TERM = re.compile(r"[^A-Za-z0-9-]")
_FIELDS = """
    id legacyResourceId name email createdAt cancelledAt tags
    displayFulfillmentStatus displayFinancialStatus statusPageUrl
    shippingLine { title }
    fulfillments(first: 10) { createdAt status trackingInfo(first: 5) { number company url } }
"""
_BY_NAME = (
    f"query ($query: String!) {{ orders(first: 5, query: $query) {{ nodes {{ {_FIELDS} }} }} }}"
)
_BY_ID = f"query ($id: ID!) {{ order(id: $id) {{ {_FIELDS} }} }}"


class TrackingInfo(ProviderModel):
    """One parcel of a fulfilment."""

    number: str | None = Field(default=None, repr=False)
    company: str | None = None
    url: str | None = Field(default=None, repr=False)


class Fulfillment(ProviderModel):
    """What was sent off at one time; only SUCCESS counts as sent."""

    created_at: Moment = None
    status: str | None = None
    tracking_info: Some[TrackingInfo] = Field(default_factory=list)


class ShippingLine(ProviderModel):
    """What the customer chose, such as `Standard (3-5 business days)`."""

    title: str | None = None


class ShopOrder(ProviderModel):
    """
    An order as the shop has it. `name` is the number that customers know, such as `#1001`; `email` its owner's.

    The phone is not asked for: nothing is proved by it.
    """

    id: Id
    legacy_resource_id: Id | None = None
    name: str = Field(repr=False)
    email: str | None = Field(default=None, repr=False)
    created_at: Moment = None
    cancelled_at: Moment = None
    tags: Some[str] = Field(default_factory=list)
    display_fulfillment_status: str | None = None
    display_financial_status: str | None = None
    status_page_url: str | None = Field(default=None, repr=False)
    shipping_line: ShippingLine | None = None
    fulfillments: Some[Fulfillment] = Field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Shopify:
    """One shop, for one event. *base_url* is `https://{shop}.myshopify.com`, *version* such as `2026-01`."""

    base_url: str
    version: str
    token: str = field(repr=False)
    deadline_ms: int

    def orders_named(self, number: str) -> list[ShopOrder]:
        """Up to five orders that a search for *number* brings. Raises Transient or Permanent."""
        term = _TERM.sub("", number)
        data = self._ask(_BY_NAME, {"query": f'name:"{term}"'}) if term else {"orders": []}
        return several(ShopOrder, data.get("orders"), "nodes")

    def order(self, order_id: str) -> ShopOrder | None:
        """The order with the shop's internal id (digits); None when there is none. Raises Transient or Permanent."""
        if not (order_id.isascii() and order_id.isdecimal()):
            return None
        found = self._ask(_BY_ID, {"id": f"gid://shopify/Order/{order_id}"}).get("order")
        return None if found is None else several(ShopOrder, [found])[0]

    def _ask(self, query: str, variables: dict[str, str]) -> dict[str, Any]:
        """The data of an answer without errors: an order of which something was withheld counts as an error."""
        payload = content(repeatable(lambda: self._once(query, variables), self.deadline_ms))
        data = payload.get("data") if isinstance(payload, dict) else None
        if not isinstance(data, dict):
            raise BadAnswer
        return data

    def _once(self, query: str, variables: dict[str, str]) -> http.Answer:
        answer = attempt(
            "POST",
            f"{self.base_url}/admin/api/{self.version}/graphql.json",
            headers={"X-Shopify-Access-Token": self.token},
            deadline_ms=self.deadline_ms,
            body={"query": query, "variables": variables},
        )
        failure = refusal("shopify", answer.status)
        if failure:
            raise failure
        codes = _error_codes(answer)
        if "THROTTLED" in codes:  # with HTTP 200
            raise NotSent("shopify_throttled")
        if codes:
            raise Refused("shopify_error")
        return answer


def _error_codes(answer: http.Answer) -> list[str]:
    """The code of each error in an answer (`errors[].extensions.code`), empty for one without a code."""
    payload = content(answer)
    errors = payload.get("errors") if isinstance(payload, dict) else None
    if not errors:
        return []
    found = errors if isinstance(errors, list) else [errors]
    extensions = [error.get("extensions") if isinstance(error, dict) else None for error in found]
    return [str(e.get("code", "")) if isinstance(e, dict) else "" for e in extensions]
