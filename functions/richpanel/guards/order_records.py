"""Order records: the facts and the owner's address of an order, from the data of each service."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from richpanel.guards.identity import normal_address

if TYPE_CHECKING:
    from collections.abc import Iterable

    from richpanel.clients.shipstation import Shipment
    from richpanel.clients.shopify import ShopOrder
    from richpanel.clients.tickets import HelpDeskOrder

_NUMBER = re.compile(r"[A-Z]{0,6}-?[0-9]{3,12}(-[0-9]{1,4})?")
_NOT_SENT = frozenset({"CANCELLED", "ERROR", "FAILURE"})
# Statuses in words for the customer. Statuses that are not listed are not stated.
_REFUND_WORDS = {"REFUNDED": "refunded", "PARTIALLY_REFUNDED": "partly refunded"}
_FULFILLMENT_WORDS = {
    "": "not shipped yet",
    "UNFULFILLED": "not shipped yet",
    "OPEN": "not shipped yet",
    "SCHEDULED": "not shipped yet",
    "PENDING_FULFILLMENT": "being prepared",
    "IN_PROGRESS": "being prepared",
    "ON_HOLD": "on hold",
    "PARTIAL": "partly shipped",
    "PARTIALLY_FULFILLED": "partly shipped",
    "FULFILLED": "shipped",
}
# ShipStation's codes of carriers with a known tracking page. Stamps.com and Endicia sell USPS labels.
_CARRIERS = {
    "stamps_com": "USPS",
    "usps": "USPS",
    "endicia": "USPS",
    "fedex": "FedEx",
    "fedex_walleted": "FedEx",
    "ups": "UPS",
    "ups_walleted": "UPS",
}


class Ambiguous(Exception):
    """Parcels of several orders have this number, and their owner is unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """
    The facts of one order.

    `order_id` is the shop's internal id, `number` the order number known to customers, in normal form. `status` and
    `fulfillment_status` are words for a customer. `created_at` is the order's own date, never the ticket's. A
    pre-order has no ship-by date, because no source verifies one.
    """

    order_id: str
    number: str = field(repr=False)
    created_at: datetime
    status: str
    fulfillment_status: str | None = None
    shipping_method: str | None = None
    tracking_number: str | None = field(default=None, repr=False)
    tracking_company: str | None = None
    tracking_url: str | None = field(default=None, repr=False)
    status_url: str | None = field(default=None, repr=False)
    is_cancelled: bool = False
    is_refunded: bool = False
    is_preorder: bool = False

    @property
    def is_tracked(self) -> bool:
        """Whether the parcel can be tracked."""
        return bool(self.tracking_number or self.tracking_url)


@dataclass(frozen=True, slots=True)
class Parcel:
    """A parcel with its tracking data. *sent_at* is in ms since 1970."""

    sent_at: int
    number: str | None = field(repr=False)
    company: str | None
    url: str | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class Record:
    """
    One service's copy of an order. `order` is None if a required fact is missing.

    `owners` are all owner addresses of the copy in normal form; an invalid address becomes an empty string, so that a
    copy with an invalid address differs from one without any.
    """

    number: str | None = field(repr=False)
    owners: frozenset[str] = field(repr=False)
    order: Order | None


def normal_number(text: str | None) -> str | None:
    """Return an order number in normal form: upper case, no `#`, no spaces. None if *text* is not an order number."""
    bare = "".join((text or "").split()).removeprefix("#")
    if not bare.isascii():
        return None
    number = bare.upper()
    return number if _NUMBER.fullmatch(number) else None


def of_shop(shop_order: ShopOrder) -> Record:
    """Build the record of an order at the shop."""
    sent = [f for f in shop_order.fulfillments if (f.status or "").upper() not in _NOT_SENT]
    number = normal_number(shop_order.name)
    order = _order(
        shop_order.legacy_resource_id or shop_order.id.rpartition("/")[2],
        number,
        created_at=shop_order.created_at,
        cancelled_at=shop_order.cancelled_at,
        financial=shop_order.display_financial_status,
        fulfillment=shop_order.display_fulfillment_status,
        method=shop_order.shipping_line.title if shop_order.shipping_line else None,
        status_url=shop_order.status_page_url,
        tags=shop_order.tags,
        parcels=[
            Parcel(f.created_at or 0, info.number, info.company, info.url)
            for f in sent
            for info in f.tracking_info
        ],
    )
    return Record(number, _owners(shop_order.email), order)


def of_help_desk(copy: HelpDeskOrder, order_id: str) -> Record:
    """
    Build the record of the help desk's copy of an order.

    The format of the copy is not documented (check): it is read as Shopify's data. Fields that are missing are treated
    as unknown, so that the order is looked up at the shop.
    """
    sent = [f for f in copy.fulfillments if (f.status or "").upper() not in _NOT_SENT]
    number = normal_number(copy.name or copy.order_number)
    titles = [copy.shipping_method, *(line.title for line in copy.shipping_lines)]
    order = _order(
        order_id,
        number,
        created_at=copy.created_at,
        cancelled_at=copy.cancelled_at,
        financial=copy.financial_status,
        fulfillment=copy.fulfillment_status,
        method=next(filter(None, titles), None),
        status_url=copy.order_status_url,
        tags=copy.tags,
        parcels=[
            Parcel(p.created_at or 0, p.tracking_number, p.tracking_company, p.tracking_url)
            for p in (*sent, copy)
        ],
    )
    says_how = order is not None and (order.shipping_method or order.is_tracked)
    of_customer = copy.customer.email if copy.customer else None
    owners = _owners(copy.email, copy.customer_email, of_customer)
    return Record(number, owners, order if says_how else None)


def with_parcel(order: Order, owners: frozenset[str], shipments: Iterable[Shipment]) -> Order:
    """
    Return the order with the newest of its parcels. Raises Ambiguous.

    The search by number also returns similar numbers, and several shops of one account may use the same numbers:
    parcels of other customers are excluded.
    """
    of_number = [
        parcel
        for parcel in shipments
        if normal_number(parcel.order_number) == order.number
        and not parcel.voided
        and not parcel.is_return_label
        and parcel.tracking_number
    ]
    theirs = [parcel for parcel in of_number if _owners(parcel.customer_email) <= owners]
    is_proved = all(_owners(parcel.customer_email) for parcel in theirs)
    if not is_proved and len({parcel.order_id for parcel in of_number}) > 1:
        raise Ambiguous
    if not theirs:
        return order
    newest = max(theirs, key=lambda parcel: parcel.create_date or 0)
    return replace(
        order,
        tracking_number=newest.tracking_number,
        tracking_company=_CARRIERS.get((newest.carrier_code or "").lower()),
    )


def _owners(*addresses: str | None) -> frozenset[str]:
    return frozenset(normal_address(address) or "" for address in addresses if address)


def _order(
    order_id: str,
    number: str | None,
    *,
    created_at: int | None,
    cancelled_at: int | None,
    financial: str | None,
    fulfillment: str | None,
    method: str | None,
    status_url: str | None,
    tags: Iterable[str],
    parcels: Iterable[Parcel],
) -> Order | None:
    """Build the facts; None without a number or a date, which every reply requires."""
    if number is None or created_at is None:
        return None
    tracked = [parcel for parcel in parcels if parcel.number or parcel.url]
    newest = max(tracked, key=lambda parcel: parcel.sent_at, default=None)
    refund = _REFUND_WORDS.get((financial or "").upper())
    progress = _FULFILLMENT_WORDS.get((fulfillment or "").upper())
    return Order(
        order_id=order_id,
        number=number,
        created_at=datetime.fromtimestamp(created_at / 1_000, UTC),
        status="cancelled" if cancelled_at is not None else refund or progress or "in progress",
        fulfillment_status=progress,
        shipping_method=method,
        tracking_number=newest.number if newest else None,
        tracking_company=newest.company if newest else None,
        tracking_url=newest.url if newest else None,
        status_url=status_url,
        is_cancelled=cancelled_at is not None,
        is_refunded=refund is not None,
        is_preorder=_is_preorder(tags),
    )


def _is_preorder(tags: Iterable[str]) -> bool:
    """Return whether a tag marks the order as a pre-order, in the spelling of most apps (check)."""
    names = ",".join(tags).lower().split(",")  # the older API returns all tags in one string
    return any(re.sub(r"[^a-z]", "", tag) == "preorder" for tag in names)
