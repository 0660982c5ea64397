"""The header fields of a mail: order, decoded text, Message-IDs and dates."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email.errors import HeaderParseError
from email.header import decode_header
from email.parser import BytesHeaderParser
from email.policy import compat32
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Final

from email_threads.parsing import caps, charsets

if TYPE_CHECKING:
    from collections.abc import Sequence
    from email.message import Message

MOST_SUBJECT: Final = 300
MOST_ID_BYTES: Final = 900

_FOLD: Final = re.compile(r"[ \t]*[\r\n]+[ \t]*")
_ENCODED: Final = r"=\?[^?\s]{1,60}\?[bBqQ]\?.{0,1000}?\?="
_ENCODED_WORDS: Final = re.compile(rf"{_ENCODED}(?:\s*{_ENCODED})*")
_ISO_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d")
_SPACES: Final = re.compile(r"[\t\n\r\v\f ]+")
# Control characters; marks that change the direction of text; characters without width.
_INVISIBLE: Final = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]"
)
_JAPANESE: Final = (
    b"\x1b$"  # begins characters of ISO-2022-JP, which old clients write without encoded words
)
_IN_BRACKETS: Final = re.compile(r"<([^<>\s]+)>")


@dataclass(frozen=True, slots=True)
class Headers:
    """Fields in their order: lower-case names and unfolded values, with encoded words as they came."""

    fields: tuple[tuple[str, str], ...]

    @classmethod
    def read(cls, raw: bytes) -> Headers:
        """Read the header block of a mail."""
        return cls.of(BytesHeaderParser(policy=compat32).parsebytes(caps.header_block(raw)))

    @classmethod
    def of(cls, part: Message) -> Headers:
        """Take the fields of a parsed part."""
        return cls(tuple((name.lower(), _unfolded(value)) for name, value in part.raw_items()))

    def all(self, name: str) -> list[str]:
        """Return the values of the fields with this lower-case name."""
        return [value for field, value in self.fields if field == name]

    def first(self, name: str) -> str | None:
        """Return the first value of a field, None if it is absent."""
        return next(iter(self.all(name)), None)

    def text(self, name: str) -> str:
        """Return the first value with encoded words decoded, "" if the field is absent."""
        return decoded(self.first(name) or "")

    def ids(self, name: str) -> tuple[str, ...]:
        """
        Return the Message-IDs of a field without brackets, each once, otherwise as they came.

        Read from the raw value: structured parsers cut unusual ids. Python's own generator writes long ones as encoded
        words.
        """
        value = " ".join(self.all(name))
        if "=?" in value:
            value = decoded(value)
        found = _IN_BRACKETS.findall(value) or [
            word.strip(",;\"'()<>") for word in value.split() if word.count("@") == 1
        ]
        return tuple(
            dict.fromkeys(name for name in found if name and len(name.encode()) <= MOST_ID_BYTES)
        )

    def date(self) -> datetime | None:
        """Return the time of the Date field in UTC; None if there is none that can be read."""
        try:
            date = self._written()
            # A date without a zone, or with -0000, is in UTC.
            return (date if date.tzinfo else date.replace(tzinfo=UTC)).astimezone(UTC)
        except (ValueError, TypeError, OverflowError, IndexError):
            return None

    def utc_offset(self) -> int | None:
        """Return the offset of the Date field from UTC in minutes; None if it names none."""
        try:
            offset = self._written().utcoffset()
        except (ValueError, TypeError, OverflowError, IndexError):
            return None
        return int(offset.total_seconds()) // 60 if offset is not None else None

    def _written(self) -> datetime:
        value = self.first("date") or ""
        return (
            datetime.fromisoformat(value)
            if _ISO_DATE.match(value)
            else parsedate_to_datetime(value)
        )


def root_id(own: str | None, references: Sequence[str], in_reply_to: Sequence[str]) -> str | None:
    """Return the id that names a mail's thread: the first in References, else in In-Reply-To, else its own."""
    return next((name for name in (*references, *in_reply_to) if name != own), own)


def decoded(value: str) -> str:
    """Decode encoded words (RFC 2047); broken ones stay as they are. Control and direction characters go."""
    text = _ENCODED_WORDS.sub(lambda words: _decoded_words(words[0]), value)
    return _INVISIBLE.sub("", _SPACES.sub(" ", charsets.normal(text))).strip()


def cut_subject(subject: str) -> str:
    """Return a subject of at most `MOST_SUBJECT` characters."""
    return subject[:MOST_SUBJECT].rstrip()


def _decoded_words(words: str) -> str:
    try:
        chunks = decode_header(words)
    except (HeaderParseError, ValueError):
        return words
    return "".join(
        chunk if isinstance(chunk, str) else charsets.decode(chunk, charset)[0]
        for chunk, charset in chunks
    )


def _unfolded(value: str) -> str:
    """
    Undo folding and decode what is no encoded word.

    Bytes beyond ASCII, which the parser keeps as surrogates, are UTF-8 or windows-1252.
    """
    raw = str(value).encode("utf-8", "surrogateescape")
    charset = "iso-2022-jp" if _JAPANESE in raw else None
    return _FOLD.sub(" ", charsets.decode(raw, charset)[0]).strip()
