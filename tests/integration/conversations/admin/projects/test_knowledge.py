"""Admins try which passages of the company's documents the model of a project would get, and keep questions."""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING, Any

import boto3
import pytest

from conversations.store.knowledge.questions import KnowledgeQuestions
from shared.ai.retrieval import RetrieverUnavailable
from shared.ai.retrieval.documents import DocumentAttributes, Documents
from shared.ai.retrieval.local import LocalRetriever
from shared.aws.s3 import Bucket
from shared.runtime import clock
from tests.integration.conversations.admin.projects.test_projects import (
    ADMIN,
    OF_PROJECT,
    make,
    put_live,
)
from tests.integration.conversations.fakes import Answer
from tests.integration.conversations.harness import (
    COMPANY,
    OTHER_PROJECT,
    SECOND_COMPANY,
    Harness,
    caller,
)
from tests.template import properties

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from conversations.store.items.parts.knowledge_question import KnowledgeQuestion

KNOWLEDGE = "/projects/{project_id}/knowledge"
QUESTIONS = f"{KNOWLEDGE}/questions"
TENTS = "A tent may be sent back within thirty days if it was never used."


@pytest.fixture
def documents(
    harness: Harness, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Documents]:
    """The documents of all companies; without indexes of earlier tests."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(harness.module._playground().documents, "_retrievers", {})
    name = properties("NewslettersBucket")["BucketName"]
    if name not in {one["Name"] for one in boto3.client("s3").list_buckets()["Buckets"]}:
        boto3.client("s3").create_bucket(Bucket=name)
    found = Documents(Bucket(lambda: boto3.client("s3"), name))
    yield found
    for key in list(found.bucket.all_keys_under("corpus/")):
        found.bucket.delete(key)


def put(documents: Documents, name: str, text: str, *topics: str, **facts: Any) -> None:
    attributes = DocumentAttributes(title=name.capitalize(), topics=list(topics), **facts)
    documents.put(COMPANY, name, text, attributes)


def search(harness: Harness, query: str, **given: Any) -> Answer:
    body = {"query": query} | given
    return harness.call(f"POST {KNOWLEDGE}/search", body, names=OF_PROJECT, who=ADMIN)


def config(**settings: Any) -> dict[str, Any]:
    return {"knowledge_config": {"enabled": True} | settings}


def keep(harness: Harness, question: str, document: str | None = None, **more: Any) -> Answer:
    body = {"question": question} | ({"document": document} if document else {})
    return harness.call(f"POST {QUESTIONS}", body, names=OF_PROJECT, who=ADMIN, **more)


def results(harness: Harness, **given: Any) -> dict[str, Any]:
    answer = harness.call(f"POST {KNOWLEDGE}/results", given, names=OF_PROJECT, who=ADMIN)
    assert answer.status == 200, answer
    return {one["question"]: one for one in answer.result["results"]}


def test_a_search_shows_the_passages_that_the_model_would_get_with_document_date_and_score(
    harness: Harness, documents: Documents
) -> None:
    put(documents, "returns", TENTS, date="2026-03-01", url="https://example.org/returns")
    put(documents, "prices", "A tent costs ninety pounds.")

    shown = search(harness, "May I send my used tent back?", settings=config()).result

    first, second = shown["passages"]
    assert (first["position"], first["document"], first["date"]) == (1, "returns.md", "2026-03-01")
    assert (first["text"], first["url"]) == (TENTS, "https://example.org/returns")
    assert (second["position"], second["document"], second["date"]) == (2, "prices.md", "")
    assert float(first["score"]) > float(second["score"])
    assert (shown["enabled"], shown["retriever"], shown["topics"]) == (True, "local", [])


def test_a_search_shows_what_the_threshold_and_the_limit_leave_out(
    harness: Harness, documents: Documents
) -> None:
    put(documents, "returns", TENTS)
    put(documents, "prices", "A tent costs ninety pounds.")
    for number in range(5):
        put(documents, f"more-{number}", f"{TENTS} This is copy {number}.")

    strict = search(harness, "tent sent back used", settings=config(min_score=0.6)).result
    lax = search(harness, "tent sent back used", settings=config()).result

    assert {one["document"]: one.get("left_out") for one in strict["passages"]}["prices.md"] == (
        "min_score"
    )
    assert strict["least_score"] == "0.6000"
    reasons = [one.get("left_out") for one in lax["passages"]]
    assert reasons == [None] * 5 + ["limit"] * 2
    assert [one.get("position") for one in lax["passages"]] == [1, 2, 3, 4, 5, None, None]


def test_a_search_has_the_settings_of_the_live_version_of_a_named_one_or_of_the_call(
    harness: Harness, documents: Documents
) -> None:
    put(documents, "returns", TENTS, "Returns")
    put(documents, "prices", "A tent costs ninety pounds.", "Prices")
    make(harness, config(topics=["Returns"]))
    put_live(harness, 2)
    make(harness, config(topics=["Prices"]))

    def found(**given: Any) -> list[str]:
        return [one["document"] for one in search(harness, "tent", **given).result["passages"]]

    assert found() == ["returns.md"]
    assert found(version=3) == ["prices.md"]
    assert found(version=3, settings=config(topics=["Returns", "Prices"])) == [
        "prices.md",
        "returns.md",
    ]
    assert found(settings=config(topics=["Nothing"])) == []
    assert not search(harness, "tent", settings={"knowledge_config": {}}).result["enabled"]


def test_a_search_finds_a_document_at_once_and_none_that_was_deleted(
    harness: Harness, documents: Documents
) -> None:
    for is_there in (False, True, False):
        if is_there:
            put(documents, "returns", TENTS)
        else:
            documents.delete(COMPANY, "returns.md")
        assert bool(search(harness, "tent").result["passages"]) is is_there


def test_a_search_finds_no_document_of_another_company(
    harness: Harness, documents: Documents
) -> None:
    documents.put(SECOND_COMPANY, "theirs", TENTS, DocumentAttributes(title="Theirs"))

    assert search(harness, "tent").result["passages"] == []


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "query"),
        ({"query": " "}, "query"),
        ({"query": "x" * 301}, "query"),
        ({"query": "x", "settings": config(topics=[""])}, "settings.knowledge_config.topics.0"),
        ({"query": "x", "settings": config(topics="Returns")}, "settings.knowledge_config.topics"),
        ({"query": "x", "settings": config(min_score=2)}, "settings.knowledge_config.min_score"),
    ],
)
def test_a_search_that_is_no_question_or_has_invalid_settings_is_refused_with_its_field(
    harness: Harness, body: dict[str, Any], field: str
) -> None:
    answer = harness.call(f"POST {KNOWLEDGE}/search", body, names=OF_PROJECT, who=ADMIN)

    assert (answer.status, answer.body["error"]["details"][0]["field"]) == (400, field)


def test_documents_that_cannot_be_searched_now_are_a_failure_that_may_pass(
    harness: Harness, documents: Documents, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise RetrieverUnavailable("SlowDown")

    put(documents, "returns", TENTS)
    monkeypatch.setattr(LocalRetriever, "retrieve", fails)

    answer = search(harness, "tent")

    assert (answer.status, answer.body["error"]["code"]) == (503, "model_unavailable")
    assert "documents_unavailable" in answer.body["error"]["message"]


def test_kept_questions_say_at_which_position_their_document_is_found_or_that_it_is_not(
    harness: Harness, documents: Documents
) -> None:
    put(documents, "returns", TENTS, "Returns")
    put(documents, "prices", "A tent costs ninety pounds.", "Prices")
    keep(harness, "May I send my used tent back?", "prices.md")
    keep(harness, "When is the office open?", "hours.md")
    keep(harness, "ninety pounds")

    found = results(harness)

    second = found["May I send my used tent back?"]
    assert (second["found"], second["position"], second["best"]) == (True, 2, "returns.md")
    missing = found["When is the office open?"]
    assert (missing["found"], missing.get("position"), missing.get("best")) == (False, None, None)
    assert found["ninety pounds"]["found"]


def test_a_result_says_that_a_threshold_leaves_the_expected_document_out(
    harness: Harness, documents: Documents
) -> None:
    put(documents, "prices", "A tent costs ninety pounds.")
    keep(harness, "May I send my used tent back?", "prices.md")

    shown = results(harness, settings=config(min_score=0.9))["May I send my used tent back?"]

    assert (shown["found"], shown["left_out"]) == (False, "min_score")
    assert float(shown["score"]) < 0.9


def test_results_come_in_pages_in_the_order_of_the_list(
    harness: Harness, documents: Documents
) -> None:
    for number in range(3):
        keep(harness, f"Question {number}")
    listed = harness.call(f"GET {QUESTIONS}", names=OF_PROJECT, who=ADMIN).result["questions"]

    line, seen, cursor = f"POST {KNOWLEDGE}/results", [], None
    while True:
        body = {"limit": 2} | ({"cursor": cursor} if cursor else {})
        answer = harness.call(line, body, names=OF_PROJECT, who=ADMIN)
        seen += [one["question_id"] for one in answer.result["results"]]
        if not (cursor := answer.body.get("cursor")):
            break

    assert seen == [one["question_id"] for one in listed]
    assert {one["question"] for one in listed} == {f"Question {number}" for number in range(3)}


def test_a_question_is_kept_once_per_key_and_removed_once(harness: Harness) -> None:
    kept = [keep(harness, "Is there tea?", key="key-12345678").result for _ in range(2)]
    names = OF_PROJECT | {"question_id": kept[0]["question_id"]}
    line = f"DELETE {QUESTIONS}/{{question_id}}"

    def listed() -> int:
        found = harness.call(f"GET {QUESTIONS}", names=OF_PROJECT, who=ADMIN).result["questions"]
        return len(found)

    assert (kept[0] == kept[1], listed()) == (True, 1)
    assert harness.call(line, names=names, who=ADMIN).status == 200
    assert (harness.call(line, names=names, who=ADMIN).status, listed()) == (404, 0)


def test_a_project_keeps_at_most_a_hundred_questions(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("conversations.api.projects.knowledge.questions.MOST_QUESTIONS", 2)
    statuses = [keep(harness, f"Question {number}").status for number in range(3)]

    assert statuses == [201, 201, 409]


def test_the_last_question_that_a_project_may_keep_is_kept_by_a_call_that_is_repeated_after_a_crash(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("conversations.api.projects.knowledge.questions.MOST_QUESTIONS", 1)
    put = KnowledgeQuestions.put

    def dies(self: KnowledgeQuestions, question: KnowledgeQuestion) -> None:
        put(self, question)
        raise RuntimeError("the function was stopped")

    with monkeypatch.context() as patch:
        patch.setattr(KnowledgeQuestions, "put", dies)
        assert keep(harness, "Is there tea?", key="key-12345678").status == 500
    harness.later(clock.HOUR_MS)

    assert keep(harness, "Is there tea?", key="key-12345678").status == 201
    assert keep(harness, "Is there coffee?").status == 409


def test_questions_of_another_project_or_company_are_not_reached(harness: Harness) -> None:
    question = keep(harness, "Is there tea?").result
    line = f"DELETE {QUESTIONS}/{{question_id}}"
    for project, who in (
        (OTHER_PROJECT, ADMIN),
        (OF_PROJECT["project_id"], caller(SECOND_COMPANY)),
    ):
        names = {"project_id": project, "question_id": question["question_id"]}
        assert harness.call(line, names=names, who=who).status == 404
    listed = harness.call(f"GET {QUESTIONS}", names=OF_PROJECT, who=ADMIN).result["questions"]
    assert [one["question_id"] for one in listed] == [question["question_id"]]
