"""
Text of the model as safe inline Markdown: emphasis stays, links and images do not.

A model may invent an address. Sources are cited by number, and the program adds their addresses.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from newsletters.drafting.checks.addresses import without_addresses
from newsletters.drafting.text.markdown_tokens import flat, shown, text_of

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

# No-break and thin blanks stay: they group digits and precede units and French punctuation.
_BLANKS: Final = re.compile(r"[^\S\u00a0\u2007\u2009\u202f]+")
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]")
_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]<>~|&])")
# At the beginning of a line these would begin a heading, a list, a quote or a rule.
_BLOCK_START: Final = re.compile(r"^(#{1,6}(?=\s|$)|[-+=](?=[\s=-]|$)|\d{1,9}(?=[.)](?:\s|$)))")
_HEADING_END: Final = re.compile(r"(?<=\s)#+$")
_OPEN_CLOSE: Final = {
    "strong_open": "**", "strong_close": "**", "em_open": "*", "em_close": "*", "s_open": "~~", "s_close": "~~",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class InlineText:
    """
    *markdown* is one line, and *plain* the text that it shows; both are empty if only links were there.

    *is_unlinked* tells that a link, an image or an address was removed.
    """

    markdown: str
    plain: str
    is_unlinked: bool


def inline_text(text: str) -> InlineText:
    """Return *text* as one line of Markdown without links, images, addresses and raw HTML."""
    tokens = _parser().parseInline(one_line(text))
    children = list(flat(tokens[0].children or ())) if tokens else []
    written = "".join(map(shown, children))
    plain = one_line(without_addresses(written))
    marked = "".join(
        _OPEN_CLOSE.get(token.type) or _escaped_signs(without_addresses(shown(token)))
        for token in children
    )
    markdown = _with_escaped_ends(one_line(marked))
    if _shown(markdown) != plain:
        # A removed link leaves marks without text, or an address stands partly in emphasis.
        markdown = escaped(plain)
    has_links = any(token.type in {"link_open", "image"} for token in children)
    return InlineText(markdown, plain, has_links or without_addresses(written) != written)


def one_line(text: str) -> str:
    """Return text without control characters, in one line."""
    return _BLANKS.sub(" ", _CONTROLS.sub("", text)).strip()


def escaped(text: str) -> str:
    """Return *text* as Markdown that shows it as it is, in one line."""
    return _with_escaped_ends(_escaped_signs(one_line(text)))


def _shown(markdown: str) -> str | None:
    """Return the text that Markdown shows as one paragraph without links; None if it is something else."""
    tokens = _parser().parse(markdown)
    if not tokens:
        return ""
    if [token.type for token in tokens] != ["paragraph_open", "inline", "paragraph_close"]:
        return None
    children = tokens[1].children or []
    if any(token.type in {"link_open", "image", "code_inline"} for token in children):
        return None
    return text_of(children)


def _escaped_signs(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)


def _with_escaped_ends(line: str) -> str:
    """Escape what begins a block, and number signs at the end, which a heading would not show."""
    started = _BLOCK_START.sub(_escaped_start, line)
    return _HEADING_END.sub(lambda match: rf"\{match.group()}", started)


def _escaped_start(match: re.Match[str]) -> str:
    start = match.group(1)
    return f"{start}\\" if start.isdecimal() else f"\\{start}"


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # noqa: PLC0415 - only drafts need the parser

    parser = MarkdownIt("commonmark", {"html": False}).enable("strikethrough")
    # Links of any scheme are recognised, and so removed.
    parser.validateLink = lambda url: True  # type: ignore[method-assign] # noqa: ARG005 - the parser's hook
    return parser
