"""The head of a thread stays small, however long its mails and the model's answers are."""

from __future__ import annotations

import json
from typing import Any

import pytest

from email_threads.configuration.requirements_schema import MOST_FIELDS
from shared.ai.spending import usage
from shared.ai.spending.bounds import Kind
from shared.aws.dynamodb import Table
from shared.aws.tables.dynamodb_json import plain
from tests.integration.email_threads import desk
from tests.simulation import stored
from tests.simulation.email_threads.system import COMPANY, MODEL, System

MAILS = 14  # more than the ten that the head keeps of anything
LETTER = "椅"  # three bytes
NAMES = [f"{'f' * 37}_{number:02}" for number in range(MOST_FIELDS)]
LISTS = NAMES[::2]
FIELDS = {
    "properties": {name: {"type": "array" if name in LISTS else "string"} for name in NAMES},
    "required": NAMES[::4],
}


def long_answer(number: int) -> dict[str, Any]:
    """An answer with long values of all fields, half of them without proof and with a question."""
    values = {name: [LETTER * 200] * 3 if name in LISTS else LETTER * 500 for name in NAMES}
    return desk.answer(
        LETTER * 3_000,
        requirements=values,
        evidence=[{"field": name, "n": number, "quote": "Hello"} for name in NAMES[:10]],
        missing=[
            {"field": name, "question": LETTER * 300, "blocking": True} for name in NAMES[10:]
        ],
        summary=LETTER * 2_000,
        intent=LETTER * 100,
        reason=LETTER * 200,
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


@pytest.mark.long
def test_after_more_long_mails_than_the_head_keeps_with_long_answers_the_head_is_within_its_bounds(
    system: System,
) -> None:
    desk.set_up(system, requirements_schema=FIELDS, ai={**MODEL, "max_output_tokens": 32_768})
    # Each of the long answers may cost more than a sender is worth in a day.
    table = Table(system.dynamodb, system.tables["spending"])
    usage.set_percents(table, COMPANY, {Kind.MAIL_ANALYSIS: 1_000}, by="a person")
    for number in range(1, MAILS + 1):
        desk.answers(system, long_answer(number))
        desk.receive(
            system,
            f"{number}-{'m' * 60}@x",
            "Hello. " + f"{LETTER * 70} " * 60,
            subject=LETTER * 300,
            in_reply_to=f"{number - 1}-{'m' * 60}@x" if number > 1 else "",
        )

    head = desk.thread(system)
    assert head["ai_analysis"]["analysed_n"] == MAILS
    assert desk.asked(system) == MAILS
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
