"""Scenarios of drafts by mail and of decisions on tickets: the shipped ones, and what finds a bad answer."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from conversations.dialogues.scenarios.files import documents_in
from operations.__main__ import main
from operations.ai.evaluation.cli import SINGLE
from operations.ai.evaluation.single_answers import ScenarioInvalid, parsed, played
from shared.ai.languages.certain_languages import certain_language
from shared.ai.languages.function_words import language_of
from tests.cases import each

if TYPE_CHECKING:
    from pathlib import Path

SETS = sorted(SINGLE.glob("*.yaml"))
MAIL = {
    "kind": "mail",
    "name": "price",
    "mailbox": {"facts": ["A chair costs 40 EUR."]},
    "mails": [{"text": "What does a chair cost?"}],
    "answer": {"reply": "A chair costs 40 EUR.", "intent": "price"},
    "expect": {},
}
TICKET = {
    "kind": "ticket",
    "name": "return",
    "text": "I would like to return the shirt that I bought.",
    "context": {"now": "2026-01-05T12:00:00Z"},
    "answer": {"intents": [{"intent": "return_request", "confidence": 0.95}]},
    "expect": {},
}
WRONG_INTENT = {"intents": [{"intent": "pre_purchase_question", "confidence": 0.95}]}


def result(scenario: dict[str, Any], **changes: Any) -> list[str]:
    [one] = parsed([("line 1", scenario | changes)], "set")
    return list(played(one).failures)


@pytest.mark.parametrize("path", SETS, ids=[path.stem for path in SETS])
def test_each_shipped_scenario_passes_and_each_bad_answer_is_caught(path: Path) -> None:
    scenarios = parsed(documents_in(path), path)

    assert {one.name: list(played(one).failures) for one in scenarios} == {
        one.name: [] for one in scenarios
    }
    assert len(scenarios) >= 20
    assert sum(len(one.bad_answers) for one in scenarios) >= 20


def test_the_shipped_drafts_are_in_five_languages() -> None:
    made = [played(one).said for one in parsed(documents_in(SINGLE / "mails.yaml"), "mails")]
    found = {certain_language(text) or language_of(text) for text in made if text}

    assert {"en", "de", "es", "fr", "it"} <= found


@each(
    "scenario, expected, failure",
    [
        (MAIL, {"contains": "50 EUR"}, 'the answer lacks "50 EUR"'),
        (MAIL, {"contains_any": ["50", "60"]}, 'the answer has none of "50", "60"'),
        (MAIL, {"lacks": "40 eur"}, 'the answer contains "40 eur"'),
        (MAIL, {"language": "de"}, "the language is unclear instead of de"),
        (MAIL, {"hands_off": True}, "no hand-off"),
        (MAIL, {"intent": "order"}, "the intent is price instead of order"),
        (TICKET, {"decision": "escalate"}, "the decision is auto_reply instead of escalate"),
        (TICKET, {"team": "Sales Team"}, "the team is Returns Admin instead of Sales Team"),
        (TICKET, {"tags": "made-up"}, "tags lacks made-up"),
        (TICKET, {"hands_off": "tier0_always_handoff"}, "no hand-off"),
    ],
)
def test_a_broken_expectation_is_named(
    scenario: dict[str, Any], expected: dict[str, Any], failure: str
) -> None:
    assert result(scenario, expect=expected) == [failure]


@each(
    "bad",
    [
        {"reply": "A chair costs 45 EUR."},
        {"reply": "See https://evil.example."},
        {"reply": "Yes.", "confidence": 0.1},
        {"reply": None},
        {"reply": "Yes.", "urgency": "unknown"},
    ],
)
def test_what_the_checks_of_drafts_leave_to_a_person_is_a_caught_answer(
    bad: dict[str, Any],
) -> None:
    assert result(MAIL, bad_answers=[bad]) == []


def test_a_bad_answer_that_nothing_finds_fails_its_scenario() -> None:
    answer = {"reply": "Chairs are cheap."}

    assert result(MAIL, bad_answers=[answer]) == ["bad answer 1 is not caught"]
    assert result(TICKET, bad_answers=[WRONG_INTENT]) == ["bad answer 1 is not caught"]
    assert result(TICKET, bad_answers=[WRONG_INTENT], expect={"intent": "return_request"}) == []


@each(
    "changes, rule",
    [
        ({"kind": "letter"}, "letter"),
        ({"expect": {"unknown": 1}}, "expect.unknown"),
        ({"mails": []}, "mails"),
        ({"mailbox": {"facts": "none"}}, "mailbox.facts"),
        ({"answer": {"intent": "price"}}, "answer.reply"),
    ],
)
def test_a_wrong_scenario_is_refused_with_its_name_and_place(
    changes: dict[str, Any], rule: str
) -> None:
    with pytest.raises(ScenarioInvalid) as refusal:
        result(MAIL, **changes)

    assert "price" in str(refusal.value)
    assert rule in str(refusal.value)


def test_facts_of_a_ticket_that_the_help_desk_cannot_read_are_refused() -> None:
    with pytest.raises(ScenarioInvalid, match=r"return: context\.timezone"):
        result(TICKET, context={"timezone": "Mars/Base"})


def test_a_name_is_used_once() -> None:
    with pytest.raises(ScenarioInvalid, match="the name is used twice"):
        parsed([("line 1", MAIL), ("line 2", MAIL)], "set")


def test_the_command_plays_both_kinds_and_its_exit_code_says_whether_all_passed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    good.write_text("\n".join(json.dumps(one) for one in (MAIL, TICKET)))
    bad.write_text(json.dumps(MAIL | {"expect": {"contains": "50 EUR"}}))

    assert main(["ai", "evaluate", "--set", str(good)]) == 0
    assert "2 passed, 0 failed" in capsys.readouterr().out
    assert main(["ai", "evaluate", "--set", str(good), "--set", str(bad)]) == 1
    assert 'lacks "50 EUR"' in capsys.readouterr().out
    assert main(["ai", "evaluate", "--set", str(good), "--only", "price", "--json"]) == 0
    [line] = capsys.readouterr().out.splitlines()
    assert json.loads(line)["is_passed"] is True


@each(
    "arguments, code",
    [
        (["--version", "8"], 2),
        (["--model-url", "https://models.example", "--model", "m"], 2),
        (["--only", "none"], 1),
    ],
)
def test_the_command_refuses_what_it_cannot_play(arguments: list[str], code: int) -> None:
    assert main(["ai", "evaluate", "--set", "shipped-mails", *arguments]) == code
