"""Retrieval from the company's documents and from a knowledge base, from the start to the stored passages."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from tests.integration.newsletters.api.author import ONE, TYPES
from tests.simulation.newsletters.system import COMPANY, MODEL

if TYPE_CHECKING:
    from tests.integration.newsletters.api.author import Author

BASE = "KB12345678"


def _knowledge_base(author: Author, **more: Any) -> None:
    author.system.grant(BASE)
    version = author.do("GET", "/newsletters/settings")["version"]
    retrieval = {"retriever": "bedrock", "knowledge_base_id": BASE, **more}
    body = {"version": version, "ai": MODEL, "retrieval": retrieval}
    author.do("PUT", "/newsletters/settings", body)


def _add(
    author: Author,
    number: int,
    text: str,
    *,
    days_ago: int | None = 1,
    company: str = COMPANY,
    location: dict[str, Any] | None = None,
    **metadata: Any,
) -> None:
    from local.sandbox.accounts.knowledge_bases import KnowledgeDocument  # noqa: PLC0415 - of one helper

    known: dict[str, Any] = {"company_id": company, "title": f"Report {number}", **metadata}
    if days_ago is not None:
        day = author.today - timedelta(days=days_ago)
        known["date"] = day.isoformat()
        known["published_epoch_day"] = (day - date(1970, 1, 1)).days
    document = KnowledgeDocument(
        knowledge_base_id=BASE,
        text=text,
        metadata=known,
        location=location,
        score=0.9 - number / 100,
    )
    author.system.sandbox.knowledge_bases.documents.append(document)


def test_passages_have_their_source_place_date_and_the_type_that_found_them(
    author: Author,
) -> None:
    topics = author.at("selected").generate("topics")

    chunks = topics["retrieved_content"]
    assert topics["total_chunks_retrieved"] == len(chunks) > 0
    assert {one["topic"] for one in chunks} <= set(TYPES)
    by_title = {one["title"]: one for one in chunks}
    trial = by_title["Early teff variety keeps its yield in dry years"]
    assert trial["metadata"] == {
        "url": "https://www.highland-farms.example/research/teff-trial",
        "date": author.days_ago(3),
    }
    assert (trial["source"], trial["topic"]) == ("local-corpus", "Research Findings")
    assert 0 < trial["score"] <= 1
    assert not {"Sorghum trial of an earlier season"} & set(by_title)
    for record in topics["queries"]:
        assert record["type"] in TYPES
        assert record["query"]
        assert record["window_days"] in {45, 90, 180, 0}
        assert record["widened"] is (record["window_days"] != 45)
    assert [one["type"] for one in topics["queries"]] == list(TYPES)


def test_a_custom_topic_is_searched_by_its_query_and_gets_the_section_of_its_kind(
    author: Author,
) -> None:
    author.at("created")
    custom = {"name": "Sweet things", "query": "honey cooperative", "kind": "updates"}
    author.select("sweet THINGS", custom=(custom,))

    topics = author.generate("topics")

    assert {one["topic"] for one in topics["retrieved_content"]} == {"Sweet things"}
    assert topics["queries"][0]["query"] == "honey cooperative"
    assert topics["custom_topics"] == [custom]
    outline = author.generate("outline")
    assert [one["kind"] for one in outline["sections"]] == [
        "introduction", "updates", "conclusion",
    ]  # fmt: skip


def test_seventeen_types_may_be_selected(author: Author) -> None:
    author.at("created")
    options = author.do("GET", "/newsletters/options")["options"]["selected_types"]
    custom = tuple({"name": f"Topic {n}", "query": f"word{n}", "kind": "main"} for n in range(5))
    types = [one["value"] for one in options] + [one["name"] for one in custom]

    assert len(author.select(*types, custom=custom)["selected_types"]) == 17
    assert author.generate("topics")["retrieved_content"]
    six = [{"name": f"Topic {n}", "query": "word"} for n in range(6)]
    body = {"version": author.version("topics"), "selected_types": types, "custom_topics": six}
    assert set(author.problems("PUT", f"{ONE}/topics", body)) == {"custom_topics"}
    body = {"version": author.version("topics"), "selected_types": [*types, "one more"]}
    assert set(author.problems("PUT", f"{ONE}/topics", body)) == {"selected_types"}


@pytest.mark.parametrize(
    "topic",
    [
        {"name": "ab", "query": "word"},
        {"name": "x" * 61, "query": "word"},
        {"name": "Bees", "query": "ab"},
        {"name": "Bees", "query": "x" * 201},
        {"name": "Bees", "query": "word", "kind": "introduction"},
        {"name": "Bees"},
    ],
)
def test_a_custom_topic_that_breaks_a_rule_is_refused(
    author: Author, topic: dict[str, str]
) -> None:
    author.at("created")
    body = {"selected_types": ["funding"], "custom_topics": [topic]}

    problems = author.problems("PUT", f"{ONE}/topics", body)

    assert all(name.startswith("custom_topics.0") for name in problems)


def test_documents_of_the_last_retrieval_that_were_deleted_stay_in_the_newsletter(
    author: Author,
) -> None:
    author.at("retrieved")
    before = author.whole["topics"]["retrieved_content"]

    author.do("DELETE", "/newsletters/sources/teff-trial.md")

    assert author.whole["topics"]["retrieved_content"] == before


# A knowledge base


def test_a_newsletter_is_made_from_a_knowledge_base(author: Author) -> None:
    author.at("selected")
    _knowledge_base(author)
    web = {"type": "WEB", "webLocation": {"url": "https://www.field.example/web"}}
    stored = {"type": "S3", "s3Location": {"uri": "s3://documents/one.pdf"}}
    _add(author, 1, "Trial findings show that early sowing helps the harvest.", location=web)
    _add(
        author,
        2,
        "A new law on seed was adopted by the parliament.",
        url="https://www.field.example/law",
    )
    _add(
        author,
        3,
        "The grant for funding of seed companies has its deadline in May.",
        location=stored,
    )
    _add(author, 4, "The pilot of a digital tool has ended with good results.", days_ago=None)
    _add(author, 5, "Study results of many years ago are not of interest.", days_ago=900)
    _add(author, 6, "Evidence of another company must not be seen.", company="globex")

    topics = author.generate("topics")

    chunks = {one["title"]: one for one in topics["retrieved_content"]}
    assert not {"Report 5", "Report 6"} & set(chunks)
    assert {one["source"] for one in chunks.values()} == {f"knowledge-base-{BASE}"}
    assert chunks["Report 1"]["metadata"]["url"] == "https://www.field.example/web"
    assert chunks["Report 2"]["metadata"]["url"] == "https://www.field.example/law"
    assert (chunks["Report 3"]["metadata"]["url"], chunks["Report 3"]["uri"]) == (
        "", "s3://documents/one.pdf",
    )  # fmt: skip
    sent: list[Any] = [
        one.body for one in author.system.sandbox.sent if one.provider == "knowledge_bases"
    ]
    filters = [one["retrievalConfiguration"]["vectorSearchConfiguration"]["filter"] for one in sent]
    assert filters
    assert all("'company_id', 'value': 'acme'" in str(one) for one in filters)
    assert all("field staff" in one["retrievalQuery"]["text"] for one in sent)
    author.generate("outline")
    draft = author.generate("draft")
    assert "s3://" not in draft["content"]
    assert draft["citations"]


def test_hits_below_the_least_score_of_the_settings_are_not_used(author: Author) -> None:
    author.at("selected")
    _knowledge_base(author, min_score=0.885)
    _add(author, 1, "Trial findings show that early sowing helps the harvest.")
    _add(author, 2, "A new law on seed was adopted by the parliament.")

    topics = author.generate("topics")

    assert [one["title"] for one in topics["retrieved_content"]] == ["Report 1"]


def test_an_unknown_knowledge_base_fails_at_once_with_its_code(author: Author) -> None:
    author.at("retrieved")
    before = author.whole["topics"]
    _knowledge_base(author)

    ended = author.attempt("topics")

    assert (ended["status"], ended["error_code"]) == ("failed", "knowledge_base_refused")
    assert "check its id" in ended["error"]
    assert author.whole["topics"]["retrieved_content"] == before["retrieved_content"]
    assert ended["is_usable"]


@pytest.mark.parametrize("status", [403, 429, 500, 502])
def test_a_knowledge_base_that_is_unavailable_is_asked_again(author: Author, status: int) -> None:
    author.at("selected")
    _knowledge_base(author)
    _add(author, 1, "Trial findings show that early sowing helps the harvest.")
    faults = author.system.sandbox.faults
    faults.add(provider="knowledge_bases", kind="status", status=status, times=2)

    assert author.attempt("topics")["status"] == "completed"


def test_a_knowledge_base_that_stays_unavailable_fails_with_its_code(author: Author) -> None:
    author.at("selected")
    _knowledge_base(author)
    _add(author, 1, "Trial findings show that early sowing helps the harvest.")
    faults = author.system.sandbox.faults
    faults.add(provider="knowledge_bases", kind="status", status=500, times=1_000)

    ended = author.attempt("topics")
    faults.clear()

    assert (ended["status"], ended["error_code"]) == ("failed", "retriever_unavailable")
    assert ended["error"] == "The document search did not answer."
    assert author.attempt("topics")["status"] == "completed"


def test_an_empty_knowledge_base_has_no_results(author: Author) -> None:
    author.at("selected")
    _knowledge_base(author)
    _add(author, 1, "Evidence of another company must not be seen.", company="globex")

    assert author.attempt("topics")["error_code"] == "no_results"
