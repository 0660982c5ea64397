"""
Reads CSV (RFC 4180) separated by commas, semicolons or tabs, in UTF-8 or UTF-16, row by row from any position on.

Quoted cells may contain separators and line breaks. Empty lines are no rows. What cannot be read is refused with line
and column, and without its content.
"""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

LONGEST_ROW = 64 << 10  # characters
DELIMITERS = ",;\t"
# Spreadsheets run cells that begin with these as formulas, in some languages also with their wide forms. Some languages
# part a line at semicolons, which ends the quotes around a cell: a text behind one, or in a new line, begins a cell.
_SIGNS = r"=+\-@\uff1d\uff0b\uff0d\uff20"
_MAY_RUN = re.compile(rf"(?<=[;\r\n])(?=[{_SIGNS}])|^(?=[\t\r\n{_SIGNS}])")
_HARMLESS = re.compile(rf"(?<=[;\r\n])'(?=[{_SIGNS}])|^'(?=[\t\r\n{_SIGNS}])")
_MARKS = {b"\xef\xbb\xbf": "utf-8", b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
_HEADER_BYTES = 256  # in which a header of UTF-16 has a separator or a line end, in any alphabet
_ENCODINGS = {"utf-8": "UTF-8", "utf-16-le": "UTF-16", "utf-16-be": "UTF-16"}
_UNDECODED = re.compile(r"[\ud800-\udfff]")
# Excel's note of the separator, before the header.
_SEPARATOR = re.compile(r"sep=.", re.IGNORECASE)


class Unreadable(Exception):
    """The file cannot be read: *reason* is a code, *problem* the rule with line and column, without the content."""

    def __init__(self, reason: str, problem: str = "", line: int = 0, column: int = 0) -> None:
        super().__init__(reason)
        self.reason, self.rule, self.column = reason, problem or reason, column
        place = f"line {line}" + (f", column {column}" if column else "")
        self.problem = f"{place}: {problem}" if line else problem


@dataclass(slots=True, eq=False)  # A list has a million: frozen ones take twice the time to make.
class Record:
    """
    A row. *end*: the position after it, in bytes; *line*: the number of its first line, *last_line* of its last one.

    *given*: the texts of its cells, or what a reader makes of them; None with a *fault*.
    """

    end: int
    line: int
    given: Any
    fault: Unreadable | None = None
    last_line: int = 0


@dataclass(frozen=True, slots=True)
class Header:
    """The *text* of the header's record, which begins in a *line*."""

    text: str
    line: int

    def cells(self, delimiter: str) -> list[str]:
        """Return the names of the columns if this is the delimiter."""
        return next(csv.reader(_split(self.text), **_style(delimiter, strict=False)))

    def check(self, delimiter: str) -> None:
        """Raise Unreadable if the header is no record with this delimiter."""
        if not _may_begin(self.text, delimiter, ends=("",)):
            raise _fault_of(self.text, delimiter, self.line)


def beginning_of(beginning: bytes) -> Lines:
    """Return the lines of a file's *beginning*, after its byte order mark."""
    encoding, mark = _encoding_of(beginning)
    return Lines(iter([beginning[mark:]]), encoding, mark, 0)


def header_of(lines: Lines, first: str) -> Header:
    """Return the header, of which *first* is the first line that is not empty. Raises Unreadable."""
    header = lines.next_filled() if _SEPARATOR.fullmatch(first.rstrip("\r\n")) else first
    number = lines.number
    while header.count('"') % 2:
        header += next(lines, '"')
    fault = lines.undecoded(max(DELIMITERS, key=header.count))
    if fault is not None:
        raise fault
    return Header(header, number)


def records(lines: Lines, delimiter: str, width: int) -> Iterator[Record]:
    """
    Yield the further rows. One that cannot be read, or has not *width* cells, has a fault.

    Raises Unreadable if no further row can be found.
    """
    reader = csv.reader(lines, **_style(delimiter))
    while True:
        lines.begin()
        number = lines.number + 1
        fault = None
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:
            fault = _fault_of("".join(lines.taken), delimiter, number)
        else:
            if not "".join(cells).strip():
                continue
            fault = lines.undecoded(delimiter) or _miscounted(cells, width, number)
        yield Record(lines.position, number, None if fault else cells, fault, lines.number)


class Lines:
    """
    The lines of a file, with their ends, for a reader of CSV. Counts the bytes and lines that were read.

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
        """Begin a record."""
        self.taken.clear()
        self._length = 0

    def __iter__(self) -> Lines:
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
    zero = beginning.find(b"\0", 0, _HEADER_BYTES)
    if zero < 0:
        return "utf-8", 0
    return ("utf-16-le" if zero % 2 else "utf-16-be"), 0


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


def _miscounted(cells: list[str], width: int, line: int) -> Unreadable | None:
    if len(cells) == width:
        return None
    problem = f"the row has {len(cells)} cells, the header {width}"
    return Unreadable("row_unreadable", problem, line, min(len(cells), width) + 1)


def harmless(text: str) -> str:
    """Return a text as a cell, with an apostrophe before each part that a spreadsheet would run."""
    return _MAY_RUN.sub("'", text)


def original(cell: str) -> str:
    """Return the text of a cell that `harmless` may have made."""
    return _HARMLESS.sub("", cell)


def text_of(columns: Sequence[str], rows: Iterable[Sequence[str | int]]) -> str:
    """Return a table with a header; numbers stay numbers."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(columns)
    for row in rows:
        writer.writerow([harmless(cell) if isinstance(cell, str) else cell for cell in row])
    return text.getvalue()
