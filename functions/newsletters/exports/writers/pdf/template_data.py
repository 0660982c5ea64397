"""Blocks -> the JSON that the template reads."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Final

from newsletters.exports.blocks import Block, Code, Figure, Heading, Inline, Table
from newsletters.exports.glyphs import displayable
from newsletters.exports.writers.tables import ems, is_number, is_whole, layout, unfolded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from newsletters.exports.images import Image

TEXT_WIDTH: Final = 459.2  # points: A4 without margins
MOST_HEIGHT: Final = 480.0  # of an image, in points
LINE: Final = 33.0  # em that surely fit into a line
HEADINGS: Final = {1: 20.0, 2: 29.0}  # the same of large headings, by level
_POINTS_PER_PIXEL: Final = 0.75
_TABLE_SIZE: Final = 9.0  # points, of text in a table
_CHARACTER: Final = 0.69  # em, of a wide character
_INSET: Final = 10  # points, of a cell, left and right
_NOT_DISPLAYED: Final = frozenset({"url", "link", "alt"})

type Json = str | int | float | bool | Sequence[Json] | Mapping[str, Json] | None


@dataclass(slots=True)
class DataWriter:
    """
    Converts blocks. *files* has the name of each image's file by URL.

    *missing* is set when a character has no glyph.
    """

    images: Mapping[str, Image]
    files: Mapping[str, str]
    missing: bool = False
    room: float = LINE  # em of the present line
    in_table: bool = False

    def blocks(self, blocks: Sequence[Block]) -> list[Json]:
        """Return blocks as the template reads them."""
        return [self._any(block) for block in blocks]

    def inlines(self, children: tuple[Inline, ...]) -> Json:
        """Return inline content as the template reads it."""
        return self._any(children)

    def text(self, text: str) -> str:
        """Return text with glyphs for all characters, in which each line can be broken."""
        shown, missing = displayable(text.replace("\t", "    "))
        self.missing |= missing
        return re.sub(r"\S+", lambda word: self._breakable(word[0]), shown)

    def _breakable(self, word: str) -> str:
        width = ems(word)
        if width <= self.room or (self.in_table and is_whole(word)):
            return word
        most = max(1, int(self.room / max(_CHARACTER, width / len(word))))
        return "\u200b".join(word[at : at + most] for at in range(0, len(word), most))

    def _any(self, value: object) -> Json:  # noqa: PLR0911 - a branch per kind of value
        match value:
            case Table():
                return self._table(value)
            case Code(text):
                # Text that surely fits into a line is kept whole where its direction differs.
                shown = self.text(text)
                return {"kind": "code", "text": shown, "whole": ems(text) <= self.room}
            case Figure():
                return self._figure(value)
            case Heading(level):
                self.room = HEADINGS.get(level, LINE)
                children = self._any(value.children)
                self.room = LINE
                return {"kind": "heading", "level": level, "children": children}
            case str():
                return self.text(value)
            case tuple():
                return [self._any(part) for part in value]
            case _ if is_dataclass(value):
                return {"kind": type(value).__name__.lower()} | {
                    name: getattr(value, name)
                    if name in _NOT_DISPLAYED
                    else self._any(getattr(value, name))
                    for name in (known.name for known in fields(value))
                }
            case int() | None:
                return value
        raise TypeError(f"no part of a block tree: {type(value)}")

    def _table(self, table: Table) -> Json:
        found = layout(table, width=TEXT_WIDTH, size=_TABLE_SIZE, inset=_INSET)
        if found is None:
            return self._any(unfolded(table))

        def row(cells: Sequence[tuple[Inline, ...]]) -> list[Json]:
            return [
                self._cell(cell, (width - _INSET) / found.size)
                for cell, width in zip(cells, found.widths, strict=True)
            ]

        return {
            "kind": "table",
            "size": found.size,
            "widths": found.widths,
            "alignments": [str(side) for side in table.alignments],
            "header": row(table.header),
            "rows": [row(cells) for cells in table.rows],
        }

    def _cell(self, cell: tuple[Inline, ...], room: float) -> Json:
        """Return a cell in which words can be broken if they are wider than *room*, in em, and numbers cannot."""
        whole = is_number(cell)
        self.room, self.in_table = (LINE if whole else room), True
        try:
            return {"whole": whole, "children": self._any(cell)}
        finally:
            self.room, self.in_table = LINE, False

    def _figure(self, figure: Figure) -> Json:
        image = self.images[figure.url]
        return {
            "kind": "figure",
            "file": self.files[figure.url],
            "width": image.fitted(TEXT_WIDTH, MOST_HEIGHT, _POINTS_PER_PIXEL),
            "alt": figure.alt,
            "link": figure.link,
        }
