"""Order facts from the shop and the shipping service, and their failures."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from local.sandbox.accounts.tickets import TicketSeed
from richpanel.decisions.facts import MatchPath
from richpanel.guards.order_ownership import Reason, find_order
from richpanel.store.rate_limit import Throttled
from tests.integration.richpanel.orders.conftest import (
    JANE,
    JOE,
    MESSAGE,
    PARCEL,
    Counter,
    linked,
    no_match,
)

# Lookups that fail


@pytest.mark.parametrize(
    ("provider", "fault"),
    [
        ("richpanel", {"kind": "status", "status": 500, "times": 2}),
        ("richpanel", {"kind": "status", "status": 403, "times": 2}),
        ("richpanel", {"kind": "html"}),
        ("richpanel", {"kind": "reset", "times": 2}),
        ("shopify", {"kind": "status", "status": 500, "times": 2}),
        ("shopify", {"kind": "status", "status": 429, "times": 2}),
        ("shopify", {"kind": "status", "status": 401, "times": 2}),
        ("shopify", {"kind": "html"}),
        ("shopify", {"kind": "empty"}),
        ("shipstation", {"kind": "status", "status": 500, "times": 2}),
        ("shipstation", {"kind": "status", "status": 401, "times": 2}),
        ("shipstation", {"kind": "empty"}),
    ],
)
def test_a_failed_lookup_has_a_reason_of_its_own_and_returns_no_order(
    counter: Counter, provider: str, fault: dict[str, Any]
) -> None:
    counter.has_order()
    operation = {"richpanel": "get_order", "shopify": "query", "shipstation": "list_shipments"}
    counter.sandbox.faults.add(provider=provider, operation=operation[provider], **fault)

    match = counter.asked("1001")

    assert match == no_match(Reason.LOOKUP_FAILED)
    assert match.is_failed
    assert counter.sandbox.faults.pending() == []


@pytest.mark.parametrize("provider", ["shopify", "shipstation"])
def test_a_throttled_lookup_is_retried_once(counter: Counter, provider: str) -> None:
    counter.has_order()
    counter.sandbox.faults.add(kind="status", status=429, provider=provider)

    assert counter.asked("1001").path is MatchPath.NUMBER


def test_parleys_own_request_limit_returns_the_event_to_the_queue(counter: Counter) -> None:
    counter.has_order()
    seed = TicketSeed.model_validate({"id": "t-1", "sender": JANE, "comments": [MESSAGE]})
    counter.sandbox.help_desk.seed(seed, "2026-03-02T12:00:00Z")
    ticket = counter.services.help_desk.ticket("t-1")
    assert ticket is not None
    counter.services.help_desk.limiter.close("100")

    with pytest.raises(Throttled):
        find_order(counter.services, ticket, ticket.comments[0], ["1001"], is_email=True)


def test_without_a_shop_only_a_link_can_find_an_order(counter: Counter) -> None:
    counter.services = replace(counter.services, shop=None, shipping=None)
    counter.has_order()

    assert counter.asked("1001") == no_match(Reason.NOT_FOUND)
    assert counter.asked(**linked()).path is MatchPath.LINKED


def test_without_a_shop_a_copy_without_its_date_is_a_failed_lookup(counter: Counter) -> None:
    counter.services = replace(counter.services, shop=None, shipping=None)
    counter.has_order(in_desk_copy={"name", "email"})

    assert counter.asked(**linked()) == no_match(Reason.LOOKUP_FAILED)


# Facts


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"fulfillment_status": "FULFILLED"}, ("shipped", False, False)),
        ({"fulfillment_status": "PARTIALLY_FULFILLED"}, ("partly shipped", False, False)),
        ({"fulfillment_status": "SOMETHING_NEW"}, ("in progress", False, False)),
        ({"cancelled_at": "2026-03-02T10:00:00Z"}, ("cancelled", True, False)),
        ({"financial_status": "REFUNDED"}, ("refunded", False, True)),
        ({"financial_status": "PARTIALLY_REFUNDED"}, ("partly refunded", False, True)),
    ],
)
@pytest.mark.parametrize("way", ["number", "linked"])
def test_order_states_are_described_in_words(
    counter: Counter, change: dict[str, Any], expected: tuple[str, bool, bool], way: str
) -> None:
    counter.has_order(**change)

    order = (counter.asked("1001") if way == "number" else counter.asked(**linked())).order

    assert order is not None
    assert (order.status, order.is_cancelled, order.is_refunded) == expected


@pytest.mark.parametrize("tag", ["Pre-Order", "preorder", "PRE ORDER"])
@pytest.mark.parametrize("way", ["number", "linked"])
def test_a_pre_order_is_recognised_by_its_tag(counter: Counter, tag: str, way: str) -> None:
    counter.has_order(tags=["vip", tag])

    order = (counter.asked("1001") if way == "number" else counter.asked(**linked())).order
    assert order is not None
    assert order.is_preorder


def test_the_newest_parcel_that_was_really_sent_counts(counter: Counter) -> None:
    parcels = [
        {"number": "A", "company": "UPS", "created_at": "2026-03-01T10:00:00Z"},
        {"number": "B", "company": "UPS", "created_at": "2026-03-02T10:00:00Z"},
        {"number": "C", "company": "UPS", "created_at": "2026-03-03T10:00:00Z", "status": "CANCELLED"},
    ]  # fmt: skip
    counter.has_order(parcels=parcels)

    for match in (counter.asked("1001"), counter.asked(**linked())):
        assert match.order is not None
        assert match.order.tracking_number == "B"


# The shipping service


@pytest.mark.parametrize(
    "shipment",
    [
        {"order_number": "10012"},
        {"voided": True},
        {"is_return_label": True},
        {"customer_email": JOE},
    ],
    ids=["neighbour", "voided", "return", "another customer"],
)
def test_a_parcel_that_is_not_this_orders_is_not_added(
    counter: Counter, shipment: dict[str, Any]
) -> None:
    counter.has_order()
    counter.has_shipment(**shipment)

    order = counter.asked("1001").order
    assert order is not None
    assert order.tracking_number is None


def test_parcels_of_two_shops_with_one_order_number_are_a_failed_lookup(counter: Counter) -> None:
    counter.has_order()
    counter.has_shipment(order_id=1, tracking_number="9405")
    counter.has_shipment(order_id=2, tracking_number="9406")

    assert counter.asked("1001") == no_match(Reason.LOOKUP_FAILED)


def test_parcels_of_two_shops_are_distinguished_by_their_customers(counter: Counter) -> None:
    counter.has_order()
    counter.has_shipment(order_id=1, tracking_number="9405", customer_email=JANE)
    theirs = {"tracking_number": "9406", "create_date": "2026-03-09T10:00:00"}
    counter.has_shipment(order_id=2, customer_email=JOE, **theirs)

    order = counter.asked("1001").order
    assert order is not None
    assert order.tracking_number == "9405"


def test_the_newest_of_the_orders_own_parcels_is_added(counter: Counter) -> None:
    counter.has_order()
    newest = {"create_date": "2026-03-04T10:00:00.0000000", "carrier_code": "ups"}
    counter.has_shipment(tracking_number="9406", **newest)
    counter.has_shipment(tracking_number="9405", create_date="2026-03-03T10:00:00.0000000")

    order = counter.asked("1001").order
    assert order is not None
    assert (order.tracking_number, order.tracking_company) == ("9406", "UPS")


def test_a_cancelled_or_tracked_order_needs_no_shipping_service(counter: Counter) -> None:
    counter.has_order(parcels=[PARCEL])
    counter.asked("1001")
    assert "list_shipments" not in counter.operations()

    counter.has_order(cancelled_at="2026-03-02T10:00:00Z")
    counter.asked("1001")
    assert "list_shipments" not in counter.operations()
