"""The form in which searches compare texts, and their words."""

from __future__ import annotations

import re
import unicodedata

_ACCENTS = re.compile(r"[\u0300-\u036f]")
# Invisible characters, such as the direction marks around a number that was copied.
_FORMAT = re.compile(r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
# Letters with a stroke or a hook have no decomposition in Unicode.
_PLAIN = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ħ": "h", "\u0131": "i", "æ": "ae", "œ": "oe"}
)
_WORD = re.compile(r"\w+")


def visible(text: str) -> str:
    """Return a text without invisible characters."""
    return _FORMAT.sub("", text)


def folded(text: str) -> str:
    """Return the form of a text in which a search compares it: case, accents and compatibility forms are equal."""
    if text.isascii():
        return text.lower()
    parts = unicodedata.normalize("NFKD", visible(text).casefold())
    return _ACCENTS.sub("", parts).casefold().translate(_PLAIN)


def words_of(text: str) -> list[str]:
    """Return the words of a text, folded and each once, in their order."""
    return list(dict.fromkeys(_WORD.findall(folded(text))))
