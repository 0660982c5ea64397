"""Reads files of contacts: the header, then rows from any position on."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from botocore.exceptions import ClientError

from shared.runtime import csv_files
from shared.runtime.csv_files import DELIMITERS, Lines, Record, Unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shared.aws.s3 import Bucket

LARGEST_BYTES: Final = 50 << 20
MOST_ROWS: Final = 100_000
MOST_COLUMNS: Final = 100
BEGINNING_BYTES: Final = 256 << 10
TYPE: Final = "text/csv"
CAUSE_DIGITS: Final = 16


class FileMissing(Exception):
    """The file was not uploaded, or is not kept any more."""


@dataclass(frozen=True, slots=True)
class Layout:
    """
    How a file is written. *header*: the names of its columns; *start*: the position of its first row, in bytes; *line*:
    the number of the line before it.
    """

    encoding: str
    start: int
    line: int
    delimiter: str
    header: tuple[str, ...]


def key_of(company: str, import_id: str, cause: str = "") -> str:
    """
    Return the key of the file of an import: as it was uploaded, or as the request *cause* has started it. The form may
    upload another file later.
    """
    name = f"{import_id}-{cause[:CAUSE_DIGITS]}.csv" if cause else f"{import_id}.csv"
    return f"contacts/{company}/imports/{name}"


def beginning_of(bucket: Bucket, key: str) -> bytes:
    """Return the first bytes of a file, at least its header. Raises FileMissing."""
    try:
        return bucket.first_bytes(key, BEGINNING_BYTES)
    except ClientError as error:
        raise _missing(bucket, key, error) from None


def layout_of(beginning: bytes) -> Layout:
    """Return how a file with this *beginning* is written. Raises Unreadable."""
    lines = csv_files.beginning_of(beginning)
    header = csv_files.header_of(lines, lines.next_filled())
    delimiter = max(DELIMITERS, key=lambda one: len(header.cells(one)))
    header.check(delimiter)
    if lines.undecoded(delimiter) is not None:
        raise Unreadable("encoding_unreadable", "the header is no text in UTF-8", header.line)
    names = [one.strip() for one in header.cells(delimiter)]
    seen: set[str] = set()
    if len(names) > MOST_COLUMNS:
        problem = f"the header has more than {MOST_COLUMNS} columns"
        raise Unreadable("header_unreadable", problem, header.line)
    for column, name in enumerate(names, 1):
        if not name:
            raise Unreadable("header_unreadable", "the column has no name", header.line, column)
        if (key := _compared(name)) in seen:
            problem = "another column has the same name"
            raise Unreadable("header_unreadable", problem, header.line, column)
        seen.add(key)
    return Layout(lines.encoding, lines.position, lines.number, delimiter, tuple(names))


def _compared(name: str) -> str:
    """Return the name of a column as people see it: without invisible characters, case and forms of characters."""
    text = unicodedata.normalize("NFKC", name).casefold()
    return "".join(one for one in text if unicodedata.category(one) != "Cf").strip()


def rows_from(
    bucket: Bucket, key: str, layout: Layout, position: int, line: int
) -> Iterator[Record]:
    """
    Yield the rows after a position, which is after a *line*; one that cannot be read has a fault.

    Raises FileMissing, and Unreadable if no further row can be found.
    """
    try:
        chunks = bucket.chunks_from(key, position)
        yield from _records(chunks, layout, position, line)
    except ClientError as error:
        raise _missing(bucket, key, error) from None


def first_rows(beginning: bytes, layout: Layout, most: int) -> list[Record]:
    """Return up to *most* rows that are whole in the *beginning* of a file. Raises Unreadable."""
    found: list[Record] = []
    chunks = iter([beginning[layout.start :]])
    for row in _records(chunks, layout, layout.start, layout.line):
        # A row that ends with the beginning may go on behind it.
        if len(found) == most or (len(beginning) == BEGINNING_BYTES and row.end >= len(beginning)):
            break
        found.append(row)
    return found


def _records(chunks: Iterator[bytes], layout: Layout, position: int, line: int) -> Iterator[Record]:
    lines = Lines(chunks, layout.encoding, position, line)
    return csv_files.records(lines, layout.delimiter, len(layout.header))


def _missing(bucket: Bucket, key: str, error: ClientError) -> Exception:
    if bucket.is_missing(key, error):
        return FileMissing("the file was not uploaded, or is not kept any more")
    return error
