"""
HTML of mail: sanitised for display, and converted to text.

nh3 repairs the tags and removes scripts, styles, comments and titles before `html.parser` sees the document: it takes
quadratic time on some damaged input.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Final

import nh3

from email_threads.parsing.body import quote_marks

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_CHARACTERS: Final = 512 * 1024
MOST_TAGS: Final = 20_000
MOST_REFERENCES: Final = 50_000
MOST_OPEN: Final = 1_000  # elements inside each other
DEEPEST: Final = (
    20  # quotes and lists that are indented: the text of deeper ones would grow quadratically
)

_TAGS: Final = set(nh3.ALLOWED_TAGS) | {"font", "section", "main", "address"}
_ATTRIBUTES: Final = {
    name: set(values) - {"style", "class"} for name, values in nh3.ALLOWED_ATTRIBUTES.items()
}
_REMOVED: Final = {"script", "style", "title"}
_DISPLAYED_SCHEMES: Final = {"http", "https", "mailto", "cid"}
_READ_ATTRIBUTES: Final = {
    "*": {"style", "hidden", "class", "id", "name"},
    "a": {"href"},
    "img": {"alt", "width", "height"},
    "blockquote": {"type"},
}

_HIDDEN: Final = re.compile(
    r"(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden"
    r"|font-size\s*:\s*0+(?:\.0+)?(?![.\d])|opacity\s*:\s*0+(?:\.0+)?(?![.\d]))",
    re.IGNORECASE,
)
_PIXEL: Final = frozenset({"0", "1"})  # the sizes of an image that counts readers
_VOID: Final = frozenset({"br", "hr", "img", "wbr", "col", "area"})
_LINES: Final = frozenset(
    {"div", "tr", "table", "tbody", "thead", "tfoot", "center", "section", "article", "header"}
    | {"footer", "main", "aside", "nav", "dt", "dd", "figure", "figcaption", "address", "caption"}
)
_PARAGRAPHS: Final = frozenset(
    {"p", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "ul", "ol", "dl", "hr", "blockquote"}
)
_TAG: Final = re.compile(r"<(?P<end>/?)(?P<name>[a-zA-Z][a-zA-Z0-9]*)")
# Elements that need no end tag.
_UNCLOSED: Final = _VOID | {
    "p",
    "li",
    "td",
    "th",
    "tr",
    "tbody",
    "dt",
    "dd",
    "meta",
    "link",
    "input",
    "option",
    "html",
    "body",
}
_SPACES: Final = re.compile(r"[ \t\r\n\f]+")


@dataclass(frozen=True, slots=True)
class HtmlText:
    """
    The text of an HTML document.

    *quote_at* is the offset at which a mail client marked the quoted mail, *signature* the text of the signature that
    it marked above that.
    """

    text: str
    quote_at: int | None
    signature: str = ""


def cut(html: str) -> tuple[str, bool]:
    """Return the document within the caps on characters, tags, references and depth, and whether it was cut."""
    short = html[:MOST_CHARACTERS]
    for character, most in (("<", MOST_TAGS), ("&", MOST_REFERENCES)):
        if short.count(character) > most:
            short = character.join(short.split(character, most + 1)[: most + 1])
    short = short[: _too_deep_at(short)]
    return short, len(short) < len(html)


def _too_deep_at(html: str) -> int | None:
    """Return the position with too many open elements: nh3 takes quadratic time in their number."""
    depth = 0
    for tag in _TAG.finditer(html):
        if tag["name"].lower() not in _UNCLOSED:
            depth = max(depth - 1, 0) if tag["end"] else depth + 1
        if depth > MOST_OPEN:
            return tag.start()
    return None


def sanitised(html: str) -> str:
    """Return HTML that is safe to display: without styles, scripts and remote images; cid images stay."""
    return nh3.clean(
        html,
        tags=_TAGS,
        clean_content_tags=_REMOVED,
        attributes=_ATTRIBUTES,
        attribute_filter=_without_remote_images,
        url_schemes=_DISPLAYED_SCHEMES,
        url_relative="deny",
        link_rel="noopener noreferrer nofollow",
    ).strip()


def to_text(html: str) -> HtmlText:
    """Convert a document to text: paragraphs, lists, cells, `text (url)`; hidden elements are left out."""
    converter = _Converter()
    converter.feed(
        nh3.clean(
            html,
            tags=_TAGS,
            clean_content_tags=_REMOVED,
            attributes=_READ_ATTRIBUTES,
            url_schemes=_DISPLAYED_SCHEMES,
            link_rel=None,
        )
    )
    converter.close()
    return converter.result()


def _without_remote_images(_: str, attribute: str, value: str) -> str | None:
    return None if attribute == "src" and not value.lower().startswith("cid:") else value


class _Converter(HTMLParser):
    """Collects lines of text. Its input is nh3's output, in which every element but void ones is closed."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._lines: list[str] = []
        self._line: list[str] = []
        self._quote_line: int | None = None
        self._signature = ""
        self._signature_begin: tuple[int, int] | None = None  # line, open elements
        self._hidden: list[bool] = []  # of each open element: whether it or a parent is hidden
        self._lists: list[int | None] = []  # of each open list: the last number, None for bullets
        self._links: list[
            tuple[str, int]
        ] = []  # of each open link: its URL and where its text begins
        self._quotes = 0
        self._preformatted = 0

    def result(self) -> HtmlText:
        """Return the text without empty lines at its ends, and no two in a row."""
        self._end_line()
        kept: list[str] = []
        quote_at: int | None = None
        for number, line in enumerate(self._lines):
            if number == self._quote_line:
                quote_at = sum(len(before) + 1 for before in kept)
            if line.strip(" >") or (kept and kept[-1].strip(" >")):
                kept.append(line)
        while kept and not kept[-1].strip(" >"):
            kept.pop()
        return HtmlText("\n".join(kept), quote_at, self._signature)

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        is_hidden = self._is_hidden() or _hides(attributes)
        if tag not in _VOID:
            self._hidden.append(is_hidden)
        if is_hidden:
            return
        if self._quote_line is None and quote_marks.starts_quote(tag, attributes):
            self._end_signature(is_cut=True)
            self._end_line()
            self._quote_line = len(self._lines)
        if self._quote_line is None and quote_marks.starts_signature(attributes):
            self._begin_signature(tag)
        self._break(tag, in_list=bool(self._lists))
        if tag in _VOID:
            self._add_void(tag, attributes)
        else:
            self._open(tag, attributes)

    def handle_endtag(self, tag: str) -> None:
        if tag in _VOID or not self._hidden:
            return
        if self._hidden.pop():
            return
        if tag == "a" and self._links:
            self._end_link()
        self._end_signature()
        self._break(tag, in_list=len(self._lists) > 1)
        match tag:
            case "blockquote":
                self._quotes -= 1
            case "pre":
                self._preformatted -= 1
            case "ul" | "ol" if self._lists:
                self._lists.pop()
            case _:
                pass

    def handle_data(self, data: str) -> None:
        if self._is_hidden():
            return
        data = data.replace("\xa0", " ")
        if self._preformatted:
            first, *others = data.split("\n")
            self._line.append(first)
            for line in others:
                self._end_line(even_empty=True)
                self._line.append(line)
            return
        data = _SPACES.sub(" ", data)
        if not self._line or self._line[-1].endswith(" "):
            data = data.lstrip(" ")
        if data:
            self._line.append(data)

    def _begin_signature(self, tag: str) -> None:
        if tag in _LINES | _PARAGRAPHS | {"br"} and self._signature_begin is None:
            self._end_line()
            self._signature_begin = (len(self._lines), len(self._hidden))

    def _end_signature(self, *, is_cut: bool = False) -> None:
        """End the signature with its element or the element of its mark, or above a quote (*is_cut*)."""
        begin = self._signature_begin
        if begin is not None and (is_cut or len(self._hidden) < begin[1]):
            self._end_line()
            self._signature = "\n".join(self._lines[begin[0] :])
            self._signature_begin = None

    def _add_void(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "br":
            self._end_line(even_empty=True)
        elif tag == "img" and not _PIXEL & {attributes.get("width"), attributes.get("height")}:
            self.handle_data(attributes.get("alt", ""))

    def _open(self, tag: str, attributes: dict[str, str]) -> None:
        match tag:
            case "a":
                self._links.append((attributes.get("href", ""), len(self._line)))
            case "blockquote":
                self._quotes += 1
            case "pre":
                self._preformatted += 1
            case "ul" | "ol":
                self._lists.append(0 if tag == "ol" else None)
            case "li":
                self._begin_list_item()
            case "td" | "th" if "".join(self._line).strip():
                self._line.append(" | ")
            case _:
                pass

    def _is_hidden(self) -> bool:
        return bool(self._hidden) and self._hidden[-1]

    def _break(self, tag: str, *, in_list: bool) -> None:
        if tag in _PARAGRAPHS and not (tag in {"ul", "ol"} and in_list):
            self._end_line()
            self._lines.append(self._prefix().rstrip())
        elif tag in _LINES or tag in {"li", "ul", "ol"}:
            self._end_line()

    def _prefix(self) -> str:
        return "> " * min(self._quotes, DEEPEST)

    def _end_line(self, *, even_empty: bool = False) -> None:
        text = "".join(self._line).rstrip()
        text = text.removesuffix(" |")
        if text or even_empty:
            self._lines.append((self._prefix() + text).rstrip())
        self._line.clear()
        self._links = [(url, 0) for url, _ in self._links]

    def _begin_list_item(self) -> None:
        marker = "- "
        if self._lists and (last := self._lists[-1]) is not None:
            self._lists[-1] = last + 1
            marker = f"{last + 1}. "
        self._line.append("  " * min(max(len(self._lists) - 1, 0), DEEPEST) + marker)

    def _end_link(self) -> None:
        url, start = self._links.pop()
        label = "".join(self._line[start:]).strip()
        shown = url.removeprefix("mailto:").rstrip("/")
        if url and label and label.rstrip("/") not in {shown, shown.partition("://")[2]}:
            self._line.append(f" ({url.removeprefix('mailto:')})")


def _hides(attributes: dict[str, str]) -> bool:
    return "hidden" in attributes or bool(_HIDDEN.search(attributes.get("style", "")))
