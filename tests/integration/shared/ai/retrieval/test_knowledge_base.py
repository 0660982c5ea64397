"""A knowledge base of Bedrock: requests that the service accepts, passages of results, errors."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import boto3
import pytest

from local.sandbox.accounts.knowledge_bases import KnowledgeDocument
from shared.access.ownership.claims import SHARED, Owners
from shared.access.ownership.ids import knowledge_base
from shared.ai.retrieval import RetrievalRefused, RetrieverUnavailable
from shared.ai.retrieval.bedrock import KnowledgeBaseRetriever
from shared.ai.retrieval.port import Query
from tests.aws.owner_items import owners_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from botocore.config import Config

    from local.sandbox import Sandbox

BASE = "AB12CD34EF"
S3 = {"type": "S3", "s3Location": {"uri": "s3://documents/one.md"}}
PUBLIC = "https://example.org/a"
PRIVATE = {"type": "WEB", "webLocation": {"url": "https://localhost/x"}}
CONFLUENCE = {"type": "CONFLUENCE", "confluenceLocation": {"url": "https://wiki.example.org/1"}}
WEB = {"type": "WEB", "webLocation": {"url": "https://example.org/web"}}


def client_of(sandbox: Sandbox, config: Config) -> Any:
    return boto3.client("bedrock-agent-runtime", endpoint_url=sandbox.url, config=config)


@pytest.fixture
def owners() -> Iterator[Owners]:
    with owners_of({knowledge_base(BASE): SHARED}) as owners:
        yield owners


@pytest.fixture
def retriever(sandbox: Sandbox, owners: Owners) -> KnowledgeBaseRetriever:
    return KnowledgeBaseRetriever(partial(client_of, sandbox), BASE, owners)


def add(
    sandbox: Sandbox,
    text: str = "Maize prices.",
    *,
    score: float | None = None,
    location: dict[str, Any] | None = None,
    company: str = "acme",
    kind: Any = "TEXT",
    **metadata: Any,
) -> None:
    sandbox.knowledge_bases.documents.append(
        KnowledgeDocument(
            knowledge_base_id=BASE,
            text=text,
            metadata={"company_id": company, **metadata},
            location=location,
            score=score,
            kind=kind,
        )
    )


def test_passages_return_best_first(sandbox: Sandbox, retriever: KnowledgeBaseRetriever) -> None:
    add(sandbox, "Maize.", score=0.31, title="Third", published_epoch_day=20_513)
    add(sandbox, "Maize prices.", score=0.912345, title="First", location=S3)
    add(sandbox, "Maize market.", score=0.5, title="Second", location=WEB, date="2026-03-01")

    first, second, third = retriever.retrieve("acme", Query(text="maize prices"), limit=9)

    assert (first.title, first.score, first.url, first.uri, first.date) == (
        "First",
        0.9123,
        "",
        "s3://documents/one.md",
        "",
    )
    assert (second.url, second.uri, second.date) == ("https://example.org/web", "", "2026-03-01")
    assert (third.title, third.date, third.source) == (
        "Third",
        "2026-03-01",
        f"knowledge-base-{BASE}",
    )


@pytest.mark.parametrize(
    ("location", "metadata", "cited"),
    [
        (S3, {"url": PUBLIC}, (PUBLIC, "s3://documents/one.md")),
        (S3, {"source_url": PUBLIC}, (PUBLIC, "s3://documents/one.md")),
        (S3, {"url": "s3://documents/one.md"}, ("", "s3://documents/one.md")),
        (WEB, {"url": PUBLIC}, (PUBLIC, "https://example.org/web")),
        (PRIVATE, {}, ("", "https://localhost/x")),
        (CONFLUENCE, {}, ("", "https://wiki.example.org/1")),
        ({"type": "KENDRA", "kendraDocumentLocation": {"uri": "kendra:1"}}, {}, ("", "kendra:1")),
        ({"type": "CUSTOM", "customDocumentLocation": {"id": "doc-1"}}, {}, ("", "doc-1")),
        ({"type": "SQL", "sqlLocation": {"query": "SELECT 1"}}, {}, ("", "")),
        (None, {}, ("", "")),
    ],
)
def test_only_a_public_address_is_cited(
    sandbox: Sandbox,
    retriever: KnowledgeBaseRetriever,
    location: dict[str, Any] | None,
    metadata: dict[str, Any],
    cited: tuple[str, str],
) -> None:
    add(sandbox, location=location, **metadata)
    [passage] = retriever.retrieve("acme", Query(text="maize"), limit=1)
    assert (passage.url, passage.uri) == cited


def test_every_request_filters_by_the_company(
    sandbox: Sandbox, retriever: KnowledgeBaseRetriever
) -> None:
    add(sandbox, title="Ours")
    add(sandbox, company="other", title="Theirs", score=0.9)

    [passage] = retriever.retrieve("acme", Query(text="maize"), limit=9)

    assert passage.title == "Ours"
    [sent] = sandbox.sent
    assert isinstance(sent.body, dict)
    assert sent.body["retrievalConfiguration"]["vectorSearchConfiguration"] == {
        "numberOfResults": 9,
        "filter": {"equals": {"key": "company_id", "value": "acme"}},
    }


def test_a_date_is_compared_by_the_service(
    sandbox: Sandbox, retriever: KnowledgeBaseRetriever
) -> None:
    for day in (20_512, 20_513, 20_514):
        add(sandbox, f"Maize {day}.", title=str(day), published_epoch_day=day)
    add(sandbox, "Maize.", title="undated")

    found = retriever.retrieve("acme", Query(text="maize", since="2026-03-01"), limit=9)

    assert [passage.title for passage in found] == ["20513", "20514"]


def test_pages_follow_until_the_limit_is_met(
    sandbox: Sandbox, retriever: KnowledgeBaseRetriever
) -> None:
    for number in range(230):
        add(sandbox, f"Maize {number}.", score=1 - number / 1_000)

    assert len(retriever.retrieve("acme", Query(text="maize"), limit=150)) == 150
    assert len(sandbox.sent) == 2
    sandbox.forget_sent()
    assert len(retriever.retrieve("acme", Query(text="maize"), limit=100)) == 100
    assert len(sandbox.sent) == 1
    sandbox.forget_sent()
    assert len(retriever.retrieve("acme", Query(text="maize"), limit=500)) == 230
    assert len(sandbox.sent) == 3


def test_equal_and_textless_results_are_left_out(
    sandbox: Sandbox, retriever: KnowledgeBaseRetriever
) -> None:
    add(sandbox, "Maize  prices.", score=0.4)
    add(sandbox, "Maize prices.", score=0.8)
    add(sandbox, "An image", kind="IMAGE")
    add(sandbox, " \n")

    [passage] = retriever.retrieve("acme", Query(text="maize"), limit=2)

    assert passage.score == 0.8


def test_long_texts_are_cut_and_scores_bounded(
    sandbox: Sandbox, retriever: KnowledgeBaseRetriever
) -> None:
    add(sandbox, "a" * 3_000, score=7.5)
    add(sandbox, "b", score=-1.0)

    long, short = retriever.retrieve("acme", Query(text="maize"), limit=2)

    assert (len(long.text), long.score, short.score) == (2_000, 1.0, 0.0)


def test_a_blank_query_is_not_sent(sandbox: Sandbox, retriever: KnowledgeBaseRetriever) -> None:
    assert retriever.retrieve("acme", Query(text=" "), limit=1) == []
    assert sandbox.sent == []


@pytest.mark.parametrize("status", [403, 408, 409, 424, 429, 500, 502, 503])
def test_a_failing_service_is_unavailable_after_one_attempt(
    sandbox: Sandbox, retriever: KnowledgeBaseRetriever, status: int
) -> None:
    if status == 408:
        sandbox.faults.add(kind="reset", provider="knowledge_bases")
    else:
        sandbox.faults.add(kind="status", status=status, provider="knowledge_bases")
    add(sandbox)

    with pytest.raises(RetrieverUnavailable):
        retriever.retrieve("acme", Query(text="maize"), limit=1)
    assert sandbox.faults.pending() == []
    assert len(retriever.retrieve("acme", Query(text="maize"), limit=1)) == 1


def test_a_slow_service_is_unavailable(sandbox: Sandbox, owners: Owners) -> None:
    add(sandbox)
    sandbox.faults.add(kind="delay", seconds=1.0, provider="knowledge_bases")
    retriever = KnowledgeBaseRetriever(partial(client_of, sandbox), BASE, owners, timeout_ms=100)

    with pytest.raises(RetrieverUnavailable, match="ReadTimeoutError"):
        retriever.retrieve("acme", Query(text="maize"), limit=1)


def test_an_unknown_knowledge_base_is_refused(retriever: KnowledgeBaseRetriever) -> None:
    with pytest.raises(RetrievalRefused, match="unknown_knowledge_base"):
        retriever.retrieve("acme", Query(text="maize"), limit=1)


def test_a_request_that_the_service_refuses_is_refused(
    sandbox: Sandbox, retriever: KnowledgeBaseRetriever
) -> None:
    sandbox.faults.add(kind="status", status=400, provider="knowledge_bases")
    with pytest.raises(RetrievalRefused, match="request_refused"):
        retriever.retrieve("acme", Query(text="maize"), limit=1)


def test_a_company_id_that_is_no_path_segment_is_refused(
    sandbox: Sandbox, retriever: KnowledgeBaseRetriever
) -> None:
    with pytest.raises(RetrievalRefused, match="invalid_company_id"):
        retriever.retrieve("../acme", Query(text="maize"), limit=1)
    assert sandbox.sent == []


def test_a_result_that_does_not_state_the_company_is_dropped(
    sandbox: Sandbox, retriever: KnowledgeBaseRetriever, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(sandbox, company="other")
    # As if the service did not apply the filter.
    monkeypatch.setattr("local.sandbox.providers.bedrock.metadata_filters.selects", lambda *_: True)
    assert retriever.retrieve("acme", Query(text="maize"), limit=1) == []


def test_a_company_searches_only_a_knowledge_base_that_it_owns_or_that_is_shared(
    sandbox: Sandbox,
) -> None:
    add(sandbox)
    add(sandbox, company="globex")
    with owners_of({knowledge_base(BASE): "globex"}) as owners:
        retriever = KnowledgeBaseRetriever(partial(client_of, sandbox), BASE, owners)

        assert len(retriever.retrieve("globex", Query(text="maize"), limit=5)) == 1
        with pytest.raises(RetrievalRefused) as refusal:
            retriever.retrieve("acme", Query(text="maize"), limit=5)

    assert str(refusal.value) == "knowledge_base_not_granted"


def test_with_topics_only_documents_that_have_one_of_them_are_searched(
    sandbox: Sandbox, retriever: KnowledgeBaseRetriever
) -> None:
    add(sandbox, "Maize one.", title="Of both", topics=["Prices", "Markets"])
    add(sandbox, "Maize two.", title="Of one", topics=["Rain"])
    add(sandbox, "Maize three.", title="Of none")
    add(sandbox, "Maize.", title="Theirs", topics=["Prices"], company="other")

    def found(*topics: str) -> set[str]:
        query = Query(text="maize", topics=topics)
        return {passage.title for passage in retriever.retrieve("acme", query, limit=9)}

    assert found("Prices") == {"Of both"}
    assert found("Prices", "Rain") == {"Of both", "Of one"}
    assert found() == {"Of both", "Of one", "Of none"}
