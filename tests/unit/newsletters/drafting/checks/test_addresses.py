"""Addresses that a model wrote."""

from __future__ import annotations

import pytest

from newsletters.drafting.checks.addresses import without_addresses


@pytest.mark.parametrize(
    "address",
    [
        "https://bad.example/x?y=1#z", "ftp://bad.example", "foo+bar://x/y", "www.bad.example", "bad.example",
        "bad.example/x", "bad.de", "nation.co.ke", "sub.bad.in", "bad.py/x", "bad.org:8080/x", "a.b@bad.example",
        "mailto:a@bad.example", "javascript:alert",
    ],
)  # fmt: skip
def test_an_address_is_removed_and_its_sentence_stays(address: str) -> None:
    assert without_addresses(f"See {address}, then go.") == "See , then go."


@pytest.mark.parametrize(
    "text",
    [
        "e.g. z.B. U.S. a.m. i.e.", "setup.py, main.rs and README.md", "prices fell.In May", "3.5 t/ha, 1.2.3",
        "Node.js and ASP.NET", "km.h/day and and/or", "12:30, re:think", "sys.argv[1]", "St. Ann", "a@b",
    ],
)  # fmt: skip
def test_a_text_without_addresses_stays(text: str) -> None:
    assert without_addresses(text) == text


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("See https://bad.example/maize_(crop) now", "See  now"),
        ("See (https://bad.example/x), now", "See (), now"),
        ("See (bad.example/maize_(crop)).", "See ()."),
    ],
)
def test_an_address_ends_with_the_brackets_that_it_opened(text: str, rest: str) -> None:
    assert without_addresses(text) == rest
