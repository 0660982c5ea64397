"""Tables on pages of a fixed width."""

from __future__ import annotations

from typing import Final

from newsletters.exports.blocks import Items, Paragraph, Strong, Table, Text, plain

MOST_COLUMNS: Final = 16  # that are still legible between the margins of a page
_SHORTEST, _LONGEST = (
    4,
    40,
)  # lengths of contents, in characters, that count for the width of a column


def shares(table: Table) -> list[float]:
    """
    Divide the width 1 between the columns by the lengths of their contents.

    Each column has at least half of an equal share.
    """
    columns = zip(table.header, *table.rows, strict=True)
    lengths = [
        min(_LONGEST, max(_SHORTEST, *(len(plain(cell)) for cell in column))) for column in columns
    ]
    return [0.5 / len(lengths) + 0.5 * length / sum(lengths) for length in lengths]


def unfolded(table: Table) -> Items:
    """Return a table with more than MOST_COLUMNS columns as a list: a row per item, a cell per paragraph."""
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
