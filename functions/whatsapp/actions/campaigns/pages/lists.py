"""
Reads lists of recipients: JSON Lines, or CSV (RFC 4180) separated by commas, semicolons or tabs, in UTF-8 or UTF-16.

A line of JSON is an object, which has each name once, or a text that names the recipient. CSV begins with a header,
whose names are compared without case, accents, spaces and signs, and are known in several languages:

    to (phone, Handynummer ...) or recipient (user id)    the customer
    ref, text                                        optional
    1, 2 ...                                         the values of the template's body

Quoted cells may contain separators and line breaks. Empty lines are no rows.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shared.identity.contacts.words import PHONE_COLUMNS, column_name
from shared.runtime import csv_files
from shared.runtime.csv_files import DELIMITERS, Lines, Record, Unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator

_FIELDS = {
    "to": {*PHONE_COLUMNS, "to", "customerphone", "msisdn", "e164", "waid", "tonumber", "tophone", "contact",
           "customer"},
    "recipient": {"recipient", "userid", "bsuid", "businessscopeduserid"},
    "ref": {"ref", "reference", "referenz", "referencia", "riferimento", "\u0645\u0631\u062c\u0639"},
    "text": {"text", "message", "nachricht", "mensagem", "mensaje", "messaggio", "texto",
             "\u0631\u0633\u0627\u0644\u0629", "\u0627\u0644\u0631\u0633\u0627\u0644\u0629"},
}  # fmt: skip
_NAMES = {column_name(name): field for field, names in _FIELDS.items() for name in names}
_CUSTOMER = frozenset({"to", "recipient"})


@dataclass(frozen=True, slots=True)
class Layout:
    """
    How a list is written. *start*: the position of its first row, in bytes; *line*: the number of the line before it.

    *columns*: the fields of a CSV list, in the order of its columns, None for an unknown one; None for JSON Lines.
    """

    encoding: str
    start: int
    line: int = 0
    delimiter: str = ""
    columns: tuple[str | None, ...] | None = None


def layout_of(beginning: bytes) -> Layout:
    """Return how a list with this *beginning*, at least its header, is written. Raises Unreadable."""
    lines = csv_files.beginning_of(beginning)
    start, first = lines.position, lines.next_filled()
    if _is_json(first):
        return Layout(lines.encoding, start)
    header = csv_files.header_of(lines, first)
    fields = {one: [_field_of(cell) for cell in header.cells(one)] for one in DELIMITERS}
    delimiter = max(DELIMITERS, key=lambda one: sum(field is not None for field in fields[one]))
    header.check(delimiter)
    number, columns = header.line, tuple(fields[delimiter])
    if not _CUSTOMER.intersection(columns):
        problem = "the header must have a column to or recipient"
        raise Unreadable("header_unreadable", problem, number)
    _check_columns(columns, number)
    return Layout(lines.encoding, lines.position, lines.number, delimiter, columns)


def check_names(layout: Layout) -> None:
    """Raises Unreadable for a column with an unknown name, whose content would be dropped."""
    if layout.columns is not None and None in layout.columns:
        known = "to, recipient, ref, text, 1, 2 ..."
        column = layout.columns.index(None) + 1
        problem = f"the header has an unknown name; known are {known}"
        raise Unreadable("header_unreadable", problem, layout.line, column)


def records(chunks: Iterator[bytes], layout: Layout, position: int) -> Iterator[Record]:
    """
    Yield the rows of a list from a position on, which *chunks* begin at. A row that cannot be read has a fault.

    Raises Unreadable if no further row can be found.
    """
    lines = Lines(chunks, layout.encoding, position, layout.line)
    if layout.columns is None:
        yield from _json_records(lines)
        return
    for record in csv_files.records(lines, layout.delimiter, len(layout.columns)):
        if record.fault is None:
            record.given = _row(record.given, layout.columns)
        yield record


def _json_records(lines: Lines) -> Iterator[Record]:
    while True:
        lines.begin()
        try:
            line = next(lines)
        except StopIteration:
            return
        if not line.strip():
            continue
        given, fault = None, lines.undecoded("")
        if fault is None:
            try:
                given = json.loads(
                    line.rstrip(),
                    object_pairs_hook=_distinct,
                    parse_constant=_no_number,
                    parse_float=_finite,
                )
            except json.JSONDecodeError as error:
                fault = Unreadable("row_unreadable", "is no JSON", lines.number, error.colno)
            except _RepeatedName:
                fault = Unreadable("row_unreadable", "has a name twice", lines.number)
            except (ValueError, RecursionError):
                fault = Unreadable("row_unreadable", "is no JSON", lines.number, 1)
        yield Record(lines.position, lines.number, given, fault)


class _RepeatedName(Exception):
    """An object of JSON has a name twice: readers differ in which value they take."""


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return an object of JSON. Raises _RepeatedName."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _RepeatedName
    return found


def _no_number(_: str) -> float:
    raise ValueError("NaN and Infinity are no JSON")


def _finite(text: str) -> float:
    """Return a number that JSON can have. Raises ValueError."""
    number = float(text)
    return number if math.isfinite(number) else _no_number(text)


def _is_json(line: str) -> bool:
    """Whether the first line of a list is JSON; a header of CSV may begin with a quote, too."""
    if line.lstrip().startswith("{"):
        return True
    try:
        return isinstance(json.loads(line), str) and _field_of(json.loads(line)) is None
    except (ValueError, RecursionError):
        return False


def _field_of(name: str) -> str | None:
    """Return the field of a column by its name in the header; None for an unknown one."""
    plain = column_name(name)
    return _NAMES.get(plain) or (str(int(plain)) if re.fullmatch("[0-9]{1,2}", plain) else None)


def _check_columns(columns: tuple[str | None, ...], line: int) -> None:
    """Raises Unreadable for two columns of a field, and for missing numbers."""
    values = sorted(int(field) for field in columns if field and field.isdecimal())
    for place, field in enumerate(columns):
        if field is not None and field in columns[:place]:
            problem = f"is a second column {field}"
            raise Unreadable("header_unreadable", problem, line, place + 1)
    if values != list(range(1, len(values) + 1)):
        raise Unreadable(
            "header_unreadable", "numbered columns must be 1, 2 ... without gaps", line
        )


def _row(cells: list[str], columns: tuple[str | None, ...]) -> object:
    """
    Return a row by its parameters' names. Empty cells name no customer and no reference; an empty text or value stays
    empty, which the rules of rows refuse.
    """
    found = {field: cell for field, cell in zip(columns, cells, strict=True) if field is not None}
    row: dict[str, object] = {
        name: found[name].strip()
        for name in ("to", "recipient", "ref")
        if found.get(name, "").strip()
    }
    if "text" in found:
        row["text"] = found["text"]
    values = [found[name] for name in sorted(filter(str.isdecimal, found), key=int)]
    return row | ({"bodyParams": values} if values else {})
