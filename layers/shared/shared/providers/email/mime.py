"""What a mail says: a subject that is safe in a header, and a body as text and as HTML, both from Markdown."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

LONGEST_SUBJECT = 120  # characters
# Directions of writing that are forced: what stands behind them reads otherwise than it is.
_FORCED_DIRECTIONS = re.compile("[\u202a-\u202e\u2066-\u2069]")
# Controls, line and paragraph separators, halves of surrogate pairs.
_UNFIT_CATEGORIES = frozenset({"Cc", "Cs", "Zl", "Zp"})
_UNFIT_IN_TEXT = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
# What Markdown makes, without images: no mail of ours loads anything from anywhere.
_TAGS = frozenset(
    {"p", "br", "strong", "em", "a", "ul", "ol", "li", "blockquote", "code", "pre", "hr"}
    | {f"h{level}" for level in range(1, 7)}
)
_SCHEMES = frozenset({"https", "http", "mailto"})


class ContentUnusable(Exception):
    """Nothing that could be sent; *reason*: `no_subject` (the fallback is none either) or `no_body`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Body:
    """The two parts of a mail, which say the same."""

    text: str = field(repr=False)
    html: str = field(repr=False)


def subject_line(wanted: str | None, fallback: str) -> str:
    """
    A subject of 1 to 120 characters in one line: the one that is wanted, else *fallback*.

    None is mended: what holds a line break was meant for more than a subject. Raises ContentUnusable.
    """
    for given in (wanted or "", fallback):
        line = given.strip()
        if 0 < len(line) <= LONGEST_SUBJECT and _is_plain(line):
            return line
    raise ContentUnusable("no_subject")


def body_of(markdown: str) -> Body:
    """
    Both parts of a mail. The text is the Markdown as it was written, which reads as text; markup of HTML in it is text.

    Raises ContentUnusable for nothing but blanks.
    """
    lines = _UNFIT_IN_TEXT.sub("", markdown.replace("\r\n", "\n").replace("\r", "\n"))
    text = lines.strip()
    if not text:
        raise ContentUnusable("no_body")
    return Body(text, f'<!doctype html>\n<html><body dir="auto">\n{_html(text)}</body></html>\n')


def _is_plain(line: str) -> bool:
    categories = {unicodedata.category(sign) for sign in line}
    return not categories & _UNFIT_CATEGORIES and not _FORCED_DIRECTIONS.search(line)


def _html(markdown: str) -> str:
    import nh3  # noqa: PLC0415 - only the sender of e-mail needs it

    return nh3.clean(
        _renderer()(markdown),
        tags=_TAGS,
        attributes={"a": {"href"}, "*": set()},
        url_schemes=_SCHEMES,
        url_relative="deny",
    )


@cache
def _renderer() -> Callable[[str], str]:
    """CommonMark with line breaks where they are written, without HTML and images."""
    from markdown_it import MarkdownIt  # noqa: PLC0415 - 40 ms that only the sender of e-mail pays

    return MarkdownIt("commonmark", {"html": False, "breaks": True}).disable("image").render
