"""Customers who ask the same three times in other words reach a person; those who ask different questions do not."""

from __future__ import annotations

import json
from pathlib import Path

from conversations.ai.outcome import Cause
from conversations.ai.prompt.system_prompt import HistoryMessage
from conversations.ai.turn import escalation
from shared.ai import port as ai

HERE = Path(__file__).parent
LEAST_FOUND = 0.8  # with a model that denies each repetition, but says the same


def lines(name: str) -> list[list[str]]:
    return [json.loads(line) for line in (HERE / name).read_text("utf-8").splitlines()]


def cause(texts: list[str], *, asks_again: tuple[bool, bool] = (False, False)) -> Cause | None:
    """Return the cause of a hand-off at the third answer; *asks_again* are the fields of the last two."""
    *history, answer = texts
    said = {3: asks_again[0]}
    messages = [
        HistoryMessage(
            ai.Role.ASSISTANT if text.startswith(">") else ai.Role.USER,
            text.removeprefix(">"),
            asks_again=said.get(place, False),
        )
        for place, text in enumerate(history)
    ]
    return escalation.cause_of(messages, answer.removeprefix(">"), asks_again=asks_again[1])


def test_answers_that_say_the_same_show_most_repetitions_whatever_the_model_says() -> None:
    firm = [texts for _, kind, *texts in lines("again.jsonl") if kind == "firm"]

    found = [texts for texts in firm if cause(texts) is Cause.NO_PROGRESS]

    assert len(found) >= LEAST_FOUND * len(firm)


def test_the_field_of_the_model_shows_each_repetition() -> None:
    again = [texts for _, _, *texts in lines("again.jsonl")]

    missed = [texts for texts in again if not cause(texts, asks_again=(True, True))]

    assert not missed


def test_different_questions_are_no_repetition_and_one_field_alone_is_none() -> None:
    different = [texts for _, *texts in lines("different.jsonl")]

    wrong = [t for t in different if cause(t) or cause(t, asks_again=(False, True))]

    assert not wrong
