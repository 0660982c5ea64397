"""Prices of catalogs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each
from whatsapp.actions.commerce.catalogs.prices import minor_units, text_of

CURRENCIES = st.sampled_from(["INR", "USD", "JPY", "KWD", "EUR"])


@given(price=st.integers(0, 999_999_999_999), currency=CURRENCIES)
def test_a_price_that_was_sent_is_read_again(price: int, currency: str) -> None:
    assert minor_units(text_of(price, currency), currency) == price


@pytest.mark.parametrize(
    ("price", "currency", "text"),
    [(50_000, "INR", "500.00 INR"), (5, "USD", "0.05 USD"), (500, "JPY", "500 JPY"), (1_250, "KWD", "1.250 KWD")],
)  # fmt: skip
def test_a_price_has_the_decimals_of_its_currency(price: int, currency: str, text: str) -> None:
    assert text_of(price, currency) == text


@each(
    ("text", "currency", "price"),
    [
        ("₹1,500.00", "INR", 150_000),
        ("1.500,00 €", "EUR", 150_000),
        ("1\u00a0500,00 €", "EUR", 150_000),
        ("$1,500", "USD", 150_000),
        ("¥1,500", "JPY", 1_500),
        ("USD 10.5", "USD", 10_500),
        ("free", "USD", None),
        ("", "USD", None),
        ("9" * 20, "USD", None),
    ],
)
def test_shown_prices_are_read_with_any_separators(
    text: str, currency: str, price: int | None
) -> None:
    assert minor_units(text, currency) == price


@given(st.text(max_size=40), CURRENCIES)
def test_any_text_is_read_without_an_exception(text: str, currency: str) -> None:
    found = minor_units(text, currency)

    assert found is None or found >= 0
