"""The analysis on the head of a thread stays within its bound."""

from __future__ import annotations

import json
from typing import Any

from email_threads.store.analyses import MOST_ANALYSIS_BYTES, bounded
from email_threads.store.items import AiAnalysis, AnalysisState, OpenQuestion


def analysis(**more: Any) -> AiAnalysis:
    return AiAnalysis(state=AnalysisState.DONE, summary="Ten chairs.", **more)


def question(number: int, text: str, **more: Any) -> OpenQuestion:
    at = "2026-11-02T12:00:00.000Z"
    return OpenQuestion(field=f"f{number}", question=text, asked_at=at, asked_n=number, **more)


def size(found: AiAnalysis) -> int:
    return len(json.dumps(found.model_dump(exclude_none=True), ensure_ascii=False).encode())


def test_an_analysis_within_the_bound_stays_as_it_is() -> None:
    given = analysis(unconfirmed={"budget": "500 EUR"}, pending_info=[question(1, "By when?")])

    assert bounded(given) == given


def test_values_without_proof_go_first() -> None:
    asked = [question(1, "By when?")]

    found = bounded(analysis(unconfirmed={"budget": "x" * 2_000}, pending_info=asked))

    assert (found.unconfirmed, found.pending_info) == ({}, asked)


def test_answered_questions_go_before_open_ones_are_shortened() -> None:
    is_open = question(1, "What? " * 50)
    answered = [question(number, "What? " * 50, answered_n=9) for number in range(2, 9)]

    assert bounded(analysis(pending_info=[is_open, *answered])).pending_info == [is_open]


def test_long_questions_are_shortened_and_stay() -> None:
    found = bounded(analysis(pending_info=[question(n, "Was? " * 60) for n in range(8)]))

    assert [one.field for one in found.pending_info] == [f"f{n}" for n in range(8)]
    assert size(found) <= MOST_ANALYSIS_BYTES


def test_any_analysis_comes_within_the_bound() -> None:
    asked = [
        OpenQuestion(field="f" * 40, question="椅" * 300, asked_at="2026-11-02T12:00:00.000Z")
        for _ in range(10)
    ]
    given = AiAnalysis(
        state=AnalysisState.DONE,
        summary="椅" * 600,
        intent="椅" * 100,
        needs_human_reason="椅" * 200,
        changed=["f" * 40] * 20,
        unconfirmed={"f": ["椅" * 100] * 3},
        pending_info=asked,
    )

    assert size(bounded(given)) <= MOST_ANALYSIS_BYTES
