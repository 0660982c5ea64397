"""Writes plain text: 78 columns, links as numbered notes at the end."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from newsletters.exports.blocks import (
    Alignment,
    Block,
    Break,
    Code,
    CodeBlock,
    Emphasis,
    Figure,
    Heading,
    Inline,
    Items,
    LeftToRight,
    Link,
    Marker,
    Paragraph,
    Quote,
    Rule,
    Sources,
    Strike,
    Strong,
    Table,
    Text,
)
from newsletters.exports.document import Document, Rendered
from newsletters.exports.inlines import in_order, isolated
from newsletters.exports.labels import labels

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from newsletters.exports.images import Image

COLUMNS: Final = 78
_NUMBERED: Final = re.compile(r"\[(\d{1,6})\]")
_GAP: Final = "  "  # between the columns of a table
_UNDERLINES: Final = {1: "=", 2: "-"}


def write(document: Document, blocks: Sequence[Block], _images: Mapping[str, Image]) -> Rendered:
    """Render text in UTF-8 with lines of at most 78 columns, as far as words and URLs are shorter."""
    highest = max((citation.n for citation in document.citations), default=0)
    text = written(document, blocks, first_note=highest + 1)
    return Rendered(text.encode(errors="replace"), ())


def written(document: Document, blocks: Sequence[Block], *, first_note: int) -> str:
    """Return text whose links have notes from *first_note* on."""
    writer = _Writer(first_note=first_note, direction=document.direction)
    lines = writer.blocks(blocks, COLUMNS)
    if writer.notes:
        heading = Heading(2, (Text(labels(document.primary_language).links),))
        notes = [f"[{n}] {url}" for url, n in writer.notes.items()]
        lines += ["", *writer.block(heading, COLUMNS), "", *notes]
    return "\n".join(lines) + "\n"


def next_note(text: str) -> int:
    """Return the first number that no note or citation of a text has."""
    return max((int(one) for one in _NUMBERED.findall(text)), default=0) + 1


def columns(text: str) -> int:
    """Return the number of columns of text in a terminal: 2 for wide characters, 0 for combining ones."""
    return sum(
        0
        if unicodedata.category(character) in {"Mn", "Me", "Cf"}
        else 1 + (unicodedata.east_asian_width(character) in {"W", "F"})
        for character in text
    )


def wrapped(text: str, width: int) -> list[str]:
    """Break text between words; a word longer than the width gets a separate line."""
    lines: list[str] = []
    for part in text.split("\n"):
        line = ""
        for word in part.split():
            if line and columns(line) + 1 + columns(word) > width:
                lines.append(line)
                line = word
            else:
                line = f"{line} {word}" if line else word
        lines.append(line)
    return lines


@dataclass(slots=True)
class _Writer:
    """Writes blocks as lines; *notes* has the number of each link by URL, above the numbers of the citations."""

    first_note: int
    direction: str
    notes: dict[str, int] = field(default_factory=dict)

    def blocks(self, blocks: Sequence[Block], width: int) -> list[str]:
        lines: list[str] = []
        for block in blocks:
            if lines:
                lines += [""] * (
                    2 if isinstance(block, Heading) and block.level <= max(_UNDERLINES) else 1
                )
            lines += self.block(block, width)
        return lines

    def block(  # noqa: C901, PLR0911 - a branch per kind of block
        self, block: Block, width: int
    ) -> list[str]:
        match block:
            case Heading(level, children):
                lines = wrapped(self.inlines(children), width)
                underline = _UNDERLINES.get(level, "") * min(width, max(map(columns, lines)))
                return [*lines, underline] if underline else lines
            case Paragraph(children):
                return wrapped(self.inlines(children), width)
            case Quote(blocks):
                return [f"> {line}".rstrip() for line in self.blocks(blocks, width - 2)]
            case CodeBlock(text):
                return [f"    {line}".rstrip() for line in text.split("\n")]
            case Rule():
                return ["-" * min(width, 20)]
            case Items():
                return self._items(block, width)
            case Table():
                return self._table(block, width)
            case Figure(url, alt, link):
                return wrapped(f"{alt or url} {self._note(link or url)}", width)
            case Sources(entries):
                lines = []
                for source in entries:
                    date = self.inlines(in_order(source.date, self.direction))
                    named = self.inlines(source.title)
                    url = source.url if source.url not in named else ""
                    text = ", ".join(filter(None, (named, date, url)))
                    lines += _hanging(f"[{source.n}] ", wrapped(text, width - 4))
                return lines

    def inlines(self, children: Sequence[Inline]) -> str:
        return "".join(map(self._inline, children))

    def _inline(self, child: Inline) -> str:
        match child:
            case Text(text) | Code(text):
                return text
            case LeftToRight(text):
                return isolated(text)
            case Break():
                return "\n"
            case Marker(n, _):
                return f"[{n}]"
            case Strong(inner) | Emphasis(inner) | Strike(inner):
                return self.inlines(inner)
            case Link(url, inner):
                text = self.inlines(inner)
                shown = text in {url, url.removeprefix("mailto:")}
                return text if shown else f"{text} {self._note(url)}"

    def _note(self, url: str) -> str:
        return f"[{self.notes.setdefault(url, self.first_note + len(self.notes))}]"

    def _items(self, block: Items, width: int) -> list[str]:
        lines: list[str] = []
        for at, item in enumerate(block.items):
            sign = "- " if block.start is None else f"{block.start + at}. "
            if lines and not block.tight:
                lines.append("")
            lines += _hanging(sign, self._item(item, width - len(sign), tight=block.tight))
        return lines

    def _item(self, item: Sequence[Block], width: int, *, tight: bool) -> list[str]:
        if not tight:
            return self.blocks(item, width) or [""]
        return [line for block in item for line in self.block(block, width)] or [""]

    def _table(self, table: Table, width: int) -> list[str]:
        rows = [
            [self.inlines(cell).replace("\n", " ") for cell in row]
            for row in (table.header, *table.rows)
        ]
        widths = [max(columns(cell) for cell in column) for column in zip(*rows, strict=True)]
        if sum(widths) + len(_GAP) * (len(widths) - 1) > width:
            return self._records(rows, width)
        lines = [_GAP.join(map(_aligned, row, widths, table.alignments)).rstrip() for row in rows]
        return [lines[0], _GAP.join("-" * size for size in widths), *lines[1:]]

    def _records(self, rows: Sequence[Sequence[str]], width: int) -> list[str]:
        """A table that is too wide: a line per cell, and an empty line between rows."""
        header, *others = rows
        if not others:
            return [line for cell in header for line in wrapped(cell, width)]
        lines: list[str] = []
        for row in others:
            lines += [""] if lines else []
            for name, cell in zip(header, row, strict=True):
                if not cell:
                    continue
                lines += _hanging("", wrapped(f"{name}: {cell}", width - 2), indent=2)
        return lines


def _aligned(cell: str, width: int, alignment: Alignment) -> str:
    space = width - columns(cell)
    match alignment:
        case Alignment.RIGHT:
            return " " * space + cell
        case Alignment.CENTER:
            return " " * (space // 2) + cell + " " * (space - space // 2)
        case _:
            return cell + " " * space


def _hanging(sign: str, lines: Sequence[str], indent: int = 0) -> list[str]:
    """Put a sign before the first line and indent the others."""
    space = " " * (indent or len(sign))
    return [f"{sign}{lines[0]}".rstrip(), *(f"{space}{line}".rstrip() for line in lines[1:])]
