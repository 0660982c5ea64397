"""The fonts that are shipped, and which characters they have glyphs for."""

from __future__ import annotations

import json
import sys
import unicodedata
from bisect import bisect_right
from functools import cache
from pathlib import Path
from typing import Final

# In the order in which they are tried for each character.
FAMILIES: Final = (
    "Noto Sans",
    "Noto Naskh Arabic",
    "Noto Sans Hebrew",
    "Noto Sans Ethiopic",
    "Noto Sans Devanagari",
    "Noto Sans Math",
    "Noto Sans Symbols",
    "Noto Sans Symbols2",
)
COVERAGE: Final = (
    "coverage.json"  # sorted [first, last] code points that all faces of a family have
)
REPLACEMENT: Final = "\ufffd"
# typst 0.15 fails with an internal error at one that follows a link in text from right to left.
_SOFT_HYPHEN: Final = "\u00ad"
_HANDLED: Final = frozenset({"\n", _SOFT_HYPHEN})


class FontsMissing(Exception):
    """The layer with the fonts is not attached to the function."""


@cache
def fonts_folder() -> Path:
    """
    Return the folder with the fonts: of the layer, whose root is on the import path, or of the repository.

    Raises FontsMissing.
    """
    layer = (Path(entry, "fonts") for entry in sys.path)
    repository = (parent / "layers" / "exports" / "fonts" for parent in Path(__file__).parents)
    for folder in (*layer, *repository):
        if (folder / COVERAGE).is_file():
            return folder
    raise FontsMissing("no folder fonts with coverage.json on the import path")


@cache
def _ranges() -> tuple[list[int], list[int]]:
    ranges = json.loads((fonts_folder() / COVERAGE).read_bytes())
    return [first for first, _ in ranges], [last for _, last in ranges]


def has_glyph(character: str) -> bool:
    """Tell whether a shipped font has a glyph for a character."""
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
