"""Which hits become passages: every type is represented, without duplicates."""

from __future__ import annotations

from typing import Any

from newsletters.drafting.retrieval.selection import selected
from shared.ai.retrieval import Passage

WORDS = [f"word{number}" for number in range(60)]


def passage(number: int, score: float, text: str = "", **values: Any) -> Passage:
    place: dict[str, Any] = {"url": f"https://field.example/{number}", "uri": "", "date": ""}
    return Passage(
        text=text or f"Report {number} is about subject {number} and has its own words {number}.",
        score=score,
        title=f"Report {number}",
        source="local-corpus",
        **place | values,
    )


def test_each_type_has_two_passages_before_any_type_has_a_third() -> None:
    hits = {
        "A": [passage(n, 0.9 - n / 100) for n in range(8)],
        "B": [passage(n, 0.4 - n / 1000) for n in range(10, 14)],
        "C": [passage(20, 0.1)],
    }

    chosen = selected(hits, 6)

    assert [hit.topic for hit in chosen] == ["A", "A", "A", "B", "B", "C"]
    scores = [hit.passage.score for hit in chosen]
    assert scores == sorted(scores, reverse=True)


def test_with_more_types_than_room_the_best_passage_of_each_type_comes_first() -> None:
    hits = {
        f"type {n}": [passage(2 * n, 0.9 - n / 10), passage(2 * n + 1, 0.89 - n / 10)]
        for n in range(5)
    }

    chosen = selected(hits, 5)

    assert {hit.topic for hit in chosen} == set(hits)
    assert len(selected(hits, 3)) == 3


def test_a_passage_that_several_types_find_belongs_to_the_one_with_its_best_score() -> None:
    def same(score: float) -> Passage:
        return passage(1, score, "The same text.")

    chosen = selected({"A": [same(0.5)], "B": [same(0.7)], "C": [same(0.7)]}, 10)

    assert [(hit.topic, hit.passage.score) for hit in chosen] == [("B", 0.7)]


def test_of_equal_and_nearly_equal_texts_the_best_is_kept() -> None:
    text = " ".join(WORDS)
    nearly = text.replace("word30", "another")
    other = " ".join(reversed(WORDS))
    hits = {
        "A": [passage(1, 0.5, text), passage(2, 0.6, text.upper()), passage(3, 0.7, other)],
        "B": [passage(4, 0.65, nearly)],
    }

    chosen = selected(hits, 10)

    assert [hit.passage.score for hit in chosen] == [0.7, 0.65]


def test_each_word_of_a_text_counts() -> None:
    texts = ("In the north prices rose", "In the north prices fell", "All the north prices rose")
    hits = {"A": [passage(n, 0.5 - n / 10, text) for n, text in enumerate(texts)]}

    assert [hit.passage.text for hit in selected(hits, 10)] == list(texts)


def test_short_texts_are_compared_as_a_whole() -> None:
    texts = ("Prices rose.", "prices ROSE", "Prices fell.")
    hits = {"A": [passage(n, 0.5 - n / 10, text) for n, text in enumerate(texts)]}

    assert [hit.passage.text for hit in selected(hits, 10)] == ["Prices rose.", "Prices fell."]


def test_of_one_address_two_passages_are_kept() -> None:
    url = "https://field.example/long"
    hits = {
        "A": [passage(n, 0.9 - n / 10, url=url) for n in range(3)],
        "B": [passage(n, 0.5 - n / 100, url="", uri="s3://bucket/one") for n in range(4, 8)],
    }

    chosen = selected(hits, 10)

    assert [hit.topic for hit in chosen] == ["A", "A", "B", "B"]


def test_passages_of_unknown_places_are_not_taken_for_those_of_one_address() -> None:
    hits = {"A": [passage(n, 0.9 - n / 10, url="", uri="") for n in range(4)]}

    assert len(selected(hits, 10)) == 4


def test_of_equal_scores_the_newer_passage_comes_first() -> None:
    dates = ["2026-01-05", "", "2026-02-01", "2025-12-31"]
    hits = {"A": [passage(n, 0.5, date=date) for n, date in enumerate(dates)]}

    chosen = [hit.passage.date for hit in selected(hits, 10)]

    assert chosen == ["2026-02-01", "2026-01-05", "2025-12-31", ""]


def test_without_hits_nothing_is_selected() -> None:
    assert selected({}, 10) == []
    assert selected({"A": [], "B": []}, 10) == []
