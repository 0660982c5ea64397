"""The content of a mail: a header-safe subject, and a body as text and as HTML, both from Markdown."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from functools import cache
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

LONGEST_SUBJECT = 120  # characters
# Bidirectional control characters: they can make text display differently from its content.
_FORCED_DIRECTIONS = re.compile("[\u202a-\u202e\u2066-\u2069]")
# Controls, line and paragraph separators, halves of surrogate pairs.
_UNFIT_CATEGORIES = frozenset({"Cc", "Cs", "Zl", "Zp"})
_UNFIT_IN_TEXT = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_MARK = "\ue000"  # of private use: no text has it
# The tags that Markdown produces, without images: our mails load no remote content.
_TAGS = frozenset(
    {"p", "br", "strong", "em", "a", "ul", "ol", "li", "blockquote", "code", "pre", "hr"}
    | {f"h{level}" for level in range(1, 7)}
)
_SCHEMES = frozenset({"https", "http", "mailto"})


class ContentUnusable(Exception):
    """There is nothing to send; *reason*: `no_subject` (the fallback is invalid too) or `no_body`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Body:
    """The two alternative parts of a mail, with the same content."""

    text: str = field(repr=False)
    html: str = field(repr=False)


def subject_line(subject: str | None, fallback: str, longest: int = LONGEST_SUBJECT) -> str:
    """
    Return a subject of 1 to *longest* characters in one line: *subject* if valid, else *fallback*.

    Invalid subjects are not repaired: a line break suggests header injection. Raises ContentUnusable.
    """
    for candidate in (subject or "", fallback):
        line = candidate.strip()
        if 0 < len(line) <= longest and _is_plain(line):
            return line
    raise ContentUnusable("no_subject")


def body_of(markdown: str, images: Mapping[str, str] | None = None) -> Body:
    """
    Build both parts of a mail. The text part is the Markdown source; HTML markup in it is escaped.

    *images* are Content-IDs of files of the mail by file name. The HTML shows each in place of `[image: name]`, or
    below the text.

    Raises ContentUnusable if it contains only whitespace.
    """
    lines = _UNFIT_IN_TEXT.sub("", markdown.replace("\r\n", "\n").replace("\r", "\n"))
    text = lines.strip()
    if not text:
        raise ContentUnusable("no_body")
    shown = _with_images(_html(_placed(text, images or {})), images or {})
    return Body(text, f'<!doctype html>\n<html><body dir="auto">\n{shown}</body></html>\n')


def _placed(markdown: str, images: Mapping[str, str]) -> str:
    """Return the source with a mark, which Markdown leaves as it is, for each image: in its place, or at the end."""
    for number, name in enumerate(images):
        place, mark = f"[image: {name}]", f"{_MARK}{number}{_MARK}"
        is_placed = place in markdown
        markdown = markdown.replace(place, mark, 1) if is_placed else f"{markdown}\n\n{mark}"
    return markdown


def _with_images(html: str, images: Mapping[str, str]) -> str:
    for number, (name, content_id) in enumerate(images.items()):
        tag = f'<img src="cid:{escape(content_id)}" alt="{escape(name)}">'
        html = html.replace(f"{_MARK}{number}{_MARK}", tag, 1)
    return html


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
    """Return a CommonMark renderer that keeps line breaks and omits HTML and images."""
    from markdown_it import MarkdownIt  # noqa: PLC0415 - takes 40 ms and only the sender of e-mail needs it

    return MarkdownIt("commonmark", {"html": False, "breaks": True}).disable("image").render
