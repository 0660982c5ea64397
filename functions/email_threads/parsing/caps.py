"""
Caps on the bytes of a mail, checked before any MIME parser, and the time budget of parsing.

A mail over a cap is held for a person: its headers are stored, its content stays in the raw mail.
"""

from __future__ import annotations

import re
import signal
from contextlib import contextmanager
from enum import StrEnum
from typing import TYPE_CHECKING, Final, Never

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

SYNTHETIC_DOMAIN: Final = "missing.invalid"  # of the ids that mails without a usable Message-ID get
MOST_BYTES: Final = 10 * 1024 * 1024
MOST_LINES: Final = 500_000  # the standard library's parser needs about 60 bytes for each line
MOST_HEADER_BYTES: Final = 256 * 1024
MOST_FIELDS: Final = 500
MOST_PARTS: Final = 1_000
DEEPEST: Final = 20
MOST_ADDRESSES: Final = 500
MOST_COMMENTS: Final = 50
SECONDS: Final = 5.0  # of the processor

_PART_HEADER_BYTES: Final = 64 * 1024
_EMPTY_LINE: Final = re.compile(rb"\r?\n\r?\n|\r\r")
_FIELD: Final = re.compile(rb"^[^\s:]", re.MULTILINE)
# A boundary line, or the field that declares a nested structure, with its folded lines.
_MARK: Final = re.compile(
    rb"^(?:--(?P<boundary>[^\r\n]{1,200})|content-type[ \t]*:(?P<type>(?:[^\r\n]|\r?\n[ \t]){0,2000}))",
    re.MULTILINE | re.IGNORECASE,
)
_BOUNDARY: Final = re.compile(
    rb'boundary\s*=\s*(?:"([^"]{1,200})"|([^\s";]{1,200}))', re.IGNORECASE
)
_QUOTED: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"', re.DOTALL)


class HoldReason(StrEnum):
    """The reason why a mail is held."""

    TOO_LARGE = "too_large"
    TOO_MANY_LINES = "too_many_lines"
    HEADERS_TOO_LARGE = "headers_too_large"
    TOO_MANY_FIELDS = "too_many_header_fields"
    TOO_MANY_PARTS = "too_many_parts"
    NESTED_TOO_DEEP = "nested_too_deep"
    TOO_MANY_ADDRESSES = "too_many_addresses"
    TOO_MANY_COMMENTS = "too_many_comments"
    TOO_SLOW = "too_slow"
    UNPARSEABLE = "unparseable"
    # Not caps: the sender is in doubt.
    NO_SENDER = "no_sender"
    FORGED_SENDER = "forged_sender"
    BLOCKED_SENDER = "blocked_sender"  # by people
    FAILED_CHECKS = "failed_checks"  # DMARC, spam or virus, as SES found
    VERIFICATION = "verification"  # a code or a link that proves access to this mailbox


class MailHeld(Exception):
    """The mail is over a cap."""

    def __init__(self, reason: HoldReason) -> None:
        super().__init__(reason)
        self.reason = reason


def header_block(raw: bytes) -> bytes:
    """Return the header block with its empty line, cut at the cap."""
    found = _EMPTY_LINE.search(raw, 0, MOST_HEADER_BYTES + 4)
    return raw[: found.end()] if found else raw[:MOST_HEADER_BYTES]


def check(raw: bytes) -> None:
    """Check size, lines, header block, number of parts and depth. Raises MailHeld."""
    if len(raw) > MOST_BYTES:
        raise MailHeld(HoldReason.TOO_LARGE)
    if max(raw.count(b"\n"), raw.count(b"\r")) > MOST_LINES:
        raise MailHeld(HoldReason.TOO_MANY_LINES)
    block = header_block(raw)
    if len(block) >= MOST_HEADER_BYTES:
        raise MailHeld(HoldReason.HEADERS_TOO_LARGE)
    if len(_FIELD.findall(block)) > MOST_FIELDS:
        raise MailHeld(HoldReason.TOO_MANY_FIELDS)
    _check_structure(raw, len(block))


def check_addresses(value: str) -> None:
    """Check the number of addresses and comments in one address header. Raises MailHeld."""
    if value.count("(") > MOST_COMMENTS:
        raise MailHeld(HoldReason.TOO_MANY_COMMENTS)
    if _QUOTED.sub("", value).count(",") >= MOST_ADDRESSES:
        raise MailHeld(HoldReason.TOO_MANY_ADDRESSES)


@contextmanager
def time_budget() -> Iterator[None]:
    """
    Interrupt the block after `SECONDS` of the processor by raising MailHeld. Needs the main thread, as signals do.

    Processor time, so that a mail is judged by its content and not by other work of the machine.
    """

    def expired(_: int, __: FrameType | None) -> Never:
        raise MailHeld(HoldReason.TOO_SLOW)

    before = signal.signal(signal.SIGPROF, expired)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _check_structure(raw: bytes, header_end: int) -> None:
    """Scan boundary lines once, forward: nested parts stand between two lines of the same boundary."""
    open_boundaries: list[bytes | None] = []  # None stands for an embedded message
    parts = 0
    for mark in _MARK.finditer(raw):
        if line := mark["boundary"]:
            level = _level(open_boundaries, line.rstrip())
            if level is None:
                continue
            parts += 1
            is_end = line.rstrip() != open_boundaries[level]
            del open_boundaries[level if is_end else level + 1 :]
            header_end = mark.end() if is_end else _end_of_header(raw, mark.end())
        elif mark.start() < header_end:
            declared = mark["type"]
            if found := _BOUNDARY.search(declared):
                open_boundaries.append((found[1] or found[2]).rstrip())
            elif declared.strip().lower().startswith(b"message/rfc822"):
                open_boundaries.append(None)
                header_end = _end_of_header(raw, header_end)
        if parts > MOST_PARTS:
            raise MailHeld(HoldReason.TOO_MANY_PARTS)
        if len(open_boundaries) > DEEPEST:
            raise MailHeld(HoldReason.NESTED_TOO_DEEP)


def _level(open_boundaries: list[bytes | None], line: bytes) -> int | None:
    """Return the index of the innermost open boundary that this line delimits; None if it is a line of content."""
    for level in range(len(open_boundaries) - 1, -1, -1):
        boundary = open_boundaries[level]
        if boundary is not None and line in {boundary, boundary + b"--"}:
            return level
    return None


def _end_of_header(raw: bytes, start: int) -> int:
    found = _EMPTY_LINE.search(raw, start, start + _PART_HEADER_BYTES)
    return found.end() if found else start + _PART_HEADER_BYTES
