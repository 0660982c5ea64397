"""The documents of the local corpus: adding, listing, deleting, and crashes between two writes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError
from pydantic import ValidationError

from shared.ai.retrieval import CorpusTooLarge, RetrievalRefused, corpora
from shared.ai.retrieval.corpora import S3Corpus
from shared.ai.retrieval.documents import DocumentAttributes, Documents
from shared.ai.retrieval.local import LocalRetriever
from shared.ai.retrieval.port import Query
from shared.api.errors import InvalidInput

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.shared.ai.retrieval.conftest import Shelf

ATTRIBUTES = DocumentAttributes(
    title="Prices", url="https://example.org/prices", date="2026-03-01", topics=["maize"]
)


@pytest.fixture
def documents(shelf: Shelf) -> Documents:
    return Documents(shelf.bucket)


def found(shelf: Shelf, folder: Path, query: str) -> list[tuple[str, str]]:
    retriever = LocalRetriever(S3Corpus(shelf.bucket), folder, listing_ms=0)
    return [(p.title, p.text) for p in retriever.retrieve("acme", Query(text=query), limit=9)]


def test_an_added_document_is_found_and_listed(
    shelf: Shelf, documents: Documents, tmp_path: Path
) -> None:
    assert documents.put("acme", "prices", "Maize prices rise.", ATTRIBUTES) == "prices.md"

    assert found(shelf, tmp_path, "maize") == [("Prices", "Maize prices rise.")]
    [listed] = documents.page("acme", 10).documents
    assert (listed.name, listed.title, listed.url, listed.date, listed.topics, listed.size) == (
        "prices.md",
        "Prices",
        "https://example.org/prices",
        "2026-03-01",
        ("maize",),
        18,
    )
    assert listed.changed_at.endswith("Z")


def test_the_metadata_object_has_the_form_of_knowledge_bases(
    shelf: Shelf, documents: Documents
) -> None:
    documents.put("acme", "prices.txt", "Maize.", ATTRIBUTES)
    documents.put("acme", "plain.txt", "Maize.", DocumentAttributes(title="Plain"))

    dated, plain = (
        json.loads(shelf.bucket.get(f"corpus/acme/{name}.txt.metadata.json"))["metadataAttributes"]
        for name in ("prices", "plain")
    )
    assert dated.pop("text_sha256") == plain.pop("text_sha256")
    assert dated == {
        "title": "Prices",
        "url": "https://example.org/prices",
        "date": "2026-03-01",
        "published_epoch_day": 20513,
        "topics": ["maize"],
        "company_id": "acme",
    }
    assert plain == {"title": "Plain", "company_id": "acme"}


@pytest.mark.parametrize("is_replaced", [True, False], ids=["replaced", "deleted"])
def test_no_stored_index_keeps_the_text_of_a_removed_document(
    shelf: Shelf, documents: Documents, tmp_path: Path, is_replaced: bool
) -> None:
    documents.put("acme", "prices", "Maize prices rise.", ATTRIBUTES)
    documents.put("other", "prices", "Maize prices rise.", ATTRIBUTES)
    assert found(shelf, tmp_path, "maize")
    LocalRetriever(S3Corpus(shelf.bucket), tmp_path).retrieve("other", Query(text="maize"), limit=1)

    if is_replaced:
        documents.put("acme", "prices", "Prices are as they were.", ATTRIBUTES)
    else:
        assert documents.delete("acme", "prices")

    assert [key.split("/")[1] for key in shelf.keys() if "/_index/" in key] == ["other"]


def test_a_document_of_the_same_name_is_replaced(
    shelf: Shelf, documents: Documents, tmp_path: Path
) -> None:
    documents.put("acme", "prices", "Maize.", ATTRIBUTES)
    documents.put("acme", "prices.md", "Cattle.", DocumentAttributes(title="Other"))

    assert found(shelf, tmp_path, "maize cattle") == [("Other", "Cattle.")]


def test_a_deleted_document_leaves_nothing(documents: Documents, shelf: Shelf) -> None:
    documents.put("acme", "prices", "Maize.", ATTRIBUTES)
    documents.put("acme", "prices-2", "Maize.", ATTRIBUTES)

    assert documents.delete("acme", "prices")
    assert not documents.delete("acme", "prices")
    assert [d.name for d in documents.page("acme", 10).documents] == ["prices-2.md"]
    assert len(shelf.keys()) == 2


@pytest.mark.parametrize("is_replacement", [False, True])
def test_a_crash_between_two_writes_never_mixes_texts_and_sources(
    shelf: Shelf,
    documents: Documents,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    is_replacement: bool,
) -> None:
    if is_replacement:
        documents.put("acme", "prices", "Maize in March.", DocumentAttributes(title="Old"))
    put = shelf.bucket.client.put_object

    def fail(**call: Any) -> Any:
        if call["Key"].endswith(".md"):
            raise ClientError({"Error": {"Code": "SlowDown"}}, "PutObject")
        return put(**call)

    with monkeypatch.context() as failing:
        failing.setattr(shelf.bucket.client, "put_object", fail)
        with pytest.raises(ClientError):
            documents.put("acme", "prices", "Maize in April.", ATTRIBUTES)
    assert found(shelf, tmp_path, "maize") == []

    documents.put("acme", "prices", "Maize in April.", ATTRIBUTES)
    assert found(shelf, tmp_path, "maize") == [("Prices", "Maize in April.")]


def test_pages_list_every_document_once(shelf: Shelf, documents: Documents, tmp_path: Path) -> None:
    for number in range(5):
        documents.put("acme", f"n{number}", "Maize.", ATTRIBUTES)
    shelf.write("Sub/By hand.html", "<p>Maize</p>")
    shelf.write("broken.md", "Maize.")
    shelf.bucket.put("corpus/acme/broken.md.metadata.json", b"{")
    documents.put("other", "theirs", "Maize.", ATTRIBUTES)
    found(shelf, tmp_path, "maize")  # stores an index

    names: list[str] = []
    after = ""
    while True:
        page = documents.page("acme", 2, after)
        names += [document.name for document in page.documents]
        if page.last is None:
            break
        after = page.last

    assert names == ["Sub/By hand.html", "broken.md"] + [f"n{n}.md" for n in range(5)]
    assert documents.page("new-company", 5).documents == []


@pytest.mark.parametrize(
    "name", ["", ".md", "-a", "A", "a/b", "../a", "a b", "a\n", "é", "a" * 101, "_index"]
)
def test_a_name_outside_the_rule_is_refused(documents: Documents, name: str) -> None:
    with pytest.raises(InvalidInput, match="name"):
        documents.put("acme", name, "Maize.", ATTRIBUTES)
    with pytest.raises(InvalidInput, match="name"):
        documents.delete("acme", name)


@pytest.mark.parametrize("text", ["", " \n", "\ud800", "a" * (1024 * 1024 + 1)])
def test_a_text_outside_the_rule_is_refused(shelf: Shelf, documents: Documents, text: str) -> None:
    with pytest.raises(InvalidInput, match="text"):
        documents.put("acme", "a", text, ATTRIBUTES)
    assert shelf.keys() == []


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"title": ""},
        {"title": "a" * 301},
        {"title": "A", "url": "s3://bucket/key"},
        {"title": "A", "date": "2026-02-30"},
        {"title": "A", "date": "20260301"},
        {"title": "A", "topics": [""]},
        {"title": "A", "topics": ["a"] * 21},
        {"title": "A", "unknown": 1},
    ],
)
def test_attributes_outside_the_rules_are_refused(values: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        DocumentAttributes.model_validate(values)


def test_a_full_corpus_takes_replacements_only(
    documents: Documents, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpora, "MOST_DOCUMENTS", 1)
    documents.put("acme", "a", "Maize.", ATTRIBUTES)
    documents.put("acme", "a", "Cattle.", ATTRIBUTES)
    with pytest.raises(CorpusTooLarge):
        documents.put("acme", "b", "Maize.", ATTRIBUTES)


def test_another_companys_prefix_cannot_be_reached(documents: Documents) -> None:
    for company in ("..", "a/b", ""):
        with pytest.raises(RetrievalRefused):
            documents.put(company, "a", "Maize.", ATTRIBUTES)
        with pytest.raises(RetrievalRefused):
            documents.page(company, 1)
        with pytest.raises(RetrievalRefused):
            documents.delete(company, "a")
