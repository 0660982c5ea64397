"""Scenarios that the playground makes are those that the API accepts."""

from __future__ import annotations

import json
from typing import Any

from conversations.dialogues.scenarios.format import Dialogue
from operations.ai.evaluation import single_answers
from tests.unit.console.typescript import run

MODULE = "operations/versions/scenarios.ts"


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


MAIL = {
    "subject": "Chairs",
    "text": "What does a chair cost?",
    "answer": json.dumps(
        {
            "reply": "A chair costs $40.",
            "requirements": {},
            "evidence": [],
            "missing": [],
            "analysis": {
                "summary": "Chairs.",
                "intent": "price",
                "language": "en",
                "urgency": "low",
                "needs_human": False,
                "reason": None,
                "confidence": 0.9,
            },
            "sentiment": {"label": "neutral", "score": 0},
        }
    ),
    "waits": None,
    "intent": "price",
    "at": "2026-01-01",
}
TICKET = {
    "subject": "",
    "text": "I would like to return the shirt that I bought.",
    "channel": "email",
    "answer": json.dumps(
        {
            "schema_version": "rp_decision_v1",
            "language": "en",
            "intents": [{"intent": "return_request", "confidence": 0.95}],
            "risk_flags": [],
            "wants_human": False,
        }
    ),
    "intent": "return_request",
    "team": "Returns Admin",
    "reply": "Thank you.",
    "at": "2026-01-05T12:00:00Z",
}


def played_again(call: str, facts: dict[str, Any], **version: Any) -> list[str]:
    """The scenario that a playground keeps, played with its recorded answer and the settings of a version."""
    [scenario] = single_answers.parsed([("line 1", run(MODULE, call, facts) | version)], "set")
    return list(single_answers.played(scenario).failures)


def test_a_tried_mail_becomes_a_scenario_that_passes_with_the_answer_of_the_model() -> None:
    call, mailbox = "m.scenarioOfMail(value)", {"facts": ["A chair costs $40."]}

    assert played_again(call, MAIL, mailbox=mailbox) == []
    assert played_again(call, MAIL | {"intent": "order"}, mailbox=mailbox) != []
    assert played_again(call, MAIL) == ["a person has to act: unknown_amount"]


def test_a_tried_ticket_becomes_a_scenario_that_passes_with_the_answer_of_the_model() -> None:
    assert played_again("m.scenarioOfTicket(value)", TICKET) == []
    assert played_again("m.scenarioOfTicket(value)", TICKET | {"answer": None}) == []
    assert played_again("m.scenarioOfTicket(value)", TICKET | {"reply": None}) != []
