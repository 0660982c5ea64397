"""
The search of each type over 300 passages in six languages, labelled with the type that they answer, or none.

Each file of `labelled/` has three passages for each of the twelve types, and fourteen on other subjects.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from newsletters.drafting.retrieval.catalogue import TYPES
from newsletters.drafting.retrieval.passages import LEAST_SCORE
from newsletters.drafting.retrieval.type_phrases import PHRASES
from shared.ai.retrieval import Query, index
from shared.ai.retrieval.chunks import Document, chunks_of

LANGUAGES = ("en", "de", "fr", "es", "ar", "sw")
OTHER = "none"
FIRST = 10  # hits that precision is measured on


@dataclass(frozen=True)
class Labelled:
    """A passage of a language, and the id of its type."""

    language: str
    type: str
    text: str


def labelled() -> list[Labelled]:
    found = []
    for language in LANGUAGES:
        lines = (Path(__file__).parent / "labelled" / f"{language}.txt").read_text().splitlines()
        found += [Labelled(language, *line.split(": ", maxsplit=1)) for line in lines]
    return found


ALL = labelled()
BY_TEXT = {one.text: one for one in ALL}


def indexed(file: Path, passages: list[Labelled]) -> Path:
    documents = [
        Document(f"{number}.txt", str(number), one.text.encode())
        for number, one in enumerate(passages)
    ]
    index.build(file, [chunk for one in documents for chunk in chunks_of(one, "acme")])
    return file


def found(file: Path, type_id: str, language: str) -> list[Labelled]:
    at = [one.id for one in TYPES].index(type_id)
    query = Query(text=PHRASES[language][at], language=language)
    hits = index.search(file, query, limit=FIRST)
    return [BY_TEXT[one.text] for one in hits if one.score >= LEAST_SCORE]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return indexed(tmp_path_factory.mktemp("labelled") / "all.sqlite", ALL)


def test_the_set_has_three_hundred_passages_of_all_types() -> None:
    assert len(BY_TEXT) == len(ALL) == 300
    assert {one.type for one in ALL} == {OTHER, *(one.id for one in TYPES)}


@pytest.mark.parametrize("language", LANGUAGES)
def test_where_sources_exist_most_of_the_first_ten_hits_are_about_the_type(
    whole: Path, language: str
) -> None:
    for one in TYPES:
        hits = found(whole, one.id, language)
        right = [hit for hit in hits if hit.type == one.id]
        assert right, one.id
        assert len(right) >= 0.7 * len(hits), (one.id, hits)
        assert sum(hit.language == language for hit in right) >= 2, one.id


@pytest.mark.long
def test_where_no_sources_exist_nothing_is_found(tmp_path: Path) -> None:
    other = indexed(tmp_path / "other.sqlite", [one for one in ALL if one.type == OTHER])

    for one in TYPES:
        rest = indexed(tmp_path / f"{one.id}.sqlite", [hit for hit in ALL if hit.type != one.id])
        for language in LANGUAGES:
            assert found(other, one.id, language) == [], (one.id, language)
            assert found(rest, one.id, language) == [], (one.id, language)
