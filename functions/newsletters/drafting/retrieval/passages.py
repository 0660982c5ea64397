"""Retrieves passages (step 2): asks the retriever once for each selected type, and stores the selected passages."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from newsletters.drafting.retrieval import catalogue
from newsletters.drafting.retrieval.selection import FEWEST_OF_TYPE, Hit, selected
from newsletters.jobs.failures import StepFailed
from newsletters.jobs.settings import retrieval_of
from newsletters.store import companies
from newsletters.store.content.step_inputs import topics_hash
from newsletters.store.items import Chunk, ChunkMetadata, QueryRecord
from shared.ai.retrieval import CorpusTooLarge, RetrievalRefused, RetrieverUnavailable
from shared.ai.retrieval.settings import retriever_for
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from newsletters.jobs.claimed_job import ClaimedJob
    from newsletters.store.items import Metadata, Topics
    from shared.ai.retrieval import Passage, Query, Retriever
    from shared.ai.retrieval.settings import RetrievalSettings

FEWEST_ASKED: Final = 4  # hits of each type
MOST_ASKED: Final = 100  # hits among which those without a date are: they rank beside old ones
WIDER: Final = (1, 2, 4)  # times the window, until a type has enough hits
NO_WINDOW: Final = 0
# Of the embedded search: two rare words of a type, or more that are less rare. Measured on labelled passages, see
# tests/unit/newsletters/drafting/retrieval/test_labelled_passages.py.
LEAST_SCORE: Final = 0.55


@dataclass(frozen=True, slots=True)
class Search:
    """The sources of passages of a type. *window_days*: the window that belongs to the newsletter's frequency."""

    retriever: Retriever
    company_id: str
    limit: int
    least_score: float
    window_days: int


def retrieve_passages(work: ClaimedJob) -> bool:
    """
    Retrieve the passages of the selected types and complete the job; False if it was cancelled.

    Raises StepFailed (`no_results` ...), and Transient if the retriever does not answer.
    """
    topics, metadata = work.newsletter.topics, work.newsletter.metadata
    if topics is None or not topics.selected_types:
        raise StepFailed("no_results")
    settings = retrieval_of(companies.get_settings(work.resources.store.table, metadata.company_id))
    work.begin(len(topics.selected_types), "searching documents")
    try:
        retriever = retriever_for(settings, work.resources.retrieval)
        found = retrieved(
            retriever, settings, metadata, topics, lambda n: work.advance(n, "searching documents")
        )
    except RetrieverUnavailable:
        raise Transient("retriever_unavailable") from None
    except CorpusTooLarge:
        raise StepFailed("corpus_too_large") from None
    except RetrievalRefused:
        raise StepFailed("knowledge_base_refused") from None
    if not found.retrieved_content:
        raise StepFailed("no_results")
    return work.complete(found.model_copy(update={"inputs_hash": topics_hash(metadata, topics)}))


def most_asked(total: int, types: int) -> int:
    """Return how many hits each type asks for: twice its share, since several types find the same passages."""
    return max(FEWEST_ASKED, 2 * total // types)


def retrieved(
    retriever: Retriever,
    settings: RetrievalSettings,
    metadata: Metadata,
    topics: Topics,
    advance: Callable[[int], None] = lambda _: None,
) -> Topics:
    """
    Return the topics with the passages of their selected types, and the query of each. *advance* is told how many types
    were searched. Raises RetrieverUnavailable, CorpusTooLarge and RetrievalRefused.
    """
    total = catalogue.most_chunks(metadata)
    search = Search(
        retriever=retriever,
        company_id=metadata.company_id,
        limit=most_asked(total, len(topics.selected_types)),
        least_score=_least_score(settings),
        window_days=catalogue.WINDOW_DAYS[metadata.frequency],
    )
    hits: dict[str, list[Passage]] = {}
    records: list[QueryRecord] = []
    for number, name in enumerate(topics.selected_types):
        queries = catalogue.queries_of(
            name, topics.custom_topics, metadata, is_semantic=settings.retriever == "bedrock"
        )
        hits[name], record = _of_type(search, name, queries)
        records.append(record)
        advance(number + 1)
    chosen = selected(hits, total)
    return topics.model_copy(
        update={
            "retrieved_content": [_chunk(hit) for hit in chosen],
            "total_chunks_retrieved": len(chosen),
            "queries": records,
        }
    )


def _of_type(
    search: Search, name: str, queries: Sequence[Query]
) -> tuple[list[Passage], QueryRecord]:
    """
    Return the hits of one type: inside the window, then in wider ones, then also passages without a date.

    A later one of *queries* is asked if the earlier ones find too little in a window. Dated passages that are older
    than the widest window, or dated later than today, are never used.
    """
    found: dict[str, Passage] = {}
    asked: dict[str, None] = {}
    for factor in WIDER:
        days = search.window_days * factor
        found = {}
        for query in queries:
            asked[query.text] = None
            found |= _above(search, replace(query, since=_days_ago(days)), search.limit)
            if len(found) >= FEWEST_OF_TYPE:
                usable = list(found.values())[: search.limit]
                return usable, _record(name, asked, usable, days, widened=factor > 1)
    for query in queries:
        everything = _above(search, query, max(MOST_ASKED, search.limit))
        found |= {key: one for key, one in everything.items() if not one.date}
    usable = list(found.values())[: search.limit]
    return usable, _record(name, asked, usable, NO_WINDOW, widened=True)


def _above(search: Search, query: Query, limit: int) -> dict[str, Passage]:
    """Return the passages with the least score, by their ids, which are not dated later than today."""
    wanted = replace(query, until=_days_ago(0))
    found = search.retriever.retrieve(search.company_id, wanted, limit=limit)
    return {one.chunk_id: one for one in found if one.score >= search.least_score}


def _least_score(settings: RetrievalSettings) -> float:
    """Return the least score of the settings; the default of the embedded search is measured, see LEAST_SCORE."""
    is_default = settings.min_score is None and settings.retriever == "local"
    return LEAST_SCORE if is_default else settings.least_score


def _record(
    name: str, asked: Iterable[str], found: list[Passage], days: int, *, widened: bool
) -> QueryRecord:
    query = " | ".join(asked)
    return QueryRecord(type=name, query=query, hits=len(found), window_days=days, widened=widened)


def _days_ago(days: int) -> str:
    now = datetime.fromtimestamp(clock.now_ms() // clock.SECOND_MS, UTC)
    return f"{now - timedelta(days=days):%Y-%m-%d}"


def _chunk(hit: Hit) -> Chunk:
    passage = hit.passage
    return Chunk(
        topic=hit.topic,
        source=passage.source,
        score=passage.score,
        content=passage.text,
        metadata=ChunkMetadata(url=passage.url, date=passage.date),
        chunk_id=passage.chunk_id,
        title=passage.title,
        uri=passage.uri,
    )
