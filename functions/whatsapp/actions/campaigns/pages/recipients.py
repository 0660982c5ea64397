"""
The recipients of a campaign: rows of a call or of a list in S3, checked, and cut into pages of a hundred.

    campaigns/{company}/{campaign}/pages/{n}.json    the rows of a page, deleted when the page is done

A list has one recipient per line: JSON (an object, or a text that names the recipient), or CSV with a header of `to` or
`recipient`, and optional `ref`, `text` and numbered columns (`1`, `2` ...) for the values of the template's body.
"""

from __future__ import annotations

import csv
import json
import re
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from shared.api.errors import InvalidInput
from shared.aws.sqs_fifo import to_json
from whatsapp.actions.calls import participants
from whatsapp.actions.campaigns.inputs import RecipientRow
from whatsapp.configuration.folders import campaigns_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shared.aws.s3 import Bucket
    from whatsapp.store.items import Phone

PAGE = 100
LONGEST_LINE_BYTES = 64 << 10
MOST_ROWS = 1_000_000
LARGEST_LIST_BYTES = 100 << 20
# A line with content, from its first character on.
_FILLED = re.compile(rb"\S[^\n]*")


class Unreadable(Exception):
    """The list cannot be read; the text is a code."""


type Row = dict[str, Any]  # a RecipientRow by its parameters' names, and its `line`


def page_key(company: str, campaign: str, number: int) -> str:
    """Return the key of a page's rows."""
    return f"{campaigns_of(company)}{campaign}/pages/{number}.json"


def store_page(bucket: Bucket, key: str, rows: list[Row]) -> None:
    """Store the rows of a page. Safe to repeat: they are the same."""
    bucket.put(key, to_json(rows).encode())


def rows_of_page(bucket: Bucket, key: str) -> list[Row]:
    """Return the rows of a page."""
    rows: list[Row] = json.loads(bucket.get(key))
    return rows


def checked(given: object, line: int, phone: Phone) -> Row | None:
    """Return a row with its number as digits, None if it names no customer or breaks a rule."""
    if isinstance(given, str):
        given = {"recipient": given} if given[:2].isalpha() else {"to": given}
    try:
        row = RecipientRow.model_validate(given) if not isinstance(given, RecipientRow) else given
        if row.to is not None:
            digits = participants.number_of(row.to, phone, "to")
            row = row.model_copy(update={"to": f"+{digits}"})
    except (ValidationError, InvalidInput):
        return None
    return {**row.model_dump(mode="json", by_alias=True, exclude_none=True), "line": line}


def has_too_many(bucket: Bucket, key: str, size: int) -> bool:
    """
    Whether a list of *size* bytes has more rows than a campaign may have. Reads it only if it can have so many.

    Empty lines and the header are no rows.
    """
    if size <= 2 * MOST_ROWS:  # a character and the end of the line
        return False
    rows: int | None = None
    is_open = False  # whether the last chunk ended within a line that is counted
    for chunk in bucket.chunks_from(key, 0):
        if rows is None:
            rows = 0 if _is_json(_text(chunk.partition(b"\n")[0])) else -1
        rest = chunk
        if is_open:
            _, end, rest = chunk.partition(b"\n")
            if not end:
                continue
        for _ in _FILLED.finditer(rest):
            rows += 1
            if rows > MOST_ROWS:
                return True
        is_open = bool(rest.rpartition(b"\n")[2].strip())
    return False


def lines_from(bucket: Bucket, key: str, position: int) -> Iterator[tuple[int, str]]:
    """Yield the lines of a list from a byte position on, each with the position after it."""
    rest = b""
    for chunk in bucket.chunks_from(key, position):
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            position += len(line) + 1
            yield position, _text(line)
        if len(rest) > LONGEST_LINE_BYTES:
            raise Unreadable("line_too_long")
    if rest:
        yield position + len(rest), _text(rest)


def parsed(line: str, header: list[str] | None) -> object:
    """Return the row of a line: of JSON, or of CSV if there is a *header*; None for an unreadable one."""
    if header is None:
        try:
            return json.loads(line)
        except (ValueError, RecursionError):
            return None
    try:
        cells = dict(zip(header, next(csv.reader([line])), strict=True))
    except (ValueError, csv.Error, StopIteration):
        return None
    values = [cells[name] for name in sorted((n for n in header if n.isdecimal()), key=int)]
    named = {name: cells[name] for name in ("to", "recipient", "ref", "text") if cells.get(name)}
    return named | ({"bodyParams": values} if values else {})


def header_of(line: str) -> list[str] | None:
    """Return the header of a list in CSV; None for JSON Lines."""
    if _is_json(line):
        return None
    try:
        return [name.strip() for name in next(csv.reader([line]))]
    except csv.Error:
        raise Unreadable("header_unreadable") from None


def _is_json(line: str) -> bool:
    return line.startswith(("{", '"'))


def _text(line: bytes) -> str:
    return line.decode("utf-8-sig", "replace").strip()
