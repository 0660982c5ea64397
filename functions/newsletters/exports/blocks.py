"""The block tree, the input of all writers. A tree holds text as it is displayed, and no markup."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Text:
    """Characters to display as they are."""

    text: str


@dataclass(frozen=True, slots=True)
class LeftToRight:
    """A date, range or number in a text from right to left, whose parts keep their order."""

    text: str


@dataclass(frozen=True, slots=True)
class Code:
    """Characters to display in the style of code."""

    text: str


@dataclass(frozen=True, slots=True)
class Break:
    """A line break inside a paragraph."""


@dataclass(frozen=True, slots=True)
class Strong:
    """Important text, bold."""

    children: tuple[Inline, ...]


@dataclass(frozen=True, slots=True)
class Emphasis:
    """Emphasised text, italic."""

    children: tuple[Inline, ...]


@dataclass(frozen=True, slots=True)
class Strike:
    """Deleted text, struck through."""

    children: tuple[Inline, ...]


@dataclass(frozen=True, slots=True)
class Link:
    """A link to an http, https or mailto URL (`links.safe_url`)."""

    url: str
    children: tuple[Inline, ...]


@dataclass(frozen=True, slots=True)
class Marker:
    """The citation marker `[n]`; *url* is empty if the source has no public URL."""

    n: int
    url: str


type Inline = Text | LeftToRight | Code | Break | Strong | Emphasis | Strike | Link | Marker


class Alignment(StrEnum):
    """The alignment of a table column; START follows the direction of the text."""

    START = "start"
    LEFT = "left"
    CENTER = "center"
    RIGHT = "right"


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of level 1 to 6. A tree has one of level 1, its first block, and skips no level."""

    level: int
    children: tuple[Inline, ...]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph of text."""

    children: tuple[Inline, ...]


@dataclass(frozen=True, slots=True)
class Quote:
    """Quoted blocks."""

    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Items:
    """A list; *start* is the first number of an ordered list, None for bullets. Tight: no space between items."""

    start: int | None
    tight: bool
    items: tuple[tuple[Block, ...], ...]


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """Preformatted lines."""

    text: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table; each row has as many cells as *header*."""

    alignments: tuple[Alignment, ...]
    header: tuple[tuple[Inline, ...], ...]
    rows: tuple[tuple[tuple[Inline, ...], ...], ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """A thematic break."""


@dataclass(frozen=True, slots=True)
class Figure:
    """An image that the caller fetched; *link* is the URL around it, or empty."""

    url: str
    alt: str
    link: str


@dataclass(frozen=True, slots=True)
class Source:
    """An entry of the sources list; *title* is what is shown, *url* and *date* may be empty."""

    n: int
    title: tuple[Inline, ...]
    url: str
    date: str


@dataclass(frozen=True, slots=True)
class Sources:
    """The list of the sources that the content cites, by number."""

    entries: tuple[Source, ...]


type Block = Heading | Paragraph | Quote | Items | CodeBlock | Table | Rule | Figure | Sources


def plain(children: tuple[Inline, ...], *, markers: bool = True) -> str:
    """
    Return the displayed text of inline content, without styles; a line break becomes a space.

    Without *markers* the blanks before them are left out, too.
    """
    parts: list[str] = []
    for child in children:
        match child:
            case Text(text) | LeftToRight(text) | Code(text):
                parts.append(text)
            case Break():
                parts.append(" ")
            case Marker(n, _) if markers:
                parts.append(f"[{n}]")
            case Marker():
                parts = ["".join(parts).rstrip()]
            case Strong(inner) | Emphasis(inner) | Strike(inner) | Link(_, inner):
                parts.append(plain(inner, markers=markers))
    return "".join(parts)
