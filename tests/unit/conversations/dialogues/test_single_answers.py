"""Scenarios of drafts by mail and of decisions on tickets: the shipped ones, and what finds a bad answer."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from conversations.dialogues.scenarios.files import documents_in
from email_threads.api.mailboxes.scenarios import MailAnswer
from operations.__main__ import main
from operations.ai.evaluation.cli import SINGLE
from operations.ai.evaluation.single_answers import ScenarioInvalid, parsed, played
from shared.ai import port as ai
from shared.ai.texts.languages.certain_languages import certain_language
from shared.ai.texts.languages.function_words import language_of
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
        (["--version", "no-such-file.json"], 1),
        (["--model-url", "https://models.example"], 2),
        (["--stack", "parley-prod"], 2),
        (["--only", "none"], 1),
    ],
)
def test_the_command_refuses_what_it_cannot_play(arguments: list[str], code: int) -> None:
    assert main(["ai", "evaluate", "--set", "shipped-mails", *arguments]) == code


class Scripted:
    """A model that gives these answers."""

    name = "scripted"

    def __init__(self, *answers: str) -> None:
        self.answers = [*answers]

    def reply(self, _: ai.Request) -> ai.Reply:
        return ai.Reply(self.answers.pop(0), ai.Stop.END, ai.Usage(500, 50))


def test_the_command_asks_a_model_and_a_judge_about_drafts_and_decisions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "set.jsonl"
    path.write_text(
        "\n".join(json.dumps(one | {"expect": {"judge": "Good?"}}) for one in (MAIL, TICKET))
    )
    written = MailAnswer(reply="A chair costs 40 EUR.", intent="price").as_output()
    opinion = json.dumps(
        {
            "schema_version": "rp_decision_v1",
            "language": "en",
            "risk_flags": [],
            "wants_human": False,
        }
        | TICKET["answer"]  # type: ignore[operator] # a dictionary
    )
    yes = '{"reason": "It is right.", "passes": true, "confidence": 0.9}'
    no = '{"reason": "It is rude.", "passes": false, "confidence": 0.9}'
    model = Scripted(written, yes, opinion, no)
    monkeypatch.setenv("OPENAI_API_KEY", "a key")
    monkeypatch.setattr("operations.ai.evaluation.models.OpenAI", lambda *_: model)

    address = ["--model-url", "https://models.example", "--model", "m", "--json"]
    code = main(["ai", "evaluate", "--set", str(path), *address])

    draft, decision = map(json.loads, capsys.readouterr().out.splitlines())
    assert (code, draft["is_passed"], decision["is_passed"]) == (1, True, False)
    assert draft["judged"][0]["reason"] == "It is right."
    assert decision["failures"] == ["judged no (0.90): Good?: It is rude."]
    assert (draft["calls"], decision["calls"], model.answers) == (2, 2, [])


def test_a_version_in_a_file_replaces_the_settings_of_the_scenarios(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, cheap, broken = (tmp_path / name for name in ("set.jsonl", "cheap.json", "broken.json"))
    path.write_text(json.dumps(MAIL | {"expect": {"hands_off": False}}))
    cheap.write_text(json.dumps({"number": 8, "settings": {"facts": ["A chair costs 30 EUR."]}}))
    broken.write_text(json.dumps({"facts": "none"}))
    command = ["ai", "evaluate", "--set", str(path)]

    assert main([*command, "--version", "scenarios", "--against", str(cheap)]) == 1
    assert "a person has to act: unknown_amount" in capsys.readouterr().out
    assert main([*command, "--version", str(broken)]) == 1
    assert "price: settings.facts" in capsys.readouterr().err
