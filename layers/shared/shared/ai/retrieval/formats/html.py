"""
Headings and paragraphs of HTML documents.

nh3 repairs the tags and removes scripts, styles and comments before `html.parser` reads the document: the parser takes
quadratic time on some damaged input, and nh3 on elements that are nested deeply.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Final

import nh3

from shared.ai.retrieval.formats.blocks import Block
from shared.ai.retrieval.metadata import Unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_TAGS: Final = 50_000
MOST_REFERENCES: Final = 50_000
MOST_OPEN: Final = 500  # elements inside each other
_HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
_BREAKS: Final = frozenset({"br", "tr", "li", "dt", "dd", "div", "caption"})
_PARAGRAPHS: Final = frozenset(
    {"p", "pre", "ul", "ol", "dl", "table", "blockquote", "section", "article"}
)
_CELLS: Final = frozenset({"td", "th"})
_REMOVED: Final = {"script", "style", "title", "template", "noscript", "svg", "nav", "iframe"}
_TITLE: Final = re.compile(r"<title(?:\s[^<>]*)?>([^<]{1,1000})</title", re.IGNORECASE)
_TAG: Final = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
_UNCLOSED: Final = frozenset(
    {"br", "hr", "img", "wbr", "col", "area", "p", "li", "td", "th", "tr", "tbody", "dt", "dd"}
    | {"meta", "link", "input", "option", "html", "body"}
)
_SPACES: Final = re.compile(r"[ \t\r\n\f\xa0]+")


def of_html(html: str) -> Iterator[Block]:
    """Yield headings and paragraphs in reading order. Raises Unreadable: too many tags or references, or too deep."""
    _check(html)
    collector = _Collector()
    collector.feed(
        nh3.clean(
            html,
            tags={*_HEADINGS, *_BREAKS, *_PARAGRAPHS, *_CELLS},
            clean_content_tags=_REMOVED,
            attributes={},
            link_rel=None,
        )
    )
    collector.close()
    return collector.blocks()


def title_of(html: str) -> str:
    """Return the title of a document; empty if it has none."""
    from html import unescape  # noqa: PLC0415 - the parameter has the name of the package

    found = _TITLE.search(html)
    return _SPACES.sub(" ", unescape(found[1])).strip() if found else ""


def _check(html: str) -> None:
    if html.count("&") > MOST_REFERENCES:
        raise Unreadable("html_too_complex")
    depth = 0
    for number, tag in enumerate(_TAG.finditer(html)):
        if tag[2].lower() not in _UNCLOSED:
            depth = max(depth - 1, 0) if tag[1] else depth + 1
        if number > MOST_TAGS or depth > MOST_OPEN:
            raise Unreadable("html_too_complex")


class _Collector(HTMLParser):
    """Collects blocks. Its input is nh3's output, in which every element is closed."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._blocks: list[Block] = []
        self._parts: list[str] = []
        self._level = 0

    def blocks(self) -> Iterator[Block]:
        """Yield the collected blocks."""
        self._end_block()
        return iter(self._blocks)

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002 - none is allowed
        if tag in _HEADINGS or tag in _PARAGRAPHS:
            self._end_block()
            self._level = _HEADINGS.get(tag, 0)
        elif tag in _BREAKS:
            self._parts.append("\n")
        elif tag in _CELLS:
            self._parts.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag in _HEADINGS or tag in _PARAGRAPHS:
            self._end_block()
            self._level = 0
        elif tag in _BREAKS:
            self._parts.append("\n")

    def handle_data(self, data: str) -> None:
        self._parts.append(_SPACES.sub(" ", data))

    def _end_block(self) -> None:
        lines = (_SPACES.sub(" ", line).strip() for line in "".join(self._parts).split("\n"))
        text = "\n".join(filter(None, lines))
        if text:
            self._blocks.append(Block(self._level, text))
        self._parts.clear()
