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


class Retriever(Protocol):
    """Finds passages in the documents of a company. Safe to call from several threads."""

    def retrieve(
        self, company_id: str, query: str, *, limit: int, since: str | None = None
    ) -> list[Passage]:
        """
        Return at most *limit* passages, best first.

        *since* is a UTC date, YYYY-MM-DD: then all passages have a date, which is not earlier. Raises
        RetrieverUnavailable, CorpusTooLarge or RetrievalRefused; ValueError for an invalid *since* or *limit*.
        """
        ...


def checked_company(company_id: str) -> str:
    """Return *company_id* if it is one path segment: it selects the prefix that is read. Raises RetrievalRefused."""
    if not _COMPANY_ID.fullmatch(company_id) or not company_id.strip("."):
        raise RetrievalRefused("invalid_company_id")
    return company_id


def checked_request(limit: int, since: str | None) -> date | None:
    """Return *since* as a date. Raises ValueError if it is no date of the form YYYY-MM-DD, or *limit* is below 1."""
    if limit < 1:
        raise ValueError("limit must be at least 1")
    if since is None:
        return None
    day = date.fromisoformat(since)
    if day.isoformat() != since:
        raise ValueError("since must have the form YYYY-MM-DD")
    return day
