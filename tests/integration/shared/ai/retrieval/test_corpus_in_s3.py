"""The local retriever over S3: its stored index, changes, deletions meanwhile, and failures of S3."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING
from unittest import mock

import pytest
from botocore.exceptions import ClientError, ConnectTimeoutError

from shared.ai.retrieval import RetrieverUnavailable
from shared.ai.retrieval.corpora import S3Corpus
from shared.ai.retrieval.local import LocalRetriever, index_name
from shared.ai.retrieval.port import Query
from shared.aws.s3 import Bucket
from shared.runtime.observability import logger

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.shared.ai.retrieval.conftest import Shelf


def titles(retriever: LocalRetriever, query: str, company: str = "acme") -> list[str]:
    return [passage.title for passage in retriever.retrieve(company, Query(text=query), limit=9)]


def started(shelf: Shelf, cache: Path) -> LocalRetriever:
    return LocalRetriever(S3Corpus(shelf.bucket), cache, listing_ms=0)


def test_documents_are_found_with_their_location(shelf: Shelf, tmp_path: Path) -> None:
    shelf.write("reports/one.md", "# Maize\n\nPrices rise.", url="https://example.org/1")
    shelf.write("two.txt", "Prices of cattle.", title="Cattle")
    shelf.write("other.md", "Prices elsewhere.", company="acme2")

    found = started(shelf, tmp_path).retrieve("acme", Query(text="prices"), limit=9)

    assert {(p.title, p.url, p.uri) for p in found} == {
        ("Maize", "https://example.org/1", "s3://newsletters/corpus/acme/reports/one.md"),
        ("Cattle", "", "s3://newsletters/corpus/acme/two.txt"),
    }


def test_the_stored_index_serves_other_processes(shelf: Shelf, tmp_path: Path) -> None:
    shelf.write("one.md", "Maize.")
    assert titles(started(shelf, tmp_path / "first"), "maize") == ["one"]
    [stored] = [key for key in shelf.keys() if "/_index/" in key]

    second = started(shelf, tmp_path / "second")
    changed_at = shelf.bucket.client.head_object(Bucket="newsletters", Key=stored)["LastModified"]
    corpus = second.corpus
    assert stored == f"corpus/acme/_index/{index_name(corpus.entries('acme'))}.sqlite"

    assert titles(second, "maize") == ["one"]
    # It was downloaded, not built and stored again.
    again = shelf.bucket.client.head_object(Bucket="newsletters", Key=stored)["LastModified"]
    assert again == changed_at
    [file] = (tmp_path / "second").rglob("*.sqlite")
    assert file.read_bytes() == shelf.bucket.get(stored)


def test_a_changed_corpus_replaces_the_stored_index(shelf: Shelf, tmp_path: Path) -> None:
    retriever = started(shelf, tmp_path)
    shelf.write("one.md", "Maize.")
    titles(retriever, "maize")
    before = [key for key in shelf.keys() if "/_index/" in key]

    shelf.write("two.md", "Maize, too.")

    assert sorted(titles(retriever, "maize")) == ["one", "two"]
    after = [key for key in shelf.keys() if "/_index/" in key]
    assert len(after) == 1
    assert after != before


def test_metadata_that_changes_makes_another_index(shelf: Shelf, tmp_path: Path) -> None:
    retriever = started(shelf, tmp_path)
    shelf.write("one.md", "Maize.", title="Before")
    assert titles(retriever, "maize") == ["Before"]

    shelf.write("one.md", "Maize.", title="After")
    assert titles(retriever, "maize") == ["After"]


def test_two_processes_that_build_at_the_same_time_agree(shelf: Shelf, tmp_path: Path) -> None:
    shelf.write("one.md", "Maize.")
    first, second = started(shelf, tmp_path / "first"), started(shelf, tmp_path / "second")
    entries = first.corpus.entries("acme")

    for retriever in (first, second):
        retriever._build("acme", entries, retriever._path("acme", entries))

    assert titles(first, "maize") == titles(second, "maize") == ["one"]
    assert len([key for key in shelf.keys() if "/_index/" in key]) == 1


def test_an_index_deleted_by_another_process_is_built_again(shelf: Shelf, tmp_path: Path) -> None:
    shelf.write("one.md", "Maize.")
    titles(started(shelf, tmp_path / "first"), "maize")
    for key in [key for key in shelf.keys() if "/_index/" in key]:
        shelf.bucket.delete(key)

    assert titles(started(shelf, tmp_path / "second"), "maize") == ["one"]


def test_a_document_deleted_after_the_listing_is_left_out(shelf: Shelf, tmp_path: Path) -> None:
    shelf.write("one.md", "Maize.")
    shelf.write("two.md", "Maize.")
    retriever = started(shelf, tmp_path)
    entries = retriever.corpus.entries("acme")
    shelf.bucket.delete("corpus/acme/two.md")

    file = retriever._path("acme", entries)
    retriever._build("acme", entries, file)

    assert file.exists()
    assert titles(retriever, "maize") == ["one"]


def test_unreadable_documents_are_counted_without_their_content(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logged: list[dict[str, object]] = []
    monkeypatch.setattr(logger, "info", lambda _, extra: logged.append(extra))
    shelf.write("one.md", "Maize.")
    shelf.write("two.md", b"\xff")
    shelf.write("three.md", b"\xfe")
    shelf.write("four.md", "Maize.", company_id="other")

    assert titles(started(shelf, tmp_path), "maize") == ["one"]

    [line] = logged
    assert line["skipped"] == {"not_utf_8": 2, "company_differs": 1}
    assert line["chunks"] == 1
    assert "Maize" not in str(line)


def test_a_listing_is_reused_for_a_while(shelf: Shelf, tmp_path: Path) -> None:
    retriever = LocalRetriever(S3Corpus(shelf.bucket), tmp_path, listing_ms=60_000)
    shelf.write("one.md", "Maize.")
    assert titles(retriever, "maize") == ["one"]

    shelf.write("two.md", "Maize.")
    assert titles(retriever, "maize") == ["one"]


def test_a_corpus_of_more_than_one_page_of_the_listing_is_complete(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # S3 returns 1,000 keys of a listing at once, unless fewer are asked for.
    pages = mock.Mock(wraps=partial(shelf.bucket.client.list_objects_v2, MaxKeys=5))
    monkeypatch.setattr(shelf.bucket.client, "list_objects_v2", pages)
    for number in range(11):
        shelf.bucket.put(f"corpus/acme/{number:04}.bin", b"")
    shelf.write("z.md", "Maize.")

    assert titles(started(shelf, tmp_path), "maize") == ["z"]
    assert pages.call_count >= 3


def test_a_missing_bucket_makes_the_retriever_unavailable(shelf: Shelf, tmp_path: Path) -> None:
    bucket = Bucket(lambda: shelf.bucket.client, "absent")
    with pytest.raises(RetrieverUnavailable, match="NoSuchBucket"):
        titles(LocalRetriever(S3Corpus(bucket), tmp_path), "maize")


def test_a_missing_permission_makes_the_retriever_unavailable(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise ClientError({"Error": {"Code": "AccessDenied"}}, "GetObject")

    shelf.write("one.md", "Maize.")
    monkeypatch.setattr(shelf.bucket.client, "get_object", refuse)
    with pytest.raises(RetrieverUnavailable, match="AccessDenied"):
        titles(started(shelf, tmp_path), "maize")


def test_a_lost_connection_makes_the_retriever_unavailable(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ConnectTimeoutError(endpoint_url="https://s3")

    shelf.write("one.md", "Maize.")
    monkeypatch.setattr(shelf.bucket.client, "get_object", fail)
    with pytest.raises(RetrieverUnavailable, match="ConnectTimeoutError"):
        titles(started(shelf, tmp_path), "maize")


def test_a_query_is_answered_when_the_index_cannot_be_stored(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise ClientError({"Error": {"Code": "AccessDenied"}}, "PutObject")

    warned: list[dict[str, object]] = []
    monkeypatch.setattr(logger, "warning", lambda _, extra: warned.append(extra))
    shelf.write("one.md", "Maize.")
    monkeypatch.setattr(shelf.bucket.client, "upload_fileobj", refuse)

    assert titles(started(shelf, tmp_path), "maize") == ["one"]
    assert warned == [{"reason": "AccessDenied"}]


@pytest.mark.long
def test_documents_of_several_batches_are_read_in_parallel(shelf: Shelf, tmp_path: Path) -> None:
    for number in range(150):
        shelf.write(f"{number}.md", f"Maize {number}.", title=f"Number {number}")
    found = started(shelf, tmp_path).retrieve("acme", Query(text="maize"), limit=200)
    assert {passage.title for passage in found} == {f"Number {n}" for n in range(150)}
