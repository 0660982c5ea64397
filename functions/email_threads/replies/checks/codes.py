"""Codes and numbers in texts, in one notation: without blanks and dashes, with digits of any script as ASCII. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from email_threads.parsing.verification.verification import normal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_LENGTHS: Final = range(4, 33)
_JOINED: Final = 12  # characters of a code that is written in groups
_LONG: Final = 5  # digits; shorter numbers are quantities, years and times
_WORD: Final = re.compile(r"[^\W_]+")
_GROUPS: Final = re.compile(
    r"(?<![^\W_])[A-Z0-9]{1,12}(?:[\s\-.,/()\u2013\u00b7]{1,3}[A-Z0-9]{1,12}){0,60}(?![^\W_])"
)
_DATE: Final = re.compile(
    r"\b(?:\d{4}-\d\d?-\d\d?|\d{1,2}([./-])\d{1,2}\1\d{2,4})\b|\b\d{1,2}[:.]\d\d\b(?![.,]?\d)"
)
_NUMBER: Final = re.compile(r"\d+(?:(?:[ \-./\u2013\u00b7]|,(?! ))\d+)*")


def codes_in(texts: Iterable[str]) -> frozenset[str]:
    """
    Return possible codes in texts: four digits and more, with any signs between them, words of letters and digits, and
    words in capitals. Links consist of such words.
    """
    found: set[str] = set()
    for text in texts:
        plain = normal(text)
        found |= {code for word in _WORD.findall(plain) if (code := _code(word)) is not None}
        for match in _GROUPS.findall(plain):
            found |= set(_joined(_WORD.findall(match)))
    return frozenset(found)


def numbers_in(text: str) -> frozenset[str]:
    """Return the numbers of five digits and more, without dates and times."""
    plain = _DATE.sub(" ; ", normal(text))
    found = (re.sub(r"\D", "", number) for number in _NUMBER.findall(plain))
    return frozenset(number for number in found if len(number) >= _LONG)


def _code(word: str) -> str | None:
    is_code = any(map(str.isdigit, word)) or (word.isascii() and word.isupper())
    return word.casefold() if is_code and len(word) in _LENGTHS else None


def _joined(groups: Sequence[str]) -> Iterator[str]:
    """Yield the codes that neighbouring groups with digits make together: "1 EUR" is none."""
    for first in range(len(groups)):
        joined = ""
        for group in groups[first:]:
            joined += group
            if group.isalpha() or len(joined) > _JOINED:
                break
            if len(joined) in _LENGTHS and any(map(str.isdigit, joined)):
                yield joined.casefold()
