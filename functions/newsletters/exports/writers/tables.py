"""Tables on pages of a fixed width: the widths of their columns, and the size of their text."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from newsletters.exports.blocks import Items, Paragraph, Strong, Table, Text, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from newsletters.exports.blocks import Inline

MOST_COLUMNS: Final = 16  # that are still legible between the margins of a page
SMALLEST: Final = 6.5  # size of legible text, in points
_WITH_WORDS: Final = 7.5  # the size above which words are rather kept whole than large
_SHORTEST, _LONGEST = 4, 40  # lengths of contents, in characters, that count for a column's width
_WORD: Final = 9.0  # em: words up to this width stay in one line if there is room
_SYLLABLE: Final = 2.0  # em: of words if there is little room
# Of a table's cell: digits with their signs, and a unit or currency.
_NUMBER: Final = re.compile(
    r"(?=.*\d)[^\W\d_]{0,4}"
    r"[\s\d.,:/'\u2019+%\u2030\u00b1\u2010-\u2013\u2212()~<>\u2264\u2265$\u00a3\u00a5\u20a0-\u20cf-]{1,24}"
    r"[^\W\d_]{0,4}"
)
_LONGEST_NUMBER: Final = 24  # characters; a longer word with digits is an id or URL
_NARROW: Final = frozenset(" .,:;'|!()[]-/\u00a0\u2019\u202f")
_INDIC: Final = "\u0900"  # the first of the scripts with wide letters
_WIDE: Final = frozenset("%@mwMW&\u2014\u2030")


@dataclass(frozen=True, slots=True)
class Layout:
    """The *size* of a table's text, and the *widths* of its columns with their insets; in points."""

    size: float
    widths: tuple[float, ...]


def is_number(cell: tuple[Inline, ...]) -> bool:
    """Tell whether a cell is a number, date or amount, which stays in one line."""
    return _NUMBER.fullmatch(plain(cell, markers=False)) is not None


def is_whole(word: str) -> bool:
    """Tell whether a word is not broken in a table: it has digits, and is no long id or URL."""
    return len(word) <= _LONGEST_NUMBER and any(character.isdigit() for character in word)


def layout(table: Table, *, width: float, size: float, inset: float) -> Layout | None:
    """
    Divide *width* between the columns by the lengths of their contents, so that no number has to be broken.

    *size* is the size of the text if there is room; *inset* is the space of a cell, left and right together. Return
    None if the table is not legible as one: it has more than MOST_COLUMNS columns, or too many long numbers.
    """
    if len(table.header) > MOST_COLUMNS:
        return None
    columns = list(zip(table.header, *table.rows, strict=True))
    room = width - inset * len(columns)
    least = [_least(column, _WORD) for column in columns]
    if room / sum(least) < _WITH_WORDS:
        least = [_least(column, _SYLLABLE) for column in columns]
    size = min(size, room / sum(least))
    if size < SMALLEST:
        return None
    return Layout(size, _widened(_shared(columns, width), [one * size + inset for one in least]))


def unfolded(table: Table) -> Items:
    """Return a table that is not legible as one as a list: a row per item, a cell per paragraph."""
    return Items(
        start=None,
        tight=False,
        items=tuple(
            tuple(
                Paragraph((Strong((*name, Text(": "))), *cell))
                for name, cell in zip(table.header, row, strict=True)
                if cell
            )
            for row in table.rows
        ),
    )


def _shared(columns: Sequence[Sequence[tuple[Inline, ...]]], width: float) -> list[float]:
    """Return the widths by the lengths of the contents; each column has at least half of an equal share."""
    lengths = [
        min(_LONGEST, max(_SHORTEST, *(len(plain(cell)) for cell in column))) for column in columns
    ]
    return [width * (0.5 / len(lengths) + 0.5 * one / sum(lengths)) for one in lengths]


def _widened(widths: Sequence[float], least: Sequence[float]) -> tuple[float, ...]:
    """Widen the columns that are too narrow by what the others can spare. The sum of *least* is at most the width."""
    lack = sum(max(0.0, need - has) for has, need in zip(widths, least, strict=True))
    spare = sum(max(0.0, has - need) for has, need in zip(widths, least, strict=True))
    part = lack / spare if spare else 0.0
    return tuple(
        need if has <= need else has - (has - need) * part
        for has, need in zip(widths, least, strict=True)
    )


def _least(column: Sequence[tuple[Inline, ...]], longest_word: float) -> float:
    """Return the width of a column, in em, in which no number has to be broken, nor a word up to a width."""
    return max(0.5, *(_least_of_cell(cell, longest_word) for cell in column))


def _least_of_cell(cell: tuple[Inline, ...], longest_word: float) -> float:
    text = plain(cell)
    if is_number(cell):
        return ems(text)
    words = text.split()
    return max(
        0.0, *(ems(word) if is_whole(word) else min(ems(word), longest_word) for word in words), 0.0
    )


def ems(text: str) -> float:
    """Return about the width of text in em; rather more than less."""
    return sum(map(_em, text))


def _em(character: str) -> float:
    if character in _NARROW:
        return 0.34
    if character in _WIDE:
        return 0.93
    if character.isdigit():
        return 0.59
    if character.isupper():
        return 0.72
    if character < _INDIC:
        return 0.64
    return 1.0 if unicodedata.east_asian_width(character) in {"W", "F"} else 0.8
