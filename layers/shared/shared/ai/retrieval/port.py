"""Types that callers and retrievers share."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from datetime import date
from typing import Final, Protocol

from shared.runtime.failures import Permanent, Transient

LONGEST_TEXT: Final = 2_000  # characters
LONGEST_TITLE: Final = 300
SCORE_DIGITS: Final = 4
_COMPANY_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")


class RetrieverUnavailable(Transient):
    """The retriever cannot answer now: throttled, failing, too slow, or without permission. *reason* is a code."""


class RetrievalRefused(Permanent):
    """The request can never succeed: unknown knowledge base, invalid request or company id. *reason* is a code."""


class CorpusTooLarge(Permanent):
    """The company has more documents, or more text, than the local retriever indexes."""

    def __init__(self) -> None:
        super().__init__("corpus_too_large")


@dataclass(frozen=True, slots=True)
class Passage:
    """
    A part of a document that matches a query.

    *text* has at most 2,000 characters. *score* is between 0 and 1 with 4 digits; scores of different retrievers are
    not comparable. *url* is a public http(s) address, *uri* another location, such as `s3://...`; *date* is YYYY-MM-DD.
    These three are empty if unknown. *source* is `local-corpus` or `knowledge-base-{id}`.
    """

    text: str = field(repr=False)
    score: float
    title: str
    url: str
    uri: str
    date: str
    source: str

    @property
    def chunk_id(self) -> str:
        """The same in each retrieval, while location and words of the passage are the same."""
        words = " ".join(self.text.split())
        digest = hashlib.sha256(f"{self.url or self.uri}\n{words}".encode()).hexdigest()
        return f"chunk-{digest[:12]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """
    What to search: passages with the words, or the meaning, of *text*.

    *since* and *until* are UTC dates, YYYY-MM-DD: with *since* all passages have a date, which is not earlier; none is
    dated after *until*. *language* is the primary subtag of the text's language; None if unknown. *context* are words
    that only decide between passages which have words of the text. With *topics* all passages are of documents with one
    of them, in the same spelling.
    """

    text: str = field(repr=False)
    since: str | None = None
    until: str | None = None
    language: str | None = None
    context: str = field(default="", repr=False)
    topics: tuple[str, ...] = ()


class Retriever(Protocol):
    """Finds passages in the documents of a company. Safe to call from several threads."""

    def retrieve(self, company_id: str, query: Query, *, limit: int) -> list[Passage]:
        """
        Return at most *limit* passages, best first.

        Raises RetrieverUnavailable, CorpusTooLarge or RetrievalRefused; ValueError for an invalid date or *limit*.
        """
        ...


def checked_company(company_id: str) -> str:
    """Return *company_id* if it is one path segment: it selects the prefix that is read. Raises RetrievalRefused."""
    if not _COMPANY_ID.fullmatch(company_id) or not company_id.strip("."):
        raise RetrievalRefused("invalid_company_id")
    return company_id


def check_request(query: Query, limit: int) -> None:
    """Raise ValueError if a date of the query has not the form YYYY-MM-DD, or *limit* is below 1."""
    if limit < 1:
        raise ValueError("limit must be at least 1")
    for name, day in (("since", query.since), ("until", query.until)):
        if day is not None and date.fromisoformat(day).isoformat() != day:
            raise ValueError(f"{name} must have the form YYYY-MM-DD")
