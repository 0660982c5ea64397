"""Blocks -> the JSON that the template reads."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields, is_dataclass
from typing import TYPE_CHECKING, Final

from newsletters.exports.blocks import Block, Figure, Inline, Table
from newsletters.exports.glyphs import displayable
from newsletters.exports.writers.tables import MOST_COLUMNS, shares, unfolded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from newsletters.exports.images import Image

TEXT_WIDTH: Final = 459.2  # points: A4 without margins
MOST_HEIGHT: Final = 480.0  # of an image, in points
LONGEST_WORD: Final = 48  # characters that surely fit into a line
_POINTS_PER_PIXEL: Final = 0.75
_CHARACTER: Final = 6.2  # points, of a wide character in a table
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
    longest: int = field(default=LONGEST_WORD)

    def blocks(self, blocks: Sequence[Block]) -> list[Json]:
        """Return blocks as the template reads them."""
        return [self._any(block) for block in blocks]

    def text(self, text: str) -> str:
        """Return text with glyphs for all characters, in which each line can be broken."""
        shown, missing = displayable(text.replace("\t", "    "))
        self.missing |= missing
        return re.sub(rf"\S{{{self.longest}}}(?=\S)", "\\g<0>\u200b", shown)

    def _any(self, value: object) -> Json:  # noqa: PLR0911 - a branch per kind of value
        match value:
            case Table() if len(value.header) > MOST_COLUMNS:
                return self._any(unfolded(value))
            case Table():
                return self._table(value)
            case Figure():
                return self._figure(value)
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
        widths = [share * TEXT_WIDTH for share in shares(table)]

        def row(cells: Sequence[tuple[Inline, ...]]) -> list[Json]:
            return [self._cell(cell, width) for cell, width in zip(cells, widths, strict=True)]

        return {
            "kind": "table",
            "widths": widths,
            "alignments": [str(side) for side in table.alignments],
            "header": row(table.header),
            "rows": [row(cells) for cells in table.rows],
        }

    def _cell(self, cell: tuple[Inline, ...], width: float) -> Json:
        self.longest = max(1, int((width - _INSET) / _CHARACTER))
        try:
            return self._any(cell)
        finally:
            self.longest = LONGEST_WORD

    def _figure(self, figure: Figure) -> Json:
        image = self.images[figure.url]
        return {
            "kind": "figure",
            "file": self.files[figure.url],
            "width": image.fitted(TEXT_WIDTH, MOST_HEIGHT, _POINTS_PER_PIXEL),
            "alt": figure.alt,
            "link": figure.link,
        }
