"""Answered outlines that break a rule are refused, with the rule in words for the model."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from newsletters.drafting.outlines.generation import parsed
from newsletters.drafting.plan import PlannedSection
from newsletters.drafting.prompts import labelled
from shared.ai.calls.model_calls import AnswerInvalid
from tests.cases import each
from tests.unit.newsletters.drafting.samples import chunk

PLAN = [
    PlannedSection("introduction", "Introduction", 1),
    PlannedSection("main", "Main Stories", 2),
    PlannedSection("updates", "Updates & News", 1),
]
PASSAGES = labelled([("main", chunk("chunk-1")), ("updates", chunk("chunk-2"))])
ITEM = {"title": "Rain", "description": "It fell.", "refs": ["c01"]}


def answer_with(**changes: Any) -> dict[str, Any]:
    """Return a valid answer with other fields in its main section."""
    return {
        "introduction": {"name": "Start", "items": [{"title": "Hello", "description": ""}]},
        "main": {"name": "Stories", "items": [ITEM], **changes},
        "updates": {"name": "News", "items": [{**ITEM, "refs": ["c02"]}]},
    }


def problems_of(answer: object) -> list[str]:
    text = answer if isinstance(answer, str) else json.dumps(answer)
    with pytest.raises(AnswerInvalid) as refused:
        parsed(text, PLAN, PASSAGES)
    return list(refused.value.problems)


def test_a_valid_answer_has_the_sections_of_the_plan() -> None:
    sections = parsed(json.dumps(answer_with()), PLAN, PASSAGES)

    assert list(sections) == ["introduction", "main", "updates"]
    assert sections["main"].items[0].refs == ["c01"]


def test_a_section_whose_items_stay_or_were_removed_needs_no_new_ones() -> None:
    plan = [replace(one, fewest=0) for one in PLAN]

    assert parsed(json.dumps(answer_with(items=[])), plan, PASSAGES)["main"].items == []


@each(
    ("changes", "problem"),
    [
        ({"name": " "}, "main: needs a name"),
        ({"name": ""}, "main.name: string_too_short"),
        ({"name": "\ud800"}, "main.name: string_unicode"),
        ({"items": []}, "main: at least 1 item"),
        ({"items": [ITEM] * 3}, "main: at most 2 items"),
        ({"items": [{**ITEM, "refs": []}]}, "main: item 1 needs a label in refs"),
        ({"items": [ITEM, {**ITEM, "refs": ["c02"]}]}, "main: item 2 has a label that is not of its section"),
        ({"items": [{**ITEM, "title": " "}]}, "main: item 1 needs a title"),
        ({"items": [{**ITEM, "title": "x" * 201}]}, "main.items.0.title: string_too_long"),
        ({"items": [{**ITEM, "made up": 1}]}, "main.items.0.?: extra_forbidden"),
        ({"made up": 1}, "main.?: extra_forbidden"),
    ],
)  # fmt: skip
def test_a_broken_rule_is_named(changes: dict[str, Any], problem: str) -> None:
    assert problems_of(answer_with(**changes)) == [problem]


@pytest.mark.parametrize("text", ["", "{", '{"main": ', "[" * 100_000])
def test_a_text_that_is_no_json_is_refused(text: str) -> None:
    assert problems_of(text) == ["the answer must be one JSON object"]


@pytest.mark.parametrize("answer", [[], {}, {"main": {}}, answer_with() | {"made up": {}}])
def test_other_sections_than_planned_are_refused(answer: object) -> None:
    assert problems_of(answer) == [
        "the answer must have exactly the sections introduction, main, updates"
    ]
