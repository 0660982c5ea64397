"""Quotations: the words between quotation marks, and whether they stand in a passage as they are written."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

FEWEST_WORDS: Final = 3  # fewer are a term rather than a quotation
FEWEST_SIGNS: Final = 8  # of a text without blanks between words
_PAIRS: Final = (
    "\u201c\u201d", "\u201e\u201c", "\u201e\u201d", "\u00ab\u00bb", "\u00bb\u00ab", '""', "\u300c\u300d",
    "\u2039\u203a", "\u203a\u2039", "\u300e\u300f", "\uff02\uff02",
)  # fmt: skip
# Single marks are apostrophes too: one that opens follows no letter, one that closes is before none.
_SINGLE: Final = ("\u2018\u2019", "\u201a\u2018", "''")
_QUOTED: Final = re.compile(
    "|".join(
        [
            *(f"{a}([^{a}{b}]+){b}" for a, b in _PAIRS),
            "\u201d([^\u201c\u201d\u201e]+)\u201d",
            # As typed from right to left: the mark that stands on the right side opens.
            r"\u201d(?=[\u0600-\u06ff])([^\u201c\u201d\u201e]+)\u201c",
            *(
                rf"(?<!\w){a}(?=\S)([^{a}{b}]+(?:{b}(?=\w)[^{a}{b}]*)*){b}(?!\w)"
                for a, b in _SINGLE
            ),
        ]
    )
)
_OMISSION: Final = re.compile(r"\s*[\[(]?(?:\u2026|\.{3})[\])]?\s*")
_MARKUP: Final = re.compile(r"[*_`~\\]")
_ALIKE: Final = str.maketrans(
    dict.fromkeys("\u2018\u2019\u201a\u02bc\u2039\u203a", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb\u300c\u300d\u300e\u300f", '"')
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014", "-")
    # Soft hyphens, joiners and marks of direction are not seen.
    | dict.fromkeys("\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\u2066\u2067\u2068\u2069\ufeff")
)
# Of scripts with blanks between words. Arabic and Amharic words may follow a preposition without one.
_OF_WORD: Final = "[0-9A-Za-z\u00c0-\u024f\u0370-\u052f]"
_ENDS: Final = " .,;:!?'\"\u060c\u061b\u061f\u06d4\u1362\u3002"


def quotations_in(text: str) -> list[str]:
    """Return the quotations of a text: what stands between quotation marks, without terms of a word or two."""
    found = (next(filter(None, match.groups()), "") for match in _QUOTED.finditer(text))
    return [one for one in found if _is_quotation(one)]


def stands_in(quotation: str, passages: Iterable[str]) -> bool:
    """
    Whether one passage has the quotation word for word.

    Blanks, marks of emphasis and the shape of quotation marks, apostrophes and dashes are not compared, nor the case of
    the first letter and punctuation at the ends. An omission `...` may stand for any text between two words.
    """
    parts = [_comparable(one).strip(_ENDS) for one in _OMISSION.split(quotation)]
    parts = [one for one in parts if one]
    return bool(parts) and any(_has_in_order(_comparable(one), parts) for one in passages)


def _has_in_order(passage: str, parts: list[str]) -> bool:
    at = 0
    for number, part in enumerate(parts):
        first = (
            f"[{re.escape(part[0] + part[0].swapcase()[0])}]" if not number else re.escape(part[0])
        )
        found = _whole(part, first + re.escape(part[1:])).search(passage, at)
        if not found:
            return False
        at = found.end()
    return True


def _whole(part: str, pattern: str) -> re.Pattern[str]:
    """Return a pattern that begins and ends with whole words: `happy with it` does not stand in `unhappy with it`."""
    before = rf"(?<!{_OF_WORD})" if re.match(_OF_WORD, part[0]) else ""
    behind = rf"(?!{_OF_WORD})" if re.match(_OF_WORD, part[-1]) else ""
    return re.compile(f"{before}{pattern}{behind}")


def _comparable(text: str) -> str:
    plain = unicodedata.normalize("NFKC", _MARKUP.sub("", text)).translate(_ALIKE)
    return " ".join(plain.split())


def _is_quotation(text: str) -> bool:
    words = text.split()
    return len(words) >= FEWEST_WORDS or (
        len(words) == 1 and len(text) >= FEWEST_SIGNS and not text.isascii()
    )
