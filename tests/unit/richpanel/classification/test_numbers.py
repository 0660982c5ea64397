"""Order and tracking numbers in the spellings of customers, and numbers of other kinds."""

import pytest

from richpanel.classification.order_numbers import numbers_in
from tests.cases import each


def orders(text: str, *, expects_order: bool = False, mask: str | None = None) -> tuple[str, ...]:
    return numbers_in(text, expects_order=expects_order, mask=mask).orders


@each(
    ("text", "found"),
    [
        ("order #12345", ("12345",)),
        ("Order No. 12345", ("12345",)),
        ("order number is: 12345", ("12345",)),
        ("my order id = sh-20931", ("SH-20931",)),
        ("#1001-2 please", ("1001-2",)),
        ("purchase 77120", ("77120",)),
        ("confirmation: ABC123456", ("ABC123456",)),
        ("orders 1001 and 1002", ("1001", "1002")),
        ("order 1001, 1002 & 1003", ("1001", "1002", "1003")),
        ("order 1001, I repeat order #1001", ("1001",)),
        ("pedido n\u00famero 55012", ("55012",)),
        ("55310", ("55310",)),
        ("  #55310! ", ("55310",)),
    ],
)
def test_an_order_number_is_found_however_it_is_spelled(text: str, found: tuple[str, ...]) -> None:
    assert orders(text) == found


@each(
    "text",
    [
        "I ordered on 2025-03-04",
        "my order from 3/4/2025",
        "order of March 12",
        "order placed 12 March 2025",
        "I placed the order in 2024",
        "order arrived at 10:30",
        "order for $1,234.50",
        "an order of 300 usd",
        "20% off my order",
        "my order: 120 pieces",
        "order is 100 days late",
        "order, call me on 555-201-3344",
        "order: my phone is 5552013344",
        "order to Springfield, IL 62704",
        "order paid with 4111 1111 1111 1111",
        "order https://shop.example.com/orders/12345",
        "apt #204",
        "I have 12345 followers",
        "hello 12345 world",
    ],
)
def test_a_number_of_another_kind_is_no_order_number(text: str) -> None:
    assert orders(text) == ()


def test_a_bare_number_counts_when_an_order_number_was_requested() -> None:
    assert orders("it is 12345 I think", expects_order=True) == ("12345",)
    assert orders("in 2024", expects_order=True) == ()


def test_a_number_in_the_shops_own_format_needs_no_word_before_it() -> None:
    assert orders("hello sh-12345 please", mask="SH-99999") == ("SH-12345",)


@each(
    ("text", "found"),
    [
        ("1Z999AA10123456784", "1Z999AA10123456784"),
        ("1z 999 aa1 01 2345 6784", "1Z999AA10123456784"),
        ("9400 1000 0000 0000 0000 06", "9400100000000000000006"),
        ("RR123456785US", "RR123456785US"),
        ("TBA123456789012", "TBA123456789012"),
        ("JJD000390007882345678", "JJD000390007882345678"),
        ("fedex 123456789012", "123456789012"),
        ("tracking: 1234567890", "1234567890"),
        ("https://www.fedex.com/fedextrack/?trknbr=123456789012", "123456789012"),
        (
            "https://tools.usps.com/go/TrackConfirmAction?tLabels=9400100000000000000006",
            "9400100000000000000006",
        ),
    ],
)  # fmt: skip - a link is one line
def test_a_tracking_number_is_found_and_is_no_order(text: str, found: str) -> None:
    numbers = numbers_in(text, expects_order=True, mask=None)

    assert numbers.trackings == (found,)
    assert numbers.orders == ()


@pytest.mark.parametrize("text", ["RR123456780US", "123456789012 is my favourite number"])
def test_a_wrong_check_digit_or_a_number_without_a_carrier_is_no_tracking_number(text: str) -> None:
    assert numbers_in(text, expects_order=False, mask=None).trackings == ()


def test_ten_digits_after_the_word_order_are_an_order_number() -> None:
    numbers = numbers_in("tracking for order 1234567890", expects_order=False, mask=None)

    assert numbers == (("1234567890",), ())
