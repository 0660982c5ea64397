"""Prices as lines of text, as they are copied from a rate card, become what the API takes."""

from __future__ import annotations

from typing import Any

from tests.cases import each
from tests.unit.console.typescript import run

SOURCE = "campaigns/costs/priceLines.ts"


def calls(expression: str, value: Any = None) -> Any:
    return run(SOURCE, expression, value)


def test_lines_become_prices_and_an_empty_price_is_none() -> None:
    text = "DE; 0,1131; 0,0456\n\nfr\t0.08\t\t0.04\n GB ;;;; 0 "
    assert calls("m.pricesOf(m.linesOf(value))", text) == [
        {"country": "DE", "marketing": "0.1131", "utility": "0.0456"},
        {"country": "FR", "marketing": "0.08", "authentication": "0.04"},
        {"country": "GB", "service": "0"},
    ]


@each(
    ("text", "problems"),
    [
        ("Germany; 1", ["country"]),
        ("DE; 1 EUR", ["price"]),
        ("DE; -1", ["price"]),
        ("DE; 1; 1; 1; 1; 1", ["price"]),
        ("DE; 0,1234567", ["price"]),
        ("DE", ["none"]),
        ("DE; ;", ["none"]),
        ("DE; 1\nde; 2", [None, "twice"]),
        ("DE; 0", [None]),
    ],
)
def test_a_line_that_is_no_price_says_why(text: str, problems: list[str | None]) -> None:
    assert calls("m.linesOf(value).map(({ problem }) => problem)", text) == problems


def test_prices_that_are_shown_as_lines_are_read_as_the_same() -> None:
    prices = [
        {"country": "DE", "marketingMicros": 113_100, "serviceMicros": 0},
        {"country": "FR", "utilityMicros": 80_000},
    ]
    assert calls("m.pricesOf(m.linesOf(m.textOf(value)))", prices) == [
        {"country": "DE", "marketing": "0.1131", "service": "0"},
        {"country": "FR", "utility": "0.08"},
    ]
