"""The search for one type: inside the window, in wider ones, then without a date; never older documents."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import pytest

from newsletters.drafting.retrieval.passages import Search, _of_type, most_asked
from shared.ai.retrieval import Passage, Query
from shared.runtime import clock

if TYPE_CHECKING:
    from newsletters.store.items import QueryRecord

NOW = 1_793_620_800_000  # 2026-11-02T12:00:00Z
TODAY = "2026-11-02"
WINDOW = 14


@dataclass
class InMemory:
    """A retriever over a list, best first; *asked* are the limits and dates of the requests."""

    passages: list[Passage]
    asked: list[tuple[int, str | None]] = field(default_factory=list)

    def retrieve(self, company_id: str, query: Query, *, limit: int) -> list[Passage]:
        assert (company_id, query.until) == ("acme", TODAY)
        self.asked.append((limit, query.since))
        found = [
            one
            for one in self.passages
            if (query.since or "") <= one.date <= TODAY and (query.text == "seeds" or one.title)
        ]
        return sorted(found, key=lambda one: -one.score)[:limit]


@pytest.fixture(autouse=True)
def _now(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now_ms", lambda: NOW)


def passage(date: str, score: float = 0.5) -> Passage:
    return Passage(
        text=f"Text of {date} {score}",
        score=score,
        title="",
        url=f"https://field.example/{date}{score}",
        uri="",
        date=date,
        source="local-corpus",
    )


IN_WINDOW, IN_DOUBLE, IN_FOURFOLD = "2026-10-19", "2026-10-05", "2026-09-07"  # on the first day
OLD, UNDATED = "2026-09-06", ""


def search(
    *passages: Passage,
    limit: int = 10,
    least_score: float = 0.0,
    queries: tuple[str, ...] = ("seeds",),
) -> tuple[list[Passage], QueryRecord, InMemory]:
    retriever = InMemory(list(passages))
    settings = Search(retriever, "acme", limit, least_score, WINDOW)
    found, record = _of_type(settings, "Policy Updates", [Query(text=one) for one in queries])
    return found, record, retriever


def test_two_hits_inside_the_window_are_enough() -> None:
    found, record, retriever = search(
        passage(IN_WINDOW, 0.3), passage(IN_WINDOW, 0.2), passage(IN_DOUBLE, 0.9), passage(UNDATED)
    )

    assert [one.date for one in found] == [IN_WINDOW, IN_WINDOW]
    assert retriever.asked == [(10, IN_WINDOW)]
    assert (record.type, record.query, record.hits) == ("Policy Updates", "seeds", 2)
    assert (record.window_days, record.widened) == (WINDOW, False)


@pytest.mark.parametrize(("second", "factor"), [(IN_DOUBLE, 2), (IN_FOURFOLD, 4)])
def test_with_fewer_hits_the_window_is_doubled_and_doubled_again(second: str, factor: int) -> None:
    found, record, retriever = search(passage(IN_WINDOW), passage(second, 0.4), passage(UNDATED))

    assert [one.date for one in found] == [IN_WINDOW, second]
    assert (record.hits, record.window_days, record.widened) == (2, factor * WINDOW, True)
    assert len(retriever.asked) == {2: 2, 4: 3}[factor]


def test_then_documents_without_a_date_are_used_and_never_old_ones() -> None:
    found, record, _ = search(
        passage(IN_FOURFOLD), passage(OLD, 0.9), passage(UNDATED, 0.4), passage("2019-01-01", 0.8)
    )

    assert [one.date for one in found] == [IN_FOURFOLD, UNDATED]
    assert (record.hits, record.window_days, record.widened) == (2, 0, True)


def test_old_documents_that_rank_higher_crowd_neither_dated_nor_undated_ones_out() -> None:
    old = [passage("2019-01-01", 0.9 - n / 1000) for n in range(40)]

    found, _, _ = search(*old, passage(IN_WINDOW, 0.2), passage(UNDATED, 0.1), limit=4)

    assert [one.date for one in found] == [IN_WINDOW, UNDATED]


def test_at_most_as_many_hits_as_asked_for_are_returned() -> None:
    undated = [passage(UNDATED, 0.9 - n / 100) for n in range(8)]

    found, record, _ = search(passage(IN_WINDOW, 0.1), *undated, limit=4)

    assert len(found) == record.hits == 4
    assert IN_WINDOW in [one.date for one in found]


def test_hits_below_the_least_score_do_not_count() -> None:
    found, record, _ = search(
        passage(IN_WINDOW, 0.31), passage(IN_WINDOW, 0.29), passage(IN_DOUBLE, 0.3),
        passage(UNDATED, 0.2), least_score=0.3,
    )  # fmt: skip

    assert [one.score for one in found] == [0.31, 0.3]
    assert (record.window_days, record.widened) == (2 * WINDOW, True)


def test_only_old_documents_are_no_hits() -> None:
    found, record, _ = search(passage(OLD), passage("2019-01-01"))

    assert found == []
    assert (record.hits, record.window_days, record.widened) == (0, 0, True)


def test_documents_of_the_future_are_not_used() -> None:
    found, _, _ = search(passage("2026-11-03"), passage(TODAY), passage(UNDATED))

    assert [one.date for one in found] == [TODAY, UNDATED]


def test_the_query_in_english_is_asked_where_the_newsletters_language_finds_too_little() -> None:
    english = replace(passage(IN_WINDOW, 0.4), title="English")

    found, record, retriever = search(passage(IN_WINDOW), english, queries=("Saat", "seeds"))

    assert len(found) == 2
    assert retriever.asked == [(10, IN_WINDOW)] * 2
    assert record.query == "Saat | seeds"
    assert len(search(passage(IN_WINDOW), english, queries=("seeds", "Saat"))[2].asked) == 1


@pytest.mark.parametrize(
    ("total", "types", "hits"), [(25, 4, 12), (40, 1, 80), (15, 12, 4), (15, 5, 6), (75, 17, 8)]
)
def test_each_type_asks_for_twice_its_share_and_for_four_at_least(
    total: int, types: int, hits: int
) -> None:
    assert most_asked(total, types) == hits
