"""Scenarios that the playground makes are those that the API accepts."""

from __future__ import annotations

from typing import Any

from conversations.dialogues.scenarios.format import Dialogue
from tests.unit.console.typescript import run

MODULE = "operations/projects/scenarios.ts"


def said(*lines: tuple[str, str], hands_off: bool = False) -> Dialogue:
    value: dict[str, Any] = {
        "lines": [{"by": by, "text": text} for by, text in lines],
        "handsOff": hands_off,
    }
    call = "m.scenarioOf('sms', value.lines, value.handsOff, '2026-01-01')"
    return Dialogue.model_validate(run(MODULE, call, value))


def test_a_conversation_becomes_a_scenario_with_its_recorded_answers() -> None:
    made = said(
        ("customer", "Hi"), ("customer", "Tea?"), ("company", "Yes."), ("customer", "Thanks")
    )

    first, second = made.turns
    assert (made.name, first.says, second.says) == ("2026-01-01 Hi", ["Hi", "Tea?"], ["Thanks"])
    assert [one.content for one in first.answers] == ["Yes."]
    assert (first.expect.hands_off, second.expect.hands_off) == (None, False)


def test_a_hand_off_without_a_text_is_recorded_as_one() -> None:
    made = said(("customer", "A person please"), ("company", "\u2013"), hands_off=True)

    [turn] = made.turns
    assert (turn.answers[0].content, bool(turn.answers[0].hand_off)) == ("", True)
    assert turn.expect.hands_off is True


def test_a_text_has_a_scenario_in_each_line_or_names_the_first_wrong_one() -> None:
    found = run(MODULE, "value.map(m.scenariosIn)", ['{"a":1}\n\n{"b":2}', '{"a":1}\n[]', "{"])

    assert found == [[{"a": 1}, {"b": 2}], 2, 1]
