"""Verdicts of the model on the statements of a section."""

from __future__ import annotations

import json
from typing import Any

import pytest

from newsletters.drafting.checks import claims
from newsletters.drafting.checks.claims import AnsweredVerdicts, Statement
from shared.ai.calls.model_calls import AnswerInvalid
from tests.unit.newsletters.drafting.samples import reference

FILLER = "The survey asked farmers in ten places about seeds and tools. " * 8
SOURCES = {
    "c01": reference("r1", f"{FILLER}Rain fell on 7 days in May. {FILLER}"),
    "c02": reference("r2", "Prices fell."),
}
STATEMENTS = [
    Statement("Rain fell on 9 days in May.", ("c01",)),
    Statement("Prices fell.", ("c01", "c02")),
]


def verdict(number: int, verdict: str = "supported", **changes: Any) -> dict[str, Any]:
    return {"number": number, "verdict": verdict, "claim": "", "ref": "c01", **changes}


def parsed(*verdicts: dict[str, Any]) -> AnsweredVerdicts:
    return claims.parsed(json.dumps({"verdicts": list(verdicts)}), STATEMENTS)


def test_a_claim_that_a_passage_does_not_have_is_marked_with_the_passage_beside_it() -> None:
    answer = parsed(verdict(1, "not_contained"), verdict(0, "contradicted", claim="9 days in May"))

    first, second = claims.warnings_of("main", answer, STATEMENTS, SOURCES)

    assert (first.code, first.section, first.text) == (
        "claim_contradicted",
        "main",
        "9 days in May",
    )
    assert first.reference == "r1"
    assert "7 days in May" in first.passage
    assert len(first.passage) <= claims.LONGEST_PASSAGE
    assert (second.code, second.text) == ("claim_not_contained", "Prices fell.")


def test_supported_claims_have_no_warning_and_a_missing_answer_has_one() -> None:
    assert claims.warnings_of("k", parsed(verdict(0), verdict(1)), STATEMENTS, SOURCES) == []
    (warning,) = claims.warnings_of("k", AnsweredVerdicts(verdicts=None), STATEMENTS, SOURCES)
    assert (warning.code, warning.section) == ("claims_unchecked", "k")


@pytest.mark.parametrize(
    "verdicts",
    [
        [verdict(0)],
        [verdict(0), verdict(0)],
        [verdict(0), verdict(1), verdict(2)],
        [verdict(0, ref="c02"), verdict(1)],
        [verdict(0, "true"), verdict(1)],
        [verdict(0), verdict(1, made_up=1)],
    ],
)
def test_each_statement_needs_one_verdict_with_a_source_of_its_own(
    verdicts: list[dict[str, Any]],
) -> None:
    with pytest.raises(AnswerInvalid):
        parsed(*verdicts)


def test_the_model_reads_only_the_cited_passages_as_data() -> None:
    prompt = claims.prompt("de", STATEMENTS[:1], SOURCES)

    content = json.loads(prompt.content)
    assert [one["label"] for one in content["passages"]] == ["c01"]
    assert content["statements"] == [
        {"number": 0, "text": "Rain fell on 9 days in May.", "refs": ["c01"]}
    ]
