"""
A knowledge base of Amazon Bedrock: passages by `Retrieve` of `bedrock-agent-runtime`.

One knowledge base serves several companies: each document has the metadata attribute `company_id`, and each request
filters by it. For dates, documents have the number `published_epoch_day`, days since 1970. `documents.py` writes both.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, ParamValidationError

from shared.access.ownership.ids import knowledge_base
from shared.ai.retrieval import metadata
from shared.ai.retrieval.port import (
    LONGEST_TEXT,
    SCORE_DIGITS,
    Passage,
    Query,
    RetrievalRefused,
    RetrieverUnavailable,
    check_request,
    checked_company,
)
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from shared.access.ownership.claims import Owners

TIMEOUT_MS: Final = 10 * clock.SECOND_MS
MOST_A_PAGE: Final = 100
MOST_PAGES: Final = 10
LONGEST_QUERY: Final = 20_000  # characters
_LAST: Final = date.max.isoformat()
_REFUSED = {
    "ResourceNotFoundException": "unknown_knowledge_base",
    "ValidationException": "request_refused",
}
# A ValidationException, too: the vector store is a database that was paused and starts again.
_RESUMING = "resuming"
# Attributes of a location, in this order; `s3Location` has a `uri`, custom documents an `id`.
_LOCATION_FIELDS = ("url", "uri", "id")


@dataclass(slots=True, eq=False)
class KnowledgeBaseRetriever:
    """
    One knowledge base, for the company that owns it; for all companies if it is shared. *make_client* receives the
    configuration of a call: its timeout, and no retries.

    A client is created for each call, not at import.
    """

    make_client: Callable[[Config], Any]  # boto3's `bedrock-agent-runtime`
    knowledge_base_id: str
    owners: Owners
    timeout_ms: int = TIMEOUT_MS

    def retrieve(self, company_id: str, query: Query, *, limit: int) -> list[Passage]:
        """See `Retriever.retrieve`. Makes one attempt for each page of results."""
        check_request(query, limit)
        filters = filter_of(checked_company(company_id), query)
        if not self.owners.may_use(company_id, knowledge_base(self.knowledge_base_id)):
            raise RetrievalRefused("knowledge_base_not_granted")
        text = f"{query.text} {query.context}".strip()
        if not query.text.strip():
            return []
        found: dict[str, Passage] = {}
        token: str | None = None
        call = self.make_client(self._config()).retrieve
        search = {"numberOfResults": min(limit, MOST_A_PAGE), "filter": filters}
        request = {
            "knowledgeBaseId": self.knowledge_base_id,
            "retrievalQuery": {"text": text[:LONGEST_QUERY]},
            "retrievalConfiguration": {"vectorSearchConfiguration": search},
        }
        for _ in range(MOST_PAGES):
            answer = _page(call, request | ({"nextToken": token} if token else {}))
            for result in answer["retrievalResults"]:
                passage = _passage(result, company_id, f"knowledge-base-{self.knowledge_base_id}")
                if passage is not None and passage.date <= (query.until or _LAST):
                    found.setdefault(passage.chunk_id, passage)
            token = answer.get("nextToken")
            if token is None or len(found) >= limit:
                break
        return sorted(found.values(), key=lambda passage: -passage.score)[:limit]

    def _config(self) -> Config:
        seconds = self.timeout_ms / clock.SECOND_MS
        return Config(
            connect_timeout=min(2.0, seconds),
            read_timeout=seconds,
            retries={"total_max_attempts": 1},
        )


def filter_of(company_id: str, query: Query) -> dict[str, Any]:
    """
    Return the filter of a request: documents of this company, dated within the query's dates, with one of its topics.

    Without `since` undated documents are wanted, too, which no comparison finds: those after `until` are left out
    afterwards.
    """
    filters: list[dict[str, Any]] = [{"equals": {"key": "company_id", "value": company_id}}]
    if query.topics:
        filters.append(_of_topics(query.topics))
    if query.since is not None:
        filters.append({"greaterThanOrEquals": _day(query.since)})
        if query.until is not None:
            filters.append({"lessThanOrEquals": _day(query.until)})
    return {"andAll": filters} if len(filters) > 1 else filters[0]


def _of_topics(topics: Sequence[str]) -> dict[str, Any]:
    """Return the filter of documents with one of the *topics*: `listContains`, which not every vector store knows."""
    each = [{"listContains": {"key": "topics", "value": topic}} for topic in topics]
    return {"orAll": each} if len(each) > 1 else each[0]


def _day(day: str) -> dict[str, Any]:
    return {"key": "published_epoch_day", "value": metadata.epoch_day(date.fromisoformat(day))}


def _page(call: Callable[..., Mapping[str, Any]], request: Mapping[str, Any]) -> Mapping[str, Any]:
    try:
        return call(**request)
    except ClientError as error:
        raise _failure(error) from None
    except ParamValidationError:
        raise RetrievalRefused("request_refused") from None
    except BotoCoreError as error:
        raise RetrieverUnavailable(type(error).__name__) from None


def _passage(result: Mapping[str, Any], company_id: str, source: str) -> Passage | None:
    """Return the passage of a result; None if it has no text or does not state this company."""
    known = metadata.of_mapping(result.get("metadata") or {})
    text = result["content"].get("text", "").strip()[:LONGEST_TEXT]
    # The filter excludes other companies; a result that does not prove it is not used.
    if not text or known.company_id != company_id:
        return None
    location = result.get("location") or {}
    web = metadata.public_url((location.get("webLocation") or {}).get("url"))
    url = known.url or web
    uri = "" if web and web == url else _place(location)
    return Passage(text, _score(result.get("score")), known.title, url, uri, known.date, source)


def _place(location: Mapping[str, Any]) -> str:
    """Return the location of a document, which need not be public; empty if unknown."""
    for name, place in location.items():
        if name.endswith("Location") and isinstance(place, dict):
            found = (place.get(field) for field in _LOCATION_FIELDS)
            return next((value for value in found if value), "")
    return ""


def _score(value: object) -> float:
    if not isinstance(value, int | float) or not math.isfinite(value):
        return 0.0
    return round(min(max(float(value), 0.0), 1.0), SCORE_DIGITS)


def _failure(error: ClientError) -> RetrieverUnavailable | RetrievalRefused:
    details = error.response["Error"]
    code = details["Code"]
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    is_refused = code in _REFUSED and status < HTTPStatus.INTERNAL_SERVER_ERROR
    if is_refused and _RESUMING not in details.get("Message", ""):
        return RetrievalRefused(_REFUSED[code])
    return RetrieverUnavailable(code)
