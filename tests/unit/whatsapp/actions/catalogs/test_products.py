"""Products of Meta's catalogs as items."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whatsapp.actions.commerce.catalogs.provider import product_of

FIELDS = st.sampled_from(
    [
        *("retailer_id", "name", "description", "price", "currency", "image_url", "availability"),
        *("product_type", "url"),
    ]
)


@given(st.dictionaries(FIELDS, st.none() | st.integers() | st.text(max_size=30)))
def test_any_product_of_the_provider_is_an_item_or_left_out(found: dict[str, Any]) -> None:
    product = product_of("acme", "80000", found)

    assert (product is None) is (not found.get("retailer_id"))
    if product is not None:
        assert product.pk == f"PRODUCT#80000#{found['retailer_id']}"
        assert product.company == "acme"


@pytest.mark.parametrize(
    ("word", "availability"),
    [
        ("in stock", "in_stock"),
        ("available for order", "in_stock"),
        ("preorder", "in_stock"),
        ("out of stock", "out_of_stock"),
        ("discontinued", "out_of_stock"),
        ("", None),
    ],
)
def test_the_words_for_availability_are_two(word: str, availability: str | None) -> None:
    product = product_of("acme", "80000", {"retailer_id": "b-1", "availability": word})

    assert product is not None
    assert product.availability == availability


def test_a_long_description_is_cut_at_its_bound() -> None:
    product = product_of("acme", "80000", {"retailer_id": "b-1", "description": "x" * 6_000})

    assert product is not None
    assert product.description == "x" * 5_000
