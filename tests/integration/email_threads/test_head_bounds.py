"""The head of a thread stays small, however long its mails and the model's answers are."""

from __future__ import annotations

import json
from typing import Any

import pytest

from email_threads.configuration.requirements_schema import MOST_FIELDS
from shared.aws.dynamodb_json import plain
from tests.integration.email_threads import desk
from tests.simulation import stored
from tests.simulation.email_threads.system import System

MAILS = 30
FIELDS = {
    "properties": {
        f"{'f' * 37}_{number:02}": {"type": "array" if number % 2 else "string"}
        for number in range(MOST_FIELDS)
    },
    "required": [f"{'f' * 37}_{number:02}" for number in range(0, MOST_FIELDS, 4)],
}


def long_answer(number: int, letter: str) -> dict[str, Any]:
    """An answer with as much as the schema permits about every second field, and a question about every other one."""
    names = list(FIELDS["properties"])
    text = letter * 500
    values = {
        name: text if FIELDS["properties"][name]["type"] == "string" else [letter * 200] * 20
        for name in names
    }
    return desk.answer(
        letter * 5_000,
        requirements=values,
        evidence=[{"field": name, "n": number, "quote": "Hello"} for name in names[:10]],
        missing=[
            {"field": name, "question": letter * 300, "blocking": True} for name in names[10:]
        ],
        summary=letter * 2_000,
        intent=letter * 100,
        reason=letter * 200,
    )


def size_of_item(item: dict[str, Any]) -> int:
    """The size by DynamoDB's rules, about: names and values in UTF-8, 3 bytes for a list or map, 1 for each element."""

    def size(value: dict[str, Any]) -> int:
        ((kind, content),) = value.items()
        match kind:
            case "S" | "N":
                return len(content.encode())
            case "SS":
                return sum(len(one.encode()) for one in content)
            case "L":
                return 3 + sum(1 + size(one) for one in content)
            case "M":
                return 3 + sum(1 + len(name.encode()) + size(one) for name, one in content.items())
            case _:
                return 1

    return sum(len(name.encode()) + size(value) for name, value in item.items())


@pytest.mark.parametrize("letter", ["x", "椅"])
def test_after_thirty_long_mails_with_long_answers_the_head_is_within_its_bounds(
    system: System, letter: str
) -> None:
    desk.set_up(system, requirements_schema=FIELDS, ai={**desk.MODEL, "max_output_tokens": 32_768})
    for number in range(1, MAILS + 1):
        desk.answers(system, long_answer(number, letter))
        desk.receive(
            system,
            f"{number}-{'m' * 60}@x",
            "Hello. " + f"{letter * 70} " * 60,
            subject=letter * 300,
            in_reply_to=f"{number - 1}-{'m' * 60}@x" if number > 1 else "",
        )

    head = desk.thread(system)
    assert head["ai_analysis"]["analysed_n"] == MAILS
    sizes = {
        name: len(json.dumps(plain(head[name]), ensure_ascii=False).encode())
        for name in ("requirements", "ai_analysis")
    }
    (item,) = (one for one in stored.items_of(system.table) if "status" in one)
    assert sizes["requirements"] <= 4_096
    assert sizes["ai_analysis"] <= 2_048
    assert len(head["sentiment_scores"]) == 10
    assert size_of_item(item) <= 16_384
    assert [one["draft_status"] for one in system.drafts()].count("pending") == 1
