"""
Separates a person's new text from the quoted mail and from the signature.

The full text is always kept beside the result. The attribution lines of mail clients ("On ... wrote:") come from the
library mail-parser-reply. Its patterns take quadratic time in the length of a line, so that they see neither long lines
nor more than 64 KB.
"""

from __future__ import annotations

import re
import warnings
from functools import cache
from typing import TYPE_CHECKING, Final

from mailparser_reply.parser import EmailMessage  # type: ignore[import-untyped] # it is untyped

if TYPE_CHECKING:
    from re import Pattern

# Without Polish: the library takes each line that starts with "Do:" for a header there.
LANGUAGES: Final = ("en", "cs", "da", "de", "es", "fr", "it", "ja", "ko", "nl", "sv", "zh")

_MOST_CHARACTERS: Final = 64 * 1024
_LONGEST_LINE: Final = 300
_SIGNATURE_LINES: Final = 12
_ATTRIBUTION_LINES: Final = 3

_FORWARD_SUBJECT: Final = re.compile(
    r"\s*(?:fwd?|wg|tr|enc|rv|i|vs|vb|doorst|转发)\s*[:\uff1a]", re.IGNORECASE
)
_FORWARD_MARK: Final = re.compile(
    r"^ *(?:-{3,} ?(?:forwarded|weitergeleitete|mensaje reenviado|message transféré|messaggio inoltrato)"
    r"|begin forwarded message:|anfang der weitergeleiteten)",
    re.IGNORECASE | re.MULTILINE,
)
# The usual mark, and the line above the footer of mailing lists.
_SIGNATURE: Final = re.compile(r"(?:-- ?|_{20,})\s*")
_SEPARATOR: Final = re.compile(r"[-_=*]{5,}\s*")
_ATTRIBUTION: Final = re.compile(
    r"(?:wrote|writes|said|schrieb|écrit|escribi[óo]|escreveu|scritto|schreef|skrev|napisał|пишет|写道)\b.{0,80}[:\uff1a]\s*$",
    re.IGNORECASE,
)


def new_text(
    text: str, subject: str, *, quote_at: int | None = None, languages: tuple[str, ...] = LANGUAGES
) -> str:
    """
    Return the text without the quoted mail and without the signature.

    *quote_at* is the offset at which the mail client marked the quote. The result is the full text for a forward, for
    answers between quotes, and if nothing else would be left.
    """
    lines = without_signature(text.split("\n"))
    runs, header = _quoted_runs(lines), _first_header(lines, languages)
    if _FORWARD_SUBJECT.match(subject) or _is_forwarded(text, header):
        return text.strip()
    if not runs:
        marked = len(lines) if quote_at is None else text.count("\n", 0, quote_at)
        kept = lines[: min(header.start, marked)]
    elif header.start < runs[0].start and _has_text(lines, header.stop, runs[0].start):
        kept = lines[: header.start]  # The quoted mail has no `>`, and quotes another one itself.
    elif _has_text(lines, runs[0].stop, runs[-1].start):
        kept = lines
    else:
        kept = _without_quote(lines, range(runs[0].start, runs[-1].stop), header)
    return "\n".join(_without_separator(without_signature(kept))).strip() or text.strip()


def _is_forwarded(text: str, header: range) -> bool:
    """Whether there is the mark of a forward above the first header: one below it is part of the quoted mail."""
    mark = _FORWARD_MARK.search(text)
    return mark is not None and text.count("\n", 0, mark.start()) <= header.start


def without_signature(lines: list[str]) -> list[str]:
    """Return the lines above a signature mark that is not the first line and has at most 12 lines below it."""
    count = len(lines)
    while count and not lines[count - 1].strip():
        count -= 1
    for number in range(count - 1, max(count - _SIGNATURE_LINES - 2, 0), -1):
        if _SIGNATURE.fullmatch(lines[number]) and any(line.strip() for line in lines[:number]):
            return lines[:number]
    return lines


def _without_quote(lines: list[str], quote: range, header: range) -> list[str]:
    """Return the lines above and below the only quote, without its attribution and without a further quoted mail."""
    start = (
        header.start if header.start < quote.start else _start_of_attribution(lines, quote.start)
    )
    end = header.start if header.start >= quote.stop else len(lines)
    return [*lines[:start], *lines[quote.stop : end]]


def _quoted_runs(lines: list[str]) -> list[range]:
    """Return the runs of lines that start with `>`. One such line inside a paragraph is text, as in "> 5000"."""
    runs: list[range] = []
    number = 0
    while number < len(lines):
        start = number
        while number < len(lines) and lines[number].lstrip(" ").startswith(">"):
            number += 1
        is_alone = number - start == 1 and start > 0 and lines[start - 1].strip()
        if number > start and not (is_alone and not _ATTRIBUTION.search(lines[start - 1])):
            runs.append(range(start, number))
        number += 1
    return runs


def _start_of_attribution(lines: list[str], quote: int) -> int:
    """Return the first line of the attribution above a quote, or *quote* if there is none."""
    last = quote - 1
    while last >= 0 and not lines[last].strip():
        last -= 1
    if last < 0 or not _ATTRIBUTION.search(lines[last]):
        return quote
    first = last
    while first > 0 and last - first < _ATTRIBUTION_LINES - 1 and lines[first - 1].strip():
        first -= 1
    return first


def _first_header(lines: list[str], languages: tuple[str, ...]) -> range:
    """Return the lines of the first attribution or copied headers; an empty range at the end if there are none."""
    stripped: list[str] = []
    length = 0
    for line in lines:
        if (length := length + len(line) + 1) > _MOST_CHARACTERS:
            break
        stripped.append(line.strip() if len(line) <= _LONGEST_LINE else "\N{BULLET}")
    searched = "\n".join(stripped)
    found = _headers(languages).search(searched)
    if not found:
        return range(len(lines), len(lines))
    start = found.end() - len(found[0].lstrip("\n"))
    first = searched.count("\n", 0, start)
    return range(first, searched.count("\n", 0, found.end()) + 1)


@cache
def _headers(languages: tuple[str, ...]) -> Pattern[str]:
    with warnings.catch_warnings():
        # The library passes a flag of `re.sub` as the count.
        warnings.simplefilter("ignore", DeprecationWarning)
        pattern: Pattern[str] = EmailMessage(text="", languages=list(languages)).HEADER_REGEX
    return pattern


def _has_text(lines: list[str], start: int, end: int) -> bool:
    """Whether there is a line with unquoted text in this range."""
    return any(line.strip() and not line.lstrip(" ").startswith(">") for line in lines[start:end])


def _without_separator(lines: list[str]) -> list[str]:
    while lines and (not lines[-1].strip() or _SEPARATOR.fullmatch(lines[-1].strip())):
        lines = lines[:-1]
    return lines
