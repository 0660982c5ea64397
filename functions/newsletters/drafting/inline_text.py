"""
Text of the model as safe inline Markdown: emphasis stays, links and images do not.

A model may invent an address. Sources are cited by number, and the program adds their addresses.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]<>~|&])")
# At the beginning of a line these would begin a heading, a list, a quote or a rule.
_BLOCK_START: Final = re.compile(r"^(#{1,6}(?=\s|$)|[-+=](?=[\s=-]|$)|\d{1,9}(?=[.)]))")
_WEB_ADDRESS: Final = re.compile(r"(?i)\b(?:https?://|www\.)\S+")
_OPEN_CLOSE: Final = {
    "strong_open": "**", "strong_close": "**", "em_open": "*", "em_close": "*", "s_open": "~~", "s_close": "~~",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class InlineText:
    """*markdown* is one line; *is_unlinked* tells that a link, an image or an address was removed."""

    markdown: str
    is_unlinked: bool


def inline_text(text: str) -> InlineText:
    """Return *text* as one line of Markdown without links, images, addresses and raw HTML."""
    line = " ".join(text.split())
    tokens = _parser().parseInline(line)
    children = tokens[0].children or [] if tokens else []
    parts: list[str] = []
    is_unlinked = False
    for token in children:
        part, removed = _part(token)
        parts.append(part)
        is_unlinked = is_unlinked or removed
    joined = "".join(parts).strip()
    return InlineText(_BLOCK_START.sub(_escaped_start, joined), is_unlinked)


def escaped(text: str) -> str:
    """Return *text* as Markdown that shows it as it is, in one line."""
    line = " ".join(text.split())
    return _BLOCK_START.sub(_escaped_start, _SPECIAL.sub(r"\\\1", line))


def _part(token: Token) -> tuple[str, bool]:
    """Return the Markdown of an inline token, and whether a link, an image or an address was removed from it."""
    if token.type == "text":
        shown = _WEB_ADDRESS.sub("", token.content)
        return _SPECIAL.sub(r"\\\1", shown), shown != token.content
    if token.type in {"softbreak", "hardbreak"}:
        return " ", False
    if token.type in {"link_open", "link_close"}:
        return "", token.type == "link_open"
    mark = _OPEN_CLOSE.get(token.type)
    if mark is not None:
        return mark, False
    return _SPECIAL.sub(r"\\\1", token.content), token.type == "image"


def _escaped_start(match: re.Match[str]) -> str:
    start = match.group(1)
    return f"{start}\\" if start.isdecimal() else f"\\{start}"


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # noqa: PLC0415 - only drafts need the parser

    return MarkdownIt("commonmark", {"html": False}).enable("strikethrough")
