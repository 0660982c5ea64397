"""Walks over nested tokens of the Markdown parser, and returns the text that they show."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from markdown_it.token import Token


MARKER_TOKENS: Final = 3  # of a marker: the link's two ends and its text
_MARKER: Final = re.compile(r"\[([1-9]\d{0,3})\]", re.ASCII)


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


def markers_in(children: Sequence[Token]) -> list[int]:
    """Return the numbers of the markers among inline tokens: links that show `[n]`. Brackets in a text are none."""
    return [n for at in range(len(children)) if (n := marker_at(children, at)) is not None]


def marker_at(children: Sequence[Token], at: int) -> int | None:
    """Return the number of the marker that begins at a position; None if none does."""
    types = [token.type for token in children[at : at + MARKER_TOKENS]]
    if types != ["link_open", "text", "link_close"]:
        return None
    found = _MARKER.fullmatch(children[at + 1].content)
    return int(found[1]) if found else None
