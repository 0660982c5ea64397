"""Sentences of passages as plain text in one line, without links and marks of blocks."""

from __future__ import annotations

import re
from typing import Final

_PARAGRAPH: Final = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*+>]|#{1,6})\s)")
# Blanks that group digits stay.
_BLANKS: Final = re.compile(r"[^\S\u00a0\u2007\u2009\u202f]+")
_MARK: Final = re.compile(r"^(?:(?:[-*+>]|#{1,6})\s+)+")
# A day or another short number before a full stop does not end a sentence: `am 1. Mai`.
_END: Final = re.compile(
    r"(?:(?<!\b\d)(?<!\b\d\d)[.!?\u061f\u06d4\u1362]+[\"')\]\u201d\u00bb]*(?=\s)|[\u3002\uff01\uff1f]+)"
)
_LINK: Final = re.compile(r"!?\[([^\[\]]*)\](?:\([^()\s]*(?:\s[^()]*)?\)|\[[^\[\]]*\])")
_ADDRESS: Final = re.compile(r"(?i)<?(?:[a-z][a-z0-9+.-]*://|www\.|mailto:)[^\s<>]*>?")


def sentences_of(text: str) -> list[str]:
    """Return the sentences of a text in order; a heading or an item of a list is a sentence too."""
    sentences: list[str] = []
    for paragraph in _PARAGRAPH.split(text):
        line = one_line(paragraph)
        start = 0
        for end in [*(match.end() for match in _END.finditer(line)), len(line)]:
            sentence = line[start:end].strip()
            if any(sign.isalnum() for sign in sentence):
                sentences.append(sentence)
            start = end
    return sentences


def one_line(text: str) -> str:
    """Return a text in one line, without links, addresses and the mark of a block."""
    without_links = _ADDRESS.sub("", _LINK.sub(r"\1", text))
    return _MARK.sub("", _BLANKS.sub(" ", without_links).strip())


def shortened(text: str, longest: int) -> str:
    """Return a text of at most *longest* characters, cut after a whole word if it has blanks."""
    if len(text) <= longest:
        return text
    cut = text[: longest - 1]
    words = cut.rpartition(" ")[0]
    return f"{(words or cut).rstrip(' ,;:')}\u2026"


def word_count(text: str) -> int:
    """Return the number of words."""
    return len(text.split())
