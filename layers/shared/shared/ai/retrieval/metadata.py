"""
Attributes of documents: title, public address and date, from metadata objects, front matter or a knowledge base.

A metadata object belongs to the document `{name}` and is named `{name}.metadata.json`, in the form that knowledge bases
of Amazon Bedrock read:

    {"metadataAttributes": {"title": "...", "url": "https://...", "date": "2026-03-01", "topics": ["..."]}}

Front matter is YAML between two lines `---` at the beginning of a Markdown document.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from shared.ai.retrieval.port import LONGEST_TITLE
from shared.runtime.validation import web_addresses

if TYPE_CHECKING:
    from collections.abc import Mapping

SUFFIX: Final = ".metadata.json"
MOST_BYTES: Final = 10 * 1024  # as in knowledge bases
LONGEST_FRONT_MATTER: Final = 8 * 1024  # characters
_FRONT_MATTER = re.compile(
    r"---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE
)
_EPOCH: Final = date(1970, 1, 1)
_LAST_DAY: Final = (date.max - _EPOCH).days
_FIRST_DAY: Final = (date.min - _EPOCH).days
_RESERVED: Final = "!$&'()*+,;=:@/?%~"


class Unreadable(Exception):
    """The document cannot be indexed. *reason* is a code for logs."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Attributes:
    """
    The known attributes of a document; empty texts are unknown. *date* is YYYY-MM-DD, *url* a public http(s) address.

    *topics* are names that its owner chose. *origin* says who its text comes from, if no file does. *text_sha256* is
    the hash of the document for which the attributes were written, if the writer stated it.
    """

    title: str = ""
    url: str = ""
    date: str = ""
    company_id: str = ""
    text_sha256: str = ""
    topics: tuple[str, ...] = ()
    origin: str = ""

    def completed_by(self, other: Attributes) -> Attributes:
        """Return these attributes, the unknown ones from *other*."""
        return Attributes(
            title=self.title or other.title,
            url=self.url or other.url,
            date=self.date or other.date,
            company_id=self.company_id or other.company_id,
            text_sha256=self.text_sha256 or other.text_sha256,
            topics=self.topics or other.topics,
            origin=self.origin or other.origin,
        )


def of_mapping(values: Mapping[str, Any]) -> Attributes:
    """Read attributes by name. Values of another type, and invalid addresses and dates, are unknown."""
    return Attributes(
        title=_line(values.get("title"))[:LONGEST_TITLE],
        url=public_url(values.get("url")) or public_url(values.get("source_url")),
        date=_day(values.get("date"))
        or _day(values.get("published_at"))
        or _day_of_epoch(values.get("published_epoch_day")),
        company_id=_line(values.get("company_id")),
        text_sha256=_line(values.get("text_sha256")),
        topics=_lines(values.get("topics")),
        origin=_line(values.get("origin")),
    )


def of_object(raw: bytes) -> Attributes:
    """Read a metadata object. Raises Unreadable."""
    if len(raw) > MOST_BYTES:
        raise Unreadable("metadata_too_large")
    try:
        attributes = json.loads(raw)["metadataAttributes"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise Unreadable("metadata_invalid") from None
    if not isinstance(attributes, dict):
        raise Unreadable("metadata_invalid")
    return of_mapping(attributes)


def split_front_matter(text: str) -> tuple[Attributes, str]:
    """Return the attributes in the front matter of a Markdown text, and the text after it. Raises Unreadable."""
    if not text.startswith("---"):
        return Attributes(), text
    found = _FRONT_MATTER.match(text)
    if found is None:
        return Attributes(), text
    if len(found[1]) > LONGEST_FRONT_MATTER:
        raise Unreadable("front_matter_too_large")
    import yaml  # noqa: PLC0415 - only building an index needs it

    try:
        values = yaml.safe_load(found[1])
    except (yaml.YAMLError, ValueError, RecursionError):
        raise Unreadable("front_matter_invalid") from None
    if not isinstance(values, dict):
        # A horizontal rule above a text has the same form.
        return Attributes(), text
    return of_mapping({str(name): value for name, value in values.items()}), text[found.end() :]


def public_url(value: object) -> str:
    """Return *value* as an http(s) address with a public host name, in ASCII; empty if it is none."""
    if not isinstance(value, str):
        return ""
    address, hash_sign, fragment = value.strip().partition("#")
    scheme, colon, rest = address.partition(":")
    if scheme.lower() not in {"http", "https"} or not colon:
        return ""
    try:
        rest = quote(rest, safe=_RESERVED)
        web_addresses.checked("https:" + rest)
        fragment = quote(fragment, safe=_RESERVED)
    except (UnicodeEncodeError, web_addresses.WebAddressInvalid):
        return ""
    url = f"{scheme.lower()}:{rest}{hash_sign}{fragment}"
    return url if len(url) <= web_addresses.LONGEST else ""


def epoch_day(day: date) -> int:
    """Return the days since 1970-01-01: `published_epoch_day`, which knowledge bases can compare."""
    return (day - _EPOCH).days


def _day(value: object) -> str:
    """Return the UTC date of a date, a moment or an ISO 8601 text; empty for other values."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip())
        except ValueError:
            return ""
    if isinstance(value, datetime):
        try:
            return f"{value.astimezone(UTC) if value.tzinfo else value:%Y-%m-%d}"
        except OverflowError:
            return ""
    return value.isoformat() if isinstance(value, date) else ""


def _day_of_epoch(value: object) -> str:
    """Return the date of a number of days since 1970; empty for other values."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    if not _FIRST_DAY <= value <= _LAST_DAY:
        return ""
    return (_EPOCH + timedelta(math.floor(value))).isoformat()


def _lines(values: object) -> tuple[str, ...]:
    """Return the texts of a list, each on one line; nothing for other values."""
    return tuple(filter(None, map(_line, values))) if isinstance(values, list) else ()


def _line(value: object) -> str:
    """Return a text or number on one line; empty for other values."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return " ".join(str(value).split()) if isinstance(value, str) or is_number else ""
