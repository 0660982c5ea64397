"""The characters that the fonts of PDF files have glyphs for, which is known before a file is rendered."""

from __future__ import annotations

import json
import unicodedata
from bisect import bisect_right
from functools import cache
from pathlib import Path
from typing import Final

# Sorted [first, last] code points that all faces of a family have; `python -m local.docs.fonts` writes it.
COVERAGE: Final = Path(__file__).with_name("coverage.json")
MOST_SHOWN: Final = 100
REPLACEMENT: Final = "\ufffd"
# typst 0.15 fails with an internal error at one that follows a link in text from right to left.
_SOFT_HYPHEN: Final = "\u00ad"
_HANDLED: Final = frozenset({"\n", _SOFT_HYPHEN})


def missing_in(text: str) -> str:
    """Return the visible characters of a text that have no glyph, each once in their order, at most MOST_SHOWN."""
    visible = (one for one in dict.fromkeys(text) if one not in _HANDLED and not has_glyph(one))
    return "".join([one for one in visible if _instead(one) == REPLACEMENT][:MOST_SHOWN])


@cache
def _ranges() -> tuple[list[int], list[int]]:
    ranges = json.loads(COVERAGE.read_bytes())
    return [first for first, _ in ranges], [last for _, last in ranges]


def has_glyph(character: str) -> bool:
    """Tell whether a font has a glyph for a character."""
    firsts, lasts = _ranges()
    at = bisect_right(firsts, ord(character)) - 1
    return at >= 0 and ord(character) <= lasts[at]


def displayable(text: str) -> tuple[str, bool]:
    """
    Replace characters without glyph by U+FFFD; returns the text, and whether a visible one was replaced.

    PDF/UA-1 allows no character without glyph. Invisible ones (format characters, variation selectors) are left out.
    """
    missing = {character for character in set(text) - _HANDLED if not has_glyph(character)}
    replaced = {ord(character): _instead(character) for character in missing}
    replaced[ord(_SOFT_HYPHEN)] = ""
    return text.translate(replaced), REPLACEMENT in replaced.values()


def _instead(character: str) -> str:
    category = unicodedata.category(character)
    if category == "Cf" or unicodedata.name(character, "").startswith("VARIATION SELECTOR"):
        return ""
    return " " if category in {"Zs", "Cc", "Zl", "Zp"} else REPLACEMENT
