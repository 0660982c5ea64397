"""Warnings about the texts of a generated outline."""

from __future__ import annotations

import pytest

from newsletters.drafting.checks.outline_texts import warnings_of
from tests.unit.newsletters.drafting.samples import item, reference, section

RAIN = reference("r1", "Rain fell on seven days, 12 % more.", date="2026-05-01")
PRICES = reference("r2", "Prices fell to 40.")


@pytest.mark.parametrize(
    ("description", "codes"),
    [
        ("Rain fell on 7 days.", []),
        ("Rain fell on 8 days.", ["unsupported_number"]),
        ("Rain fell in 2026.", ["unsupported_number"]),
        ("Prices of 40", ["unsupported_number"]),
        ("Farmers say \u201cwe lost it all\u201d.", ["quote_changed"]),
        ("Die Preise sind gefallen, und wir haben das nicht erwartet.", ["wrong_language"]),
    ],
)
def test_a_text_of_the_model_is_compared_with_the_passages_of_its_item(
    description: str, codes: list[str]
) -> None:
    one = item("Rain", "r1", description=description)

    warnings = warnings_of([section("main", one)], {one.id: False}, [RAIN, PRICES], "en")

    assert [warning.code for warning in warnings] == codes
    assert {(warning.section, warning.item) for warning in warnings} <= {("section-1", one.id)}


def test_an_item_of_the_frame_may_use_all_passages_and_one_of_a_person_is_not_checked() -> None:
    frame, own = item("40 and 7"), item("Own 99")

    found = warnings_of(
        [section("introduction", frame, own)], {frame.id: True}, [RAIN, PRICES], "en"
    )

    assert [(warning.code, warning.text) for warning in found] == [("unlinked", "40 and 7")]
