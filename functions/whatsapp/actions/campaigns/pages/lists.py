"""
Reads lists of recipients: JSON Lines, or CSV (RFC 4180) separated by commas, semicolons or tabs, in UTF-8 or UTF-16.

A line of JSON is an object, which has each name once, or a text that names the recipient. CSV begins with a header,
whose names are compared without case, spaces, `-` and `_`:

    to (phone, mobile ...) or recipient (user id)    the customer
    ref, text                                        optional
    1, 2 ...                                         the values of the template's body

Quoted cells may contain separators and line breaks. Empty lines are no rows.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST_ROW = 64 << 10  # characters
_DELIMITERS = ",;\t"
_MARKS = {b"\xef\xbb\xbf": "utf-8", b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
_ENCODINGS = {"utf-8": "UTF-8", "utf-16-le": "UTF-16", "utf-16-be": "UTF-16"}
_FIELDS = {
    "to": {"to", "phone", "phonenumber", "mobile", "mobilenumber", "mobilephone", "number", "whatsapp",
           "whatsappnumber", "customerphone", "telephone", "tel", "cell", "cellphone", "msisdn", "e164", "waid",
           "tonumber", "tophone", "contact", "customer"},
    "recipient": {"recipient", "userid", "bsuid", "businessscopeduserid"},
    "ref": {"ref", "reference"},
    "text": {"text", "message"},
}  # fmt: skip
_NAMES = {name: field for field, names in _FIELDS.items() for name in names}
_CUSTOMER = frozenset({"to", "recipient"})
_UNWRITTEN = re.compile(r"[\s_{}-]+")
_UNDECODED = re.compile(r"[\ud800-\udfff]")
# Excel's note of the separator, before the header.
_SEPARATOR = re.compile(r"sep=.", re.IGNORECASE)


class Unreadable(Exception):
    """The list cannot be read: *reason* is a code, *problem* the rule with line and column, without the content."""

    def __init__(self, reason: str, problem: str = "", line: int = 0, column: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        place = f"line {line}" + (f", column {column}" if column else "")
        self.problem = f"{place}: {problem}" if line else problem


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


@dataclass(slots=True, eq=False)  # A list has a million: frozen ones take twice the time to make.
class Record:
    """
    A row of a list. *end*: the position after it, in bytes; *line*: the number of its first line.

    *given*: its content by the names of parameters; None with a *fault*.
    """

    end: int
    line: int
    given: object
    fault: Unreadable | None = None


def layout_of(beginning: bytes) -> Layout:
    """Return how a list with this *beginning*, at least its header, is written. Raises Unreadable."""
    encoding, mark = _encoding_of(beginning)
    lines = _Lines(iter([beginning[mark:]]), encoding, mark, 0)
    header = lines.next_filled()
    if _is_json(header):
        return Layout(encoding, mark)
    if _SEPARATOR.fullmatch(header.rstrip("\r\n")):
        header = lines.next_filled()
    number = lines.number
    while header.count('"') % 2:
        header += next(lines, '"')
    readings = {
        one: next(csv.reader(_split(header), **_style(one, strict=False))) for one in _DELIMITERS
    }
    fields = {one: [_field_of(cell) for cell in cells] for one, cells in readings.items()}
    delimiter = max(_DELIMITERS, key=lambda one: sum(field is not None for field in fields[one]))
    if not _may_begin(header, delimiter, ends=("",)):
        raise _fault_of(header, delimiter, number)
    columns = tuple(fields[delimiter])
    if not _CUSTOMER.intersection(columns):
        problem = "the header must have a column to or recipient"
        raise Unreadable("header_unreadable", problem, number)
    _check_columns(columns, number)
    return Layout(encoding, lines.position, lines.number, delimiter, columns)


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
    lines = _Lines(chunks, layout.encoding, position, layout.line)
    if layout.columns is None:
        yield from _json_records(lines)
        return
    reader = csv.reader(lines, **_style(layout.delimiter))
    while True:
        lines.begin()
        number = lines.number + 1
        given, fault = None, None
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:
            fault = _fault_of("".join(lines.taken), layout.delimiter, number)
        else:
            if not "".join(cells).strip():
                continue
            fault = lines.undecoded(layout.delimiter) or _miscounted(cells, layout, number)
            given = None if fault else _row(cells, layout.columns)
        yield Record(lines.position, number, given, fault)


def _json_records(lines: _Lines) -> Iterator[Record]:
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


class _Lines:
    """
    The lines of a list, with their ends, for a reader of CSV. Counts the bytes and lines that were read.

    *taken*: the lines since `begin`.
    """

    def __init__(self, chunks: Iterator[bytes], encoding: str, position: int, number: int) -> None:
        self.encoding, self.position, self.number = encoding, position, number
        self.taken: list[str] = []
        self._length = 0
        self._stream = io.TextIOWrapper(
            io.BufferedReader(_Chunks(chunks)), encoding, _errors(encoding), newline=""
        )

    def begin(self) -> None:
        self.taken.clear()
        self._length = 0

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        try:
            line = self._stream.readline(LONGEST_ROW + 1)
        except UnicodeDecodeError:
            raise _not_encoded(self.encoding, self.number + 1, 0) from None
        if not line:
            raise StopIteration
        self._length += len(line)
        if self._length > LONGEST_ROW:
            first = self.number + 1 - len(self.taken)
            problem = "the row is longer than 65,536 characters, or a quote is not closed"
            raise Unreadable("line_too_long", problem, first)
        self.taken.append(line)
        self.position += _size(line, self.encoding)
        self.number += 1
        return line

    def next_filled(self) -> str:
        """Return the next line that is not empty. Raises Unreadable."""
        for line in self:
            if line.strip():
                self.taken = [line]
                return line
        raise Unreadable("header_unreadable", "the list has no row")

    def undecoded(self, delimiter: str) -> Unreadable | None:
        """Return the fault of the taken lines if they have bytes that are no text in the list's encoding."""
        for index, line in enumerate(self.taken):
            bad = None if line.isascii() else _UNDECODED.search(line)
            if bad is not None:
                before = "".join(self.taken[:index]) + line[: bad.start()]
                column = _cells_in(before, delimiter) if delimiter else bad.start() + 1
                return _not_encoded(
                    self.encoding, self.number - len(self.taken) + index + 1, column
                )
        return None


class _Chunks(io.RawIOBase):
    """Chunks of bytes as a stream."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks, self._rest = chunks, b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override] # what BufferedReader passes
        while not self._rest:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._rest = chunk
        part = self._rest[: len(buffer)]
        buffer[: len(part)] = part
        self._rest = self._rest[len(part) :]
        return len(part)


def _encoding_of(beginning: bytes) -> tuple[str, int]:
    """Return the encoding of a text, by its byte order mark or the zero bytes of UTF-16, and the length of its mark."""
    for mark, encoding in _MARKS.items():
        if beginning.startswith(mark):
            return encoding, len(mark)
    if beginning[1:2] == b"\0":
        return "utf-16-le", 0
    return ("utf-16-be" if beginning[:1] == b"\0" else "utf-8"), 0


def _errors(encoding: str) -> str:
    """Return the error handler that keeps undecodable bytes as surrogates, so that they can be counted."""
    return "surrogateescape" if encoding == "utf-8" else "surrogatepass"


def _size(text: str, encoding: str) -> int:
    if encoding == "utf-8" and text.isascii():
        return len(text)
    return len(text.encode(encoding, _errors(encoding)))


def _not_encoded(encoding: str, line: int, column: int) -> Unreadable:
    problem = f"is not encoded in {_ENCODINGS[encoding]}"
    return Unreadable("encoding_unreadable", problem, line, column)


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
    plain = _UNWRITTEN.sub("", name).casefold()
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


def _style(delimiter: str, *, strict: bool = True) -> dict[str, Any]:
    """Return the parameters of a reader of CSV."""
    return {"delimiter": delimiter, "strict": strict, "skipinitialspace": True}


def _split(text: str) -> io.StringIO:
    return io.StringIO(text, newline="")


def _fault_of(text: str, delimiter: str, line: int) -> Unreadable:
    """Return the fault of a record that is no CSV, with the line and the column at which it is found."""
    low, high = 0, len(text)
    while low < high:  # the longest part that can be the beginning of a record
        middle = (low + high + 1) // 2
        low, high = (middle, high) if _may_begin(text[:middle], delimiter) else (low, middle - 1)
    if low == len(text):
        problem, at = "a quote is not closed", line
    else:
        problem, at = (
            "text follows a closed quote, or a line ends in CR",
            line + text[:low].count("\n"),
        )
    return Unreadable("row_unreadable", problem, at, _cells_in(text[:low], delimiter))


def _may_begin(text: str, delimiter: str, ends: tuple[str, ...] = ("", '"')) -> bool:
    """Whether a text is a part of a record: it can be read with one of the *ends*."""
    for end in ends:
        try:
            for _ in csv.reader(_split(text + end), **_style(delimiter)):
                pass
        except csv.Error:
            continue
        return True
    return False


def _cells_in(text: str, delimiter: str) -> int:
    """Return how many cells a part of a record has, at least one."""
    rows = list(csv.reader(_split(text), **_style(delimiter, strict=False)))
    return len(rows[-1]) if rows and rows[-1] else 1


def _miscounted(cells: list[str], layout: Layout, line: int) -> Unreadable | None:
    columns = layout.columns or ()
    if len(cells) == len(columns):
        return None
    problem = f"the row has {len(cells)} cells, the header {len(columns)}"
    return Unreadable("row_unreadable", problem, line, min(len(cells), len(columns)) + 1)


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
