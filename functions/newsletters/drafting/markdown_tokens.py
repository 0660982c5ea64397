"""Walks over nested tokens of the Markdown parser, and returns the text that they show."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from markdown_it.token import Token


def flat(tokens: Iterable[Token]) -> Iterator[Token]:
    """Yield each token, followed by those in it: inline content, the alternative text of an image."""
    for token in tokens:
        yield token
        yield from flat(token.children or ())


def shown(token: Token) -> str:
    """Return the text that an inline token shows, without the tokens in it; a line break is a space."""
    if token.type in {"softbreak", "hardbreak"}:
        return " "
    return token.content if token.type in {"text", "code_inline"} else ""


def text_of(tokens: Iterable[Token]) -> str:
    """Return the text that inline tokens show."""
    return "".join(map(shown, flat(tokens)))
