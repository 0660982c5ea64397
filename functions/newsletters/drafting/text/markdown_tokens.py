"""
Nested tokens of the Markdown parser: the text that they show, and the markers of sources among them.

A marker is a link to a source of the draft: `[[2]](#source-2)`. `read_markers` makes the parser replace each by one
token of the type MARKER, so that brackets in a text, such as `sys.argv[1]`, are never taken for one. Drafts of earlier
releases have other markers: a link `[[2]](<address>)`, and the number in escaped brackets for a source without a public
address. They are read only for the numbers that the caller names in the parser's environment, see `environment`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from markdown_it import MarkdownIt
    from markdown_it.rules_core import StateCore
    from markdown_it.token import Token

MARKER: Final = "source_marker"  # its meta has the number `n`
_EARLIER: Final = "earlier_sources"
_TARGET: Final = re.compile(r"#source-([1-9]\d{0,3})", re.ASCII)
_NUMBER: Final = re.compile(r"\[([1-9]\d{0,3})\]", re.ASCII)
_TEXTS: Final = frozenset({"text", "text_special", "code_inline"})


def marker(n: int) -> str:
    """Return the marker of source *n* in Markdown."""
    return f"[[{n}]](#source-{n})"


def is_source(url: str) -> bool:
    """Whether a link leads to a source of its draft."""
    return _TARGET.fullmatch(url) is not None


def environment(earlier_sources: Collection[int]) -> dict[str, Any]:
    """Return the environment of a parser for a draft whose markers of *earlier_sources* have the earlier notation."""
    return {_EARLIER: frozenset(earlier_sources)}


def read_markers(parser: MarkdownIt) -> MarkdownIt:
    """Make *parser* yield a token for each marker. Its `validateLink` must accept what `is_source` does."""
    parser.core.ruler.before("text_join", MARKER, _read)
    return parser


def flat(tokens: Iterable[Token]) -> Iterator[Token]:
    """Yield each token, followed by those in it: inline content, the alternative text of an image."""
    for token in tokens:
        yield token
        yield from flat(token.children or ())


def shown(token: Token) -> str:
    """Return the text that an inline token shows, without the tokens in it; a line break is a space."""
    if token.type in {"softbreak", "hardbreak"}:
        return " "
    return token.content if token.type in _TEXTS else ""


def text_of(tokens: Iterable[Token]) -> str:
    """Return the text that inline tokens show, without markers."""
    return "".join(map(shown, flat(tokens)))


def markers_in(tokens: Iterable[Token]) -> set[int]:
    """Return the numbers of the sources that tokens cite."""
    return {int(token.meta["n"]) for token in flat(tokens) if token.type == MARKER}


def _read(state: StateCore) -> None:
    earlier = state.env.get(_EARLIER, frozenset())
    for token in state.tokens:
        if token.children:
            token.children = list(_with_markers(token.children, earlier))


def _with_markers(tokens: Sequence[Token], earlier: Collection[int]) -> Iterator[Token]:
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if token.type == "link_open":
            end = next(n for n in range(at, len(tokens)) if tokens[n].type == "link_close")
            yield from _link(tokens[at : end + 1], earlier)
            at = end + 1
        elif (n := _escaped_number(tokens[at : at + 3])) in earlier:
            yield _marker_token(token, n)
            at += 3
        else:
            yield token
            at += 1


def _link(tokens: Sequence[Token], earlier: Collection[int]) -> list[Token]:
    """Return a link's tokens; a link to a source with another text is this text, followed by the marker."""
    inner = list(tokens[1:-1])
    written = _NUMBER.fullmatch(text_of(inner))
    if target := _TARGET.fullmatch(str(tokens[0].attrs["href"])):
        is_number = written is not None and written[1] == target[1]
        return [*([] if is_number else inner), _marker_token(tokens[0], int(target[1]))]
    if written and int(written[1]) in earlier:
        return [_marker_token(tokens[0], int(written[1]))]
    return list(tokens)


def _escaped_number(tokens: Sequence[Token]) -> int:
    """Return the number in escaped brackets, 0 for other tokens."""
    if [token.type for token in tokens] != ["text_special", "text", "text_special"]:
        return 0
    found = _NUMBER.fullmatch("".join(token.content for token in tokens))
    return int(found[1]) if found else 0


def _marker_token(first: Token, n: int) -> Token:
    return first.copy(
        type=MARKER, tag="", nesting=0, attrs={}, content="", children=None, meta={"n": n}
    )
