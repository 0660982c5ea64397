"""
Client of Shopify's Admin GraphQL API, read only: orders by number or id.

A search also returns similar numbers, so its results are candidates; see `guards.order_ownership`. An app sees only
the orders of the last 60 days unless it has the scope `read_all_orders` (check): older ones seem not to exist.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import Field

from richpanel.clients.calls import BadAnswer, attempt, content, refusal, repeatable
from richpanel.clients.shapes import Id, Moment, ProviderModel, Some, parse_list
from shared.providers.outcomes import NotSent, Refused

if TYPE_CHECKING:
    from richpanel.clients.shop_access import ShopAccess
    from shared.providers import http

# Characters removed from a search term, because they could change the query.
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
_SCOPES = "query { currentAppInstallation { accessScopes { handle } } }"
_UNAUTHORIZED = 401
_BY_ID = f"query ($id: ID!) {{ order(id: $id) {{ {_FIELDS} }} }}"


class AccessScope(ProviderModel):
    """A scope of the app, such as `read_orders`."""

    handle: str


class TrackingInfo(ProviderModel):
    """One parcel of a fulfilment."""

    number: str | None = Field(default=None, repr=False)
    company: str | None = None
    url: str | None = Field(default=None, repr=False)


class Fulfillment(ProviderModel):
    """One shipment of an order; CANCELLED, ERROR and FAILURE do not count as sent."""

    created_at: Moment = None
    status: str | None = None
    tracking_info: Some[TrackingInfo] = Field(default_factory=list)


class ShippingLine(ProviderModel):
    """The shipping method chosen by the customer, such as `Standard (3-5 business days)`."""

    title: str | None = None


class ShopOrder(ProviderModel):
    """
    An order at the shop. `name` is the number known to customers, such as `#1001`; `email` the owner's address.

    The phone number is not requested, because it proves no identity.
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


@dataclass(slots=True, eq=False)
class Shopify:
    """Client for one shop, created per event. *base_url*: `https://{shop}.myshopify.com`; *version*: as `2026-01`."""

    base_url: str
    version: str
    access: ShopAccess
    deadline_ms: int

    def orders_named(self, number: str) -> list[ShopOrder]:
        """Return up to five orders found by a search for *number*. Raises Transient or Permanent."""
        term = _TERM.sub("", number)
        data = self._ask(_BY_NAME, {"query": f'name:"{term}"'}) if term else {"orders": []}
        return parse_list(ShopOrder, data.get("orders"), "nodes")

    def order(self, order_id: str) -> ShopOrder | None:
        """Return the order with the shop's internal id (digits), or None. Raises Transient or Permanent."""
        if not (order_id.isascii() and order_id.isdecimal()):
            return None
        order = self._ask(_BY_ID, {"id": f"gid://shopify/Order/{order_id}"}).get("order")
        return None if order is None else parse_list(ShopOrder, [order])[0]

    def scopes(self) -> frozenset[str]:
        """Return the handles of the scopes that the app was granted. Raises Transient or Permanent."""
        installation = self._ask(_SCOPES, {}).get("currentAppInstallation")
        scopes = installation.get("accessScopes") if isinstance(installation, dict) else None
        return frozenset(scope.handle for scope in parse_list(AccessScope, scopes))

    def _ask(self, query: str, variables: dict[str, str]) -> dict[str, Any]:
        """Return the data of a response without errors. A response with partly withheld data counts as an error."""
        payload = content(repeatable(lambda: self._once(query, variables), self.deadline_ms))
        data = payload.get("data") if isinstance(payload, dict) else None
        if not isinstance(data, dict):
            raise BadAnswer
        return data

    def _once(self, query: str, variables: dict[str, str]) -> http.Answer:
        token = self.access.token(self.deadline_ms)
        answer = self._post(query, variables, token)
        if answer.status == _UNAUTHORIZED:
            token_after = self.access.renewed(token, self.deadline_ms)
            answer = self._post(query, variables, token_after) if token_after else answer
        failure = refusal("shopify", answer.status)
        if failure:
            raise failure
        codes = _error_codes(answer)
        if "THROTTLED" in codes:  # with HTTP 200
            raise NotSent("shopify_throttled")
        if codes:
            raise Refused("shopify_error")
        return answer

    def _post(self, query: str, variables: dict[str, str], token: str) -> http.Answer:
        return attempt(
            "POST",
            f"{self.base_url}/admin/api/{self.version}/graphql.json",
            headers={"X-Shopify-Access-Token": token},
            deadline_ms=self.deadline_ms,
            body={"query": query, "variables": variables},
        )


def _error_codes(answer: http.Answer) -> list[str]:
    """Return the code of each error in a response (`errors[].extensions.code`), empty for errors without a code."""
    payload = content(answer)
    errors = payload.get("errors") if isinstance(payload, dict) else None
    if not errors:
        return []
    error_list = errors if isinstance(errors, list) else [errors]
    extensions = [
        error.get("extensions") if isinstance(error, dict) else None for error in error_list
    ]
    return [str(e.get("code", "")) if isinstance(e, dict) else "" for e in extensions]
