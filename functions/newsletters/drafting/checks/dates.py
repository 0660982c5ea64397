"""
The months of the dates of a text, whose days and years are numbers as others: `5 March` says more than `5`.

A month in words counts in a text that is checked if it stands beside a number; in a passage, wherever it stands.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Final

from newsletters.drafting.checks.number_words import folded

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

# By language: the twelve months, further words of one joined by `/`.
_MONTHS: Final = {
    "en": """january/jan february/feb march/mar april/apr may june/jun july/jul august/aug september/sep/sept
        october/oct november/nov december/dec""",
    "de": """januar/jänner/jan februar/feb märz/mär april/apr mai juni/jun juli/jul august/aug september/sep/sept
        oktober/okt november/nov dezember/dez""",
    "fr": """janvier/janv février/févr mars avril/avr mai juin juillet/juil août septembre/sept octobre/oct novembre/nov
        décembre/déc""",
    "es": """enero febrero marzo abril mayo junio julio agosto septiembre/setiembre octubre noviembre diciembre""",
    "pt": """janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro""",
    "ar": """يناير/جانفي فبراير/فيفري/شباط مارس/آذار أبريل/إبريل/أفريل/نيسان مايو/أيار يونيو/جوان/حزيران
        يوليو/يوليوز/تموز أغسطس/غشت/آب سبتمبر/أيلول أكتوبر نوفمبر ديسمبر""",
    "sw": """januari februari machi aprili mei juni julai agosti septemba oktoba novemba desemba""",
    "am": """ጃንዩወሪ/ጃንዋሪ ፌብሩወሪ/ፌብሩዋሪ ማርች ኤፕሪል ሜይ ጁን ጁላይ ኦገስት ሴፕቴምበር ኦክቶበር ኖቬምበር ዲሴምበር""",
}  # fmt: skip
_CAPITALISED: Final = frozenset({"en", "de"})  # `5 may stay` names no month
_WORD: Final = re.compile(r"[^\W\d_][^\W\d_\u064b-\u065f]*(?:[\u064b-\u065f]+[^\W\d_]*)*")
_NUMBER_BEFORE: Final = re.compile(
    r"(?<!\d)\d{1,2}(?:st|nd|rd|th|er|º|ª|\.)?[\s\u00ad-]*(?:(?:of|de|do|da|ya|mwezi wa|شهر|من)\s+)?$",
    re.IGNORECASE,
)
_NUMBER_AFTER: Final = re.compile(
    r"\.?(?:[\s-]+(?:(?:de|of)\s+)?\d{1,4}|,\s+\d{4})(?!\d)", re.IGNORECASE
)
_NUMERIC: Final = re.compile(r"(?<!\d)(\d{1,4})([./-])(\d{1,2})\2(\d{1,4})(?!\d)")
_MOST: Final = 12
_LONGEST: Final = 20  # characters before a month that are looked at
_YEAR: Final = 4  # digits


def dates_in(text: str, language: str) -> dict[str, int]:
    """Return the month of each date in words, by the date as it is written: `5 March`."""
    found: dict[str, int] = {}
    for match, month in _named(text, language):
        before = _NUMBER_BEFORE.search(text[max(0, match.start() - _LONGEST) : match.start()])
        after = _NUMBER_AFTER.match(text, match.end())
        if before or after:
            start = match.start() - (len(before.group()) if before else 0)
            found[text[start : after.end() if after else match.end()]] = month
    return found


def months_in(text: str, languages: Collection[str]) -> set[int]:
    """Return the months that a passage names, in words of one of *languages* or in digits: `2026-03-05`."""
    named = {month for one in languages for _, month in _named(text, one)}
    return named | set(_of_digits(text))


def _named(text: str, language: str) -> Iterator[tuple[re.Match[str], int]]:
    months = _words(language)
    for match in _WORD.finditer(text):
        month = months.get(folded(match.group()))
        if month and (language not in _CAPITALISED or match.group()[0].isupper()):
            yield match, month


def _of_digits(text: str) -> Iterator[int]:
    for first, _, second, third in _NUMERIC.findall(text):
        # With the year last, day and month stand in either order.
        parts = (second,) if len(first) == _YEAR else (first, second)
        is_date = len(first) == _YEAR or len(third) in {2, _YEAR}
        yield from (int(one) for one in parts if is_date and 1 <= int(one) <= _MOST)


@functools.cache
def _words(language: str) -> dict[str, int]:
    return {
        folded(word): month
        for month, words in enumerate(_MONTHS.get(language, "").split(), start=1)
        for word in words.split("/")
    }
