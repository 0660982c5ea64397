"""Inline tokens of markdown-it -> inline content of the block tree."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Final

from newsletters.drafting.text.markdown_tokens import MARKER
from newsletters.exports.blocks import (
    Break,
    Code,
    Emphasis,
    Figure,
    Inline,
    LeftToRight,
    Link,
    Marker,
    Strike,
    Strong,
    Text,
    plain,
)
from newsletters.exports.links import safe_url

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from markdown_it.token import Token

MOST_NESTED: Final = 12  # styles inside each other; deeper ones lose their style, never their text
# Dates, times, ranges, grouped and signed numbers, amounts, telephone numbers: signs between digits have no direction.
# An ordinary blank is part of a number before groups of three digits. Latin words, such as URLs, give their numbers a
# direction, but the time of a timestamp belongs to its date.
_GROUPED: Final = r"(?<![\d.,])\d{1,3}(?: \d{3})+(?:[.,]\d+)?(?!\d)"
_IN_ORDER: Final = re.compile(
    r"(?P<word>[A-Za-z][A-Za-z0-9_]*(?:[./:@?&=#%+~-]+[A-Za-z0-9_]+)*)"
    rf"|[$\u00a3\u00a5\u20a0-\u20cf][\u00a0 ]?(?:{_GROUPED}|\d+(?:[.,]\d+)*)"
    r"|\+\d[\d -]{5,}\d"
    rf"|[+\u2212-]?{_GROUPED}"
    r"|[+\u2212-]?\d+(?:[.,:/'\u2010-\u2013\u2019\u2212\u00a0\u202f-]\d+)+"
    r"(?:T\d{2}(?::\d{2}){1,2}(?:[.]\d+)?(?:Z|[+\u2212-]\d{2}:?\d{2})?)?"
    r"|(?<!\w)[+\u2212-]\d+"
)
_STYLES: Final[Mapping[str, type[Strong | Emphasis | Strike]]] = {
    "strong_close": Strong,
    "em_close": Emphasis,
    "s_close": Strike,
}


def in_order(text: str, direction: str) -> tuple[Inline, ...]:
    """Return text as inline content; in one from right to left (`rtl`) numbers are kept in order."""
    if direction != "rtl":
        return (Text(text),) if text else ()
    found: list[Inline] = []
    end = 0
    for number in _IN_ORDER.finditer(text):
        if number["word"] is None:
            found += [Text(text[end : number.start()]), LeftToRight(number.group())]
            end = number.end()
    return tuple(one for one in (*found, Text(text[end:])) if one != Text(""))


def isolated(text: str) -> str:
    """Return text from left to right in control characters that keep it apart, where there are no elements."""
    return f"\u2066{text}\u2069"


@dataclass(frozen=True, slots=True)
class InlineReader:
    """
    Reads inline tokens. *urls* has the URL of each citation by number, *shown* the URLs of fetched images.

    In a text from right to left (*is_rtl*) numbers are kept in order.
    """

    urls: Mapping[int, str]
    shown: Container[str]
    is_rtl: bool = False
    cited: set[int] = field(default_factory=set)  # numbers of the markers read so far

    def flow(self, tokens: Sequence[Token]) -> list[tuple[Inline, ...] | Figure]:
        """Return the content of a paragraph: stretches of text, and the images between them that are shown."""
        found: list[tuple[Inline, ...] | Figure] = []
        rest: list[Token] = []
        at = 0
        while at < len(tokens):
            figure, used = self._figure(tokens[at : at + 3])
            if figure:
                found += [self.text(rest), figure]
                rest = []
            else:
                rest.append(tokens[at])
            at += used
        found.append(self.text(rest))
        return [part for part in found if part]

    def text(self, tokens: Sequence[Token]) -> tuple[Inline, ...]:
        """Return inline content; an image becomes its alternative text, with a link to the image."""
        frames: list[list[Inline]] = [[]]
        links: list[str] = []
        for token in tokens:
            if token.nesting == 1:
                frames.append([])
                if token.type == "link_open":
                    links.append(str(token.attrs["href"]))
            elif token.nesting == -1:
                children = tuple(frames.pop())
                url = links.pop() if token.type == "link_close" else ""
                if len(frames) > MOST_NESTED:
                    frames[-1].extend(children)
                elif children:
                    frames[-1].append(self._styled(token.type, url, children))
            else:
                frames[-1].extend(self._leaf(token, linked=bool(links)))
        return _trimmed(_merged(frames[0]))

    def _figure(self, tokens: Sequence[Token]) -> tuple[Figure | None, int]:
        """Return the shown image that the tokens begin with, and the number of its tokens; else None and 1."""
        types = [token.type for token in tokens]
        if types == ["link_open", "image", "link_close"]:
            image, link = tokens[1], str(tokens[0].attrs["href"])
        elif types[0] == "image":
            image, link = tokens[0], ""
        else:
            return None, 1
        url = str(image.attrs["src"])
        if url not in self.shown or tokens[0].level:
            return None, 1
        return Figure(url, self._alt(image), link), 3 if link else 1

    def _styled(self, closing: str, url: str, children: tuple[Inline, ...]) -> Inline:
        if closing != "link_close":
            return _STYLES[closing](children)
        return Link(url, children) if safe_url(url) else Text(plain(children))

    def _leaf(self, token: Token, *, linked: bool) -> list[Inline]:
        match token.type:
            case "code_inline":
                return [Code(token.content)]
            case "softbreak":
                return [Text(" ")]
            case "hardbreak":
                return [Break()]
            case "image":
                alt, url = self._alt(token), safe_url(str(token.attrs["src"]))
                shown = Text(alt or url)
                return [Link(url, (shown,)) if url and not linked else shown]
            case found if found == MARKER:
                return [self._marker(int(token.meta["n"]))]
            case _:  # text, also of an escape or a character reference
                return list(in_order(token.content, "rtl" if self.is_rtl else "ltr"))

    def _marker(self, n: int) -> Inline:
        """Return the marker of a source; its number as text if the draft has no such source."""
        if n not in self.urls:
            return Text(f"[{n}]")
        self.cited.add(n)
        return Marker(n, self.urls[n])

    def _alt(self, image: Token) -> str:
        return plain(InlineReader({}, ()).text(image.children or []))


def _merged(children: Sequence[Inline]) -> list[Inline]:
    """Join neighbouring texts and leave out empty ones."""
    merged: list[Inline] = []
    for is_text, group in groupby(children, lambda child: isinstance(child, Text)):
        if not is_text:
            merged += group
        elif text := plain(tuple(group)):
            merged.append(Text(text))
    return merged


def _trimmed(children: list[Inline]) -> tuple[Inline, ...]:
    """Remove breaks and spaces at both ends."""
    while children and _blank(children[0]):
        del children[0]
    while children and _blank(children[-1]):
        del children[-1]
    if children and isinstance(first := children[0], Text):
        children[0] = Text(first.text.lstrip())
    if children and isinstance(last := children[-1], Text):
        children[-1] = Text(last.text.rstrip())
    return tuple(children)


def _blank(child: Inline) -> bool:
    return isinstance(child, Break) or (isinstance(child, Text) and not child.text.strip())
