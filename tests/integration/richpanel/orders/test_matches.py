"""Matching a mail to an order by the number in its text or by the ticket's link."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from richpanel.decisions.facts import MatchPath
from richpanel.guards.order_ownership import OrderMatch, Reason
from richpanel.guards.order_records import Order
from tests.integration.richpanel.orders.conftest import JANE, JOE, PARCEL, Counter, linked, no_match

# Matches


def test_an_order_of_exactly_the_named_number_and_the_senders_address_is_a_match(
    counter: Counter,
) -> None:
    counter.has_order(parcels=[PARCEL], status_url="https://shop.example/orders/x")

    match = counter.asked("1001")

    assert match == OrderMatch(
        MatchPath.NUMBER,
        Order(
            order_id="6001",
            number="1001",
            created_at=datetime(2026, 3, 1, 9, tzinfo=UTC),
            status="not shipped yet",
            fulfillment_status="not shipped yet",
            shipping_method="Standard",
            tracking_number="9400111899223100000000",
            tracking_company="USPS",
            tracking_url="https://tools.usps.com/x",
            status_url="https://shop.example/orders/x",
        ),
        None,
    )
    assert counter.operations() == ["get_order", "query"]


@pytest.mark.parametrize("spelling", ["1001", "#1001", " # 1001 ", "10 01"])
def test_spaces_and_the_hash_of_a_number_are_ignored(counter: Counter, spelling: str) -> None:
    counter.has_order()

    assert counter.asked(spelling).path is MatchPath.NUMBER


def test_letter_case_of_a_number_is_ignored(counter: Counter) -> None:
    counter.has_order("EN-1001")

    assert counter.asked("en-1001").path is MatchPath.NUMBER


def test_two_spellings_of_a_number_count_as_one_number(counter: Counter) -> None:
    counter.has_order()

    assert counter.asked("1001", "#1001").path is MatchPath.NUMBER


def test_letter_case_of_an_address_is_ignored(counter: Counter) -> None:
    counter.has_order(email="JANE.Doe@Shop-Mail.example")

    assert counter.asked("1001", sender="Jane.doe@shop-mail.EXAMPLE").path is MatchPath.NUMBER


def test_the_linked_order_is_a_match_if_its_owner_is_the_sender(
    counter: Counter,
) -> None:
    counter.has_order(parcels=[PARCEL])

    match = counter.asked(**linked())

    assert match.path is MatchPath.LINKED
    assert match.order is not None
    assert (match.order.order_id, match.order.number) == ("6001", "1001")
    assert counter.operations() == ["get_order", "get_order"]  # the shop is not needed


def test_a_linked_order_may_also_be_named_in_the_text(counter: Counter) -> None:
    counter.has_order(parcels=[PARCEL])

    assert counter.asked("#1001", **linked()).path is MatchPath.LINKED


@pytest.mark.parametrize(
    "copy", [{"name", "created_at", "shipping_lines"}, {"name", "email"}, {"email", "created_at"}, set()]
)  # fmt: skip
def test_a_linked_order_with_an_incomplete_help_desk_copy_is_read_from_the_shop(
    counter: Counter, copy: set[str]
) -> None:
    counter.has_order(in_desk_copy=copy, parcels=[PARCEL])

    match = counter.asked(**linked())

    assert match.path is MatchPath.LINKED
    assert match.order is not None
    assert match.order.tracking_company == "USPS"
    assert counter.operations() == ["get_order", "get_order", "query"]


def test_a_link_by_number_is_found_by_number(counter: Counter) -> None:
    """Undocumented: links of some shops may contain the order number instead of the id."""
    counter.has_order()

    assert counter.asked(**linked("1001")).path is MatchPath.LINKED


def test_a_parcel_known_to_the_shipping_service_only_is_added(counter: Counter) -> None:
    counter.has_order()
    counter.has_shipment(customer_email="Jane.Doe@shop-mail.example", tracking_number="9405")

    order = counter.asked("1001").order

    assert order is not None
    assert (order.tracking_number, order.tracking_company) == ("9405", "USPS")


def test_an_order_without_any_parcel_is_still_a_match(counter: Counter) -> None:
    counter.has_order()

    order = counter.asked("1001").order
    assert order is not None
    assert not order.is_tracked


# Numbers


def test_no_number_and_no_link_is_no_match(counter: Counter) -> None:
    counter.has_order()

    assert counter.asked() == no_match(Reason.NO_NUMBER)
    assert counter.operations() == ["get_order"]  # no search by address


def test_two_numbers_are_ambiguous_and_nothing_is_looked_up(counter: Counter) -> None:
    counter.has_order("#1001")
    counter.has_order("#1002", "6002")

    assert counter.asked("1001", "1002") == no_match(Reason.SEVERAL_NUMBERS)
    assert counter.asked("1001", "1002", **linked()) == no_match(Reason.SEVERAL_NUMBERS)


def test_similar_order_numbers_in_the_search_results_are_no_match(counter: Counter) -> None:
    counter.has_order("#10010", "6002")
    counter.has_order("#21001", "6003")
    counter.has_order("#1001-2", "6004")

    assert counter.asked("1001") == no_match(Reason.NOT_FOUND)


def test_the_exact_number_is_found_among_similar_numbers(counter: Counter) -> None:
    counter.has_order("#1001", parcels=[PARCEL])
    counter.has_order("#10010", "6002", email=JANE)
    counter.has_order("#21001", "6003", email=JANE)

    order = counter.asked("1001").order
    assert order is not None
    assert order.order_id == "6001"


def test_a_similar_order_of_the_sender_is_not_returned_in_place_of_another_customers_order(
    counter: Counter,
) -> None:
    counter.has_order("#1001", email=JOE)
    counter.has_order("#10010", "6002", email=JANE)

    assert counter.asked("1001") == no_match(Reason.NOT_OWNER)


def test_two_orders_of_one_number_are_no_match(counter: Counter) -> None:
    counter.has_order("#1001")
    counter.has_order("1001", "6002")

    assert counter.asked("1001") == no_match(Reason.SEVERAL_ORDERS)


@pytest.mark.parametrize(
    "number",
    [
        '1001" OR email:"*', "*", "", "name:1001", "1001 OR 1002", "1" * 50, "\uff11\uff10\uff10\uff11", "\u0661001",
        "1001\u200b", "1001/../1", JANE, "+1 555 0100 200",
    ],
)  # fmt: skip
def test_a_text_that_is_no_order_number_is_not_searched_for(counter: Counter, number: str) -> None:
    counter.has_order()
    counter.has_order("#1002", "6002")

    assert counter.asked(number) == no_match(Reason.NOT_FOUND)
    assert counter.operations() == ["get_order"]


def test_the_number_of_another_customers_order_and_an_unknown_number_look_the_same(
    counter: Counter,
) -> None:
    counter.has_order("#1001", email=JOE)
    theirs = counter.asked("1001")
    asked_for_theirs = counter.operations()
    counter.sandbox.forget_sent()
    unknown = counter.asked("9999")

    assert (theirs.path, theirs.order, theirs.is_failed) == (None, None, False)
    assert (unknown.path, unknown.order, unknown.is_failed) == (None, None, False)
    assert counter.operations() == asked_for_theirs
    assert (theirs.reason, unknown.reason) == (Reason.NOT_OWNER, Reason.NOT_FOUND)  # for the audit


@pytest.mark.parametrize("email", [None, ""])
def test_an_order_without_an_owner_is_no_match(counter: Counter, email: str | None) -> None:
    counter.has_order(email=email)

    assert counter.asked("1001") == no_match(Reason.OWNER_UNKNOWN)
