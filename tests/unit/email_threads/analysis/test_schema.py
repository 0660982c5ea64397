"""The schema of a model's answer."""

from __future__ import annotations

import json
from typing import Any

import pytest

from email_threads.analysis.schema import Answer, answer_schema
from email_threads.configuration.requirements_schema import USUAL, RequirementsSchema
from local.sandbox.providers.bedrock import schema_rules
from shared.ai.calls.model_calls import AnswerInvalid
from shared.ai.port import decodable
from tests.unit.email_threads.analysis.answers import raw_answer

SECRET = "ann@orchard.example"


def problem_of(text: str) -> str:
    with pytest.raises(AnswerInvalid) as refused:
        Answer.parse(text)
    return str(refused.value)


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"reply": 7}, "reply: string_type"),
        ({"reply": SECRET * 600}, "reply: string_too_long"),
        ({"sentiment": {"label": SECRET, "score": 0}}, "sentiment.label: literal_error"),
        ({"sentiment": {"label": "neutral", "score": 2}}, "sentiment.score: less_than_equal"),
        ({"evidence": [{"field": "title", "n": "1", "quote": SECRET}]}, "evidence.0.n: int_type"),
        ({"missing": [{"field": "title", "question": "", "blocking": True}]}, "missing.0.question: string_too_short"),
        ({"missing": SECRET}, "missing: list_type"),
    ],
)  # fmt: skip
def test_a_refused_answer_is_described_by_field_and_rule(
    changed: dict[str, Any], problem: str
) -> None:
    assert problem_of(json.dumps(raw_answer() | changed)) == problem


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({SECRET: 1}, "?: extra_forbidden"),
        ({"sentiment": {"label": "neutral", "score": 0, SECRET: 1}}, "sentiment.?: extra_forbidden"),
        ({"requirements": {SECRET * 3: "x"}}, "requirements.?.?: string_too_long"),
    ],
)  # fmt: skip
def test_a_name_that_the_model_made_up_is_not_shown(changed: dict[str, Any], problem: str) -> None:
    assert problem_of(json.dumps(raw_answer() | changed)) == problem


@pytest.mark.parametrize("text", ["", "Sorry, " + SECRET, "[]", '{"reply": "' + SECRET])
def test_an_answer_that_is_no_object_is_described_without_its_text(text: str) -> None:
    problem = problem_of(text)

    assert problem.startswith("answer: ")
    assert SECRET not in problem


def test_a_missing_part_is_named() -> None:
    answer = raw_answer()
    del answer["analysis"]

    assert problem_of(json.dumps(answer)) == "analysis: missing"


@pytest.mark.parametrize("language", ["en", "pt-BR", "zh-Hant-TW"])
def test_languages_are_tags(language: str) -> None:
    assert Answer.parse(json.dumps(raw_answer(language=language))).analysis.language == language


@pytest.mark.parametrize("language", ["", "English", "en US", "en\n"])
def test_another_text_is_no_language(language: str) -> None:
    problem = problem_of(json.dumps(raw_answer(language=language)))

    assert problem == "analysis.language: string_pattern_mismatch"


@pytest.mark.parametrize(
    "fields",
    [
        USUAL,
        RequirementsSchema.model_validate(
            {
                "properties": {
                    "count": {"type": "integer"},
                    "price": {"type": "number"},
                    "urgent": {"type": "boolean"},
                    "names": {"type": "array", "items": {"type": "string"}},
                    "default": {"type": "string", "enum": ["a", "b"]},
                    "pattern": {"type": "string"},
                },
                "required": ["count", "default"],
            }
        ),
    ],
)
def test_the_schema_of_any_mailbox_is_accepted_by_the_strictest_provider(
    fields: RequirementsSchema,
) -> None:
    schema_rules.check(json.dumps(decodable(answer_schema(fields))))


def test_every_field_of_the_mailbox_is_required_and_may_be_null() -> None:
    schema = decodable(answer_schema(USUAL))["properties"]["requirements"]

    assert schema["required"] == list(USUAL.properties)
    assert schema["properties"]["deadline"] == {
        "anyOf": [{"type": "string"}, {"type": "null"}],
        "description": "when it must be done",
    }
