"""The local retriever over a folder: what is found, in which order, and for whom."""

import json
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from shared.ai.retrieval import (
    CorpusTooLarge,
    RetrievalRefused,
    RetrieverUnavailable,
    corpora,
    index,
)
from shared.ai.retrieval.corpora import FolderCorpus
from shared.ai.retrieval.local import LocalRetriever
from shared.ai.retrieval.port import Query

COMPANY = "acme"


@pytest.fixture
def documents(tmp_path: Path) -> Callable[..., Path]:
    def write(name: str, text: str | bytes, company: str = COMPANY) -> Path:
        path = tmp_path / "documents" / company / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return write


@pytest.fixture
def retriever(tmp_path: Path) -> LocalRetriever:
    return LocalRetriever(FolderCorpus(tmp_path / "documents"), tmp_path / "cache", listing_ms=0)


def titles(retriever: LocalRetriever, query: str, since: str | None = None) -> list[str]:
    return [
        passage.title
        for passage in retriever.retrieve(COMPANY, Query(text=query, since=since), limit=9)
    ]


def test_the_best_passage_comes_first(
    documents: Callable[..., Path], retriever: LocalRetriever
) -> None:
    documents("maize.md", "Maize prices rise. Maize is scarce.")
    documents("both.md", "Some maize and many other things are sold on the market this year.")
    for number in range(5):
        documents(f"other-{number}.md", f"Cattle vaccine number {number}.")

    assert titles(retriever, "maize prices") == ["maize", "both"]
    assert titles(retriever, "bicycles") == []


def test_words_are_found_in_other_forms_case_and_accents(
    documents: Callable[..., Path], retriever: LocalRetriever
) -> None:
    documents("one.md", "Farmers were harvesting in São Tomé.")
    documents("two.md", "Nothing of interest.")

    assert titles(retriever, "HARVESTED") == ["one"]
    assert titles(retriever, "sao tome") == ["one"]


@pytest.mark.parametrize("script", ["أسعار القمح", "कृषि बाजार", "የበቆሎ ዋጋ", "тарифы"])
def test_words_of_other_scripts_are_found(
    documents: Callable[..., Path], retriever: LocalRetriever, script: str
) -> None:
    documents("one.md", f"x {script} y")
    documents("two.md", "A text in English.")

    assert titles(retriever, script.rsplit(maxsplit=1)[-1]) == ["one"]


@pytest.mark.parametrize(
    "query",
    ['"', "a OR", "NOT maize", "text:maize", "maize*", "(maize", "^maize", "maize\x00", "'; --"],
)
def test_operators_of_the_query_language_are_ordinary_characters(
    documents: Callable[..., Path], retriever: LocalRetriever, query: str
) -> None:
    documents("one.md", "The maize harvest.")
    assert titles(retriever, query) == (["one"] if "maize" in query else [])


def test_a_query_without_words_finds_nothing(
    documents: Callable[..., Path], retriever: LocalRetriever
) -> None:
    documents("one.md", "Text.")
    assert titles(retriever, " ... \u2013 ") == titles(retriever, "") == []


def test_a_passage_has_its_source_and_a_stable_id(
    documents: Callable[..., Path], retriever: LocalRetriever
) -> None:
    documents("one.md", "The maize   harvest.")
    documents(
        "one.md.metadata.json",
        json.dumps({"metadataAttributes": {"url": "https://example.org/1", "date": "2026-03-01"}}),
    )
    documents("two.txt", "The maize harvest.")

    one, two = retriever.retrieve(COMPANY, Query(text="maize"), limit=5)
    [again, _] = retriever.retrieve(COMPANY, Query(text="harvest"), limit=5)

    assert (one.title, one.url, one.uri, one.date, one.source) == (
        "one",
        "https://example.org/1",
        "acme/one.md",
        "2026-03-01",
        "local-corpus",
    )
    assert (two.url, two.uri, two.date) == ("", "acme/two.txt", "")
    assert one.chunk_id == again.chunk_id
    assert one.chunk_id != two.chunk_id
    assert one.chunk_id.startswith("chunk-")
    assert len(one.chunk_id) == 18
    assert "maize" not in repr(one)


def test_a_date_leaves_out_earlier_and_undated_passages(
    documents: Callable[..., Path], retriever: LocalRetriever
) -> None:
    for day in ("2026-02-28", "2026-03-01", "2026-03-02"):
        documents(f"{day}.md", f"---\ndate: {day}\n---\nMaize.")
    documents("undated.md", "Maize.")

    assert titles(retriever, "maize", since="2026-03-01") == ["2026-03-01", "2026-03-02"]
    assert len(titles(retriever, "maize")) == 4


def test_only_the_asked_number_of_passages_returns(
    documents: Callable[..., Path], retriever: LocalRetriever
) -> None:
    for number in range(5):
        documents(f"{number}.md", "Maize.")
    assert len(retriever.retrieve(COMPANY, Query(text="maize"), limit=2)) == 2


@pytest.mark.parametrize(("limit", "since"), [(0, None), (1, "2026-3-1"), (1, "yesterday")])
def test_an_invalid_request_is_refused(
    retriever: LocalRetriever, limit: int, since: str | None
) -> None:
    with pytest.raises(ValueError, match=r"limit|since|isoformat"):
        retriever.retrieve(COMPANY, Query(text="maize", since=since), limit=limit)


def test_a_company_finds_its_own_documents_only(
    documents: Callable[..., Path], retriever: LocalRetriever
) -> None:
    documents("one.md", "Maize.")
    documents("two.md", "Maize.", "acme2")
    link = documents("three.md", "Maize.").with_name("link.md")
    link.symlink_to(documents("secret.md", "Maize.", "other"))

    assert titles(retriever, "maize") == ["one", "three"]
    assert retriever.retrieve("new-company", Query(text="maize"), limit=9) == []


@pytest.mark.parametrize(
    "company", ["", ".", "..", "../other", "a/b", "a\\b", "a\x00", "é", "x" * 65]
)
def test_a_company_id_that_is_no_path_segment_is_refused(
    retriever: LocalRetriever, company: str
) -> None:
    with pytest.raises(RetrievalRefused, match="invalid_company_id"):
        retriever.retrieve(company, Query(text="maize"), limit=1)


def test_a_change_of_the_documents_is_found(
    documents: Callable[..., Path], retriever: LocalRetriever, tmp_path: Path
) -> None:
    path = documents("one.md", "Maize.")
    assert titles(retriever, "maize") == ["one"]

    documents("one.md", "Cattle, no longer the other.")
    assert titles(retriever, "maize") == []
    assert titles(retriever, "cattle") == ["one"]

    path.unlink()
    assert titles(retriever, "cattle") == []
    assert len(list((tmp_path / "cache").rglob("*.*"))) == 1  # indexes of earlier states are gone


def test_unreadable_documents_are_left_out(
    documents: Callable[..., Path], retriever: LocalRetriever
) -> None:
    documents("one.md", "Maize.")
    documents("two.md", b"Maize \xff")
    documents("three.md", "Maize.")
    documents("three.md.metadata.json", "{")
    documents("four.pdf", "Maize.")

    assert titles(retriever, "maize") == ["one"]


def test_a_damaged_index_is_built_again(
    documents: Callable[..., Path], retriever: LocalRetriever, tmp_path: Path
) -> None:
    documents("one.md", "Maize.")
    assert titles(retriever, "maize") == ["one"]
    [file] = (tmp_path / "cache").rglob("*.sqlite")

    file.write_bytes(b"damaged" * 1_000)
    assert titles(retriever, "maize") == ["one"]
    file.unlink()
    assert titles(retriever, "maize") == ["one"]


def test_the_cache_keeps_the_indexes_used_last(
    documents: Callable[..., Path],
    retriever: LocalRetriever,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for company in ("a", "b", "c"):
        documents("one.md", "Maize.", company)
    for age, company in enumerate(("a", "b")):
        retriever.retrieve(company, Query(text="maize"), limit=1)
        [file] = (tmp_path / "cache" / company).iterdir()
        os.utime(file, (1_000 + age, 1_000 + age))
    monkeypatch.setattr("shared.ai.retrieval.local.MOST_CACHED_BYTES", 2 * file.stat().st_size + 10)

    retriever.retrieve("c", Query(text="maize"), limit=1)

    assert [path.parent.name for path in sorted((tmp_path / "cache").rglob("*.sqlite"))] == [
        "b",
        "c",
    ]


@pytest.mark.parametrize("limit", ["MOST_DOCUMENTS", "MOST_BYTES"])
def test_a_corpus_above_the_limits_is_not_indexed(
    documents: Callable[..., Path],
    retriever: LocalRetriever,
    monkeypatch: pytest.MonkeyPatch,
    limit: str,
) -> None:
    monkeypatch.setattr(corpora, limit, 1)
    documents("one.md", "M")
    assert titles(retriever, "M") == ["one"]

    documents("two.md", "M")
    with pytest.raises(CorpusTooLarge, match="corpus_too_large"):
        titles(retriever, "M")


def test_the_score_tells_how_much_of_the_query_a_passage_has(
    documents: Callable[..., Path], retriever: LocalRetriever
) -> None:
    for number in range(8):
        documents(f"{number}.md", f"Maize {'prices' * (number < 4)} {'fell' * (number < 1)}.")

    def scores(query: str) -> list[float]:
        found = retriever.retrieve(COMPANY, Query(text=query), limit=9)
        return sorted({passage.score for passage in found}, reverse=True)

    three, two, one = scores("maize prices fell")
    assert 1 > three > 0.6 > two > one > 0
    assert scores("fell") == [0.75]  # the only word of a query counts three times
    assert scores("fell frost hail snow") == [0.5]


def test_words_of_the_context_only_decide_between_passages(
    documents: Callable[..., Path], retriever: LocalRetriever
) -> None:
    documents("one.md", "Maize prices.")
    documents("two.md", "Maize prices in Kenya.")
    documents("three.md", "Tourism in Kenya.")

    found = retriever.retrieve(COMPANY, Query(text="maize prices", context="Kenya"), limit=9)

    assert [passage.title for passage in found] == ["two", "one"]
    assert found[0].score == found[1].score


def test_nothing_that_is_dated_after_the_last_day_is_found(
    documents: Callable[..., Path], retriever: LocalRetriever
) -> None:
    for day in ("2026-03-01", "2026-03-02"):
        documents(f"{day}.md", f"---\ndate: {day}\n---\nMaize.")
    documents("undated.md", "Maize.")

    found = retriever.retrieve(COMPANY, Query(text="maize", until="2026-03-01"), limit=9)

    assert sorted(passage.date for passage in found) == ["", "2026-03-01"]


def test_words_of_scripts_without_blanks_are_found_within_a_sentence(
    documents: Callable[..., Path], retriever: LocalRetriever
) -> None:
    documents("zh.md", "本周玉米价格上涨。")
    documents("ja.md", "市場の価格が上がった。")
    documents("th.md", "วันนี้ราคาข้าวโพดสูงขึ้น")

    assert titles(retriever, "价格") == ["zh"]
    assert titles(retriever, "価格") == ["ja"]
    assert titles(retriever, "ราคา") == ["th"]


def test_sqlite_without_full_text_search_is_reported(
    documents: Callable[..., Path], retriever: LocalRetriever, monkeypatch: pytest.MonkeyPatch
) -> None:
    documents("one.md", "Maize.")
    # SQLite answers as if it were compiled without the module.
    monkeypatch.setattr(index, "_TABLES", index._TABLES.replace("fts5(", "fts5_absent("))

    with pytest.raises(RetrieverUnavailable, match="fts5_missing"):
        titles(retriever, "maize")


def test_another_error_of_sqlite_is_not_hidden(tmp_path: Path) -> None:
    with pytest.raises(sqlite3.OperationalError):
        index.search(tmp_path / "absent.sqlite", Query(text="maize"), limit=1)


def test_with_topics_only_documents_that_have_one_of_them_are_searched(
    documents: Callable[..., Path], retriever: LocalRetriever
) -> None:
    documents("returns.md", '---\ntopics: ["Returns", "Shop \' 1"]\n---\nA tent is taken back.')
    documents("rental.md", "---\ntopics: [Rental returns]\n---\nA tent is lent for a week.")
    documents("other.md", "A tent has no topic.")

    def found(*topics: str) -> set[str]:
        query = Query(text="tent", topics=topics)
        return {passage.title for passage in retriever.retrieve(COMPANY, query, limit=9)}

    assert found() == {"returns", "rental", "other"}
    assert found("Returns") == {"returns"}
    assert found("Shop ' 1", "Rental returns") == {"returns", "rental"}
    assert found("returns") == found("Re%") == set()
