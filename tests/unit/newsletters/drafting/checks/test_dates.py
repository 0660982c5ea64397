"""Months of dates, in words and in digits."""

from __future__ import annotations

import pytest

from newsletters.drafting.checks.dates import dates_in, months_in
from newsletters.drafting.checks.number_words import LANGUAGES
from newsletters.drafting.checks.statements import unsupported_numbers
from newsletters.store.items import Reference


def reference(text: str, date: str = "") -> Reference:
    return Reference(id="chunk-1", title="", url="", date=date, text=text)


@pytest.mark.parametrize(
    ("language", "text", "dates"),
    [
        ("en", "on 5 March 2026, March 5th, 5th of March", ["5 March 2026", "March 5", "5th of March"]),
        ("en", "in Sept. 2026, March 5, 2026", ["Sept. 2026", "March 5"]),
        ("en", "in March; 12 may leave; the 3 march on", []),
        ("de", "am 3. M\u00e4rz 2026 und am 4. J\u00e4nner; im M\u00e4rz", ["3. M\u00e4rz 2026", "4. J\u00e4nner"]),
        ("fr", "le 1er f\u00e9vrier, 12 ao\u00fbt 2026", ["1er f\u00e9vrier", "12 ao\u00fbt 2026"]),
        ("es", "el 15 de enero de 2027", ["15 de enero de 2027"]),
        ("pt", "a 15 de mar\u00e7o de 2027", ["15 de mar\u00e7o de 2027"]),
        ("ar", "في 15 يناير 2027", ["15 يناير 2027"]),
        ("sw", "tarehe 15 Machi 2027", ["15 Machi 2027"]),
        ("am", "ማርች 15", ["ማርች 15"]),
    ],
)  # fmt: skip
def test_a_month_beside_a_number_is_a_date(language: str, text: str, dates: list[str]) -> None:
    assert language in LANGUAGES
    assert list(dates_in(text, language)) == dates


@pytest.mark.parametrize(
    ("text", "months"),
    [
        ("2026-03-05", {3}),
        ("05.03.2026 and 5/4/26", {5, 3, 4}),
        ("in March, before September", {3, 9}),
        ("version 1.2.3, 13.25.2026, 12:30", set()),
    ],
)
def test_a_passage_names_months_in_words_and_digits(text: str, months: set[int]) -> None:
    assert months_in(text, ["en"]) == months


@pytest.mark.parametrize(
    ("text", "passage", "found"),
    [
        ("It ends on 5 March 2026.", "The call ends on 5 January 2026.", ["5 March 2026"]),
        ("It ends on 5 March 2026.", "The call ends on 2026-03-05.", []),
        ("It ends on 2026-03-05.", "The call ends on 5 March 2026.", []),
        ("It ends on 2026-03-05.", "The call ends on 5 January 2026.", ["3"]),
        ("It ends on 5 March.", "Der Aufruf endet am 5. M\u00e4rz, und die Antr\u00e4ge sind f\u00fcr alle da.", []),
        ("It cost $3bn.", "It cost 3 dollars.", ["3000000000"]),
    ],
)  # fmt: skip
def test_a_date_must_stand_in_the_text_of_a_passage(
    text: str, passage: str, found: list[str]
) -> None:
    cited = [reference(passage, date="2026-03-05")]
    assert [one.text for one in unsupported_numbers(text, cited, "en")] == found
