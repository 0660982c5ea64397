"""Sets of scenarios: the shipped ones, the bounds of a run, judges, and the import of promptfoo's format."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from conversations.dialogues.evaluation import Evaluation, is_bound_reached
from conversations.dialogues.rehearsal.rehearsal import NotPlayable
from conversations.dialogues.scenarios.files import parsed, read
from conversations.dialogues.scenarios.format import Dialogue
from conversations.dialogues.scenarios.promptfoo import converted
from conversations.dialogues.scenarios.settings import SettingsBroken
from operations.__main__ import main
from operations.ai.evaluation.cli import shipped
from shared.ai import port as ai
from shared.ai.evaluation.bounds import Bounds
from shared.ai.evaluation.judge import Judge
from shared.ai.texts.languages.certain_languages import certain_language
from shared.ai.texts.languages.function_words import language_of

if TYPE_CHECKING:
    from pathlib import Path

    from conversations.dialogues.evaluation import Outcome

SETS = shipped()
MANY = Bounds(calls=100, micros=10_000_000)


@pytest.mark.parametrize("path", SETS, ids=[path.stem for path in SETS])
def test_each_shipped_set_passes_and_each_of_its_bad_answers_is_caught(path: Path) -> None:
    evaluation = Evaluation(bounds=Bounds(0, 0))
    outcomes = [evaluation.run(one) for one in read(path)]

    assert [(one.name, one.failures) for one in outcomes if not one.is_passed] == []


def test_the_shipped_sets_cover_ten_industries_and_eight_languages() -> None:
    scenarios = [one.dialogue for path in SETS for one in read(path)]
    languages = Counter(
        certain_language(text) or language_of(text)
        for one in scenarios
        for step in one.turns
        for text in step.says
    )
    bad = sum(len(step.bad_answers) for one in scenarios for step in one.turns)

    assert len(SETS) >= 10
    assert len({one.name for one in scenarios}) == len(scenarios) >= 150
    assert len([found for found, n in languages.items() if found and n > 1]) >= 8, languages
    assert bad >= 150


# A run


@dataclass
class Scripted:
    """A model that gives these answers, each with the same usage."""

    answers: list[str]
    asked: list[ai.Request] = field(default_factory=list)
    name: str = "scripted"

    def reply(self, request: ai.Request) -> ai.Reply:
        self.asked.append(request)
        if not self.answers:
            raise ai.Unavailable("overloaded", ai.Repeat.NEVER)
        return ai.Reply(self.answers.pop(0), ai.Stop.END, ai.Usage(1_000, 100))


def scenario(name: str = "tea", **given: Any) -> dict[str, Any]:
    turn = {"says": "Is there tea?", "answers": ["Yes, we have tea."], **given}
    return {"name": name, "turns": [turn]}


def run(
    *scenarios: dict[str, Any], model: Scripted | None = None, bounds: Bounds = MANY, **more: Any
) -> list[Outcome]:
    evaluation = Evaluation(
        bounds=bounds,
        models=(lambda _config, _company: model) if model else None,
        judge=Judge(model) if model else None,
        **more,
    )
    return [
        evaluation.run(one) for one in parsed(enumerate_named(scenarios), "set", SETS[0].parent)
    ]


def enumerate_named(scenarios: tuple[dict[str, Any], ...]) -> list[tuple[str, Any]]:
    return [(f"line {number}", one) for number, one in enumerate(scenarios, 1)]


def output(content: str) -> str:
    return json.dumps({"content": content})


def judgement(*, passes: bool, confidence: float) -> str:
    return json.dumps({"reason": "It is polite.", "passes": passes, "confidence": confidence})


def test_a_bad_answer_that_nothing_catches_fails_the_scenario() -> None:
    [outcome] = run(scenario(bad_answers=["Yes.", "No."], expect={"contains": "yes"}))

    assert outcome.performance is not None
    assert outcome.performance.is_as_expected
    assert outcome.failures == ["turn 1: bad answer 1 is not caught"]


def test_a_version_is_tried_instead_of_the_scenarios_settings() -> None:
    model = Scripted([output("Yes, we have tea.")] * 2)
    written = scenario() | {"project": {"ai_config": {"prompts": {"reply": "Offer cake."}}}}
    settings = {"ai_config": _settings("Offer tea.")}

    run(written, model=model)
    run(written, model=model, settings=settings)

    assert ["Offer cake." in one.system for one in model.asked] == [True, False]
    assert "Offer tea." in model.asked[1].system


def _settings(prompt: str) -> dict[str, Any]:
    own = {"model": "gpt-5-mini", "api_key_reference": "k"}
    return {"provider": "openai", "openai_config": {"sms": own}, "prompts": {"reply": prompt}}


@pytest.mark.parametrize(
    ("bounds", "played"),
    [(Bounds(calls=2, micros=10_000_000), 2), (Bounds(calls=100, micros=100), 0)],
)
def test_a_run_ends_before_a_call_that_may_exceed_its_bounds(bounds: Bounds, played: int) -> None:
    model = Scripted([output("Yes, we have tea.")] * 5)

    outcomes = run(*(scenario(f"tea {n}") for n in range(3)), model=model, bounds=bounds)

    assert len(model.asked) == played
    assert [is_bound_reached(one) for one in outcomes] == [False] * played + [True] * (3 - played)
    assert bounds.used_micros <= bounds.micros
    assert sum(one.micros for one in outcomes) == bounds.used_micros


def test_a_model_that_does_not_answer_fails_the_scenario_and_not_the_run() -> None:
    [first, second] = run(scenario("a"), scenario("b"), model=Scripted([output("Yes, tea.")]))

    assert (first.is_passed, second.failures) == (True, ["not run: overloaded"])


@pytest.mark.parametrize(
    ("answer", "failure"),
    [
        (judgement(passes=True, confidence=0.9), None),
        (judgement(passes=False, confidence=0.9), "judged no (0.90): Is it polite?: It is polite."),
        (judgement(passes=True, confidence=0.3), "judged yes (0.30): Is it polite?: It is polite."),
    ],
)
def test_a_judge_gives_its_reason_and_a_yes_needs_confidence(
    answer: str, failure: str | None
) -> None:
    model = Scripted([output("Yes, we have tea."), "no JSON", answer])

    [outcome] = run(scenario(expect={"judge": "Is it polite?"}), model=model)

    assert outcome.failures == ([f"turn 1: {failure}"] if failure else [])
    assert "Yes, we have tea." in model.asked[1].texts[1]
    assert "Is it polite?" not in model.asked[1].system


def test_a_question_without_a_recorded_judgement_is_not_passed_without_a_model() -> None:
    [outcome] = run(scenario(expect={"judge": "Is it polite?"}))

    assert outcome.failures[0].startswith("turn 1: not judged")


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        ({"turns": [{"waits": "1h"}]}, NotPlayable, "tea: turns.0.waits: only"),
        ({"turns": [{"says": "Hi", "quotes": 1}]}, NotPlayable, "tea: turns.0.quotes: only"),
        (
            {"project": {"ai_config": {"promts": {}}}},
            SettingsBroken,
            "tea: project.ai_config.promts",
        ),
        ({"project": {"timezone": "Mars"}}, SettingsBroken, "tea: project.timezone"),
    ],
)
def test_a_scenario_that_cannot_be_played_is_refused_with_its_field(
    given: dict[str, Any], error: type[Exception], text: str
) -> None:
    [written] = parsed([("line 1", scenario() | given)], "set", SETS[0].parent)

    with pytest.raises(error, match=text):
        Evaluation(bounds=MANY).check(written)


# promptfoo


def test_tests_of_promptfoo_become_scenarios(tmp_path: Path) -> None:
    path = tmp_path / "promptfooconfig.yaml"
    path.write_text(
        """
prompts: ["Answer {{question}}"]
defaultTest: {vars: {plan: Basic}, assert: [{type: not-icontains, value: "as an AI"}]}
tests:
  - description: price
    vars: {question: "What does {{plan}} cost?", price: 9 EUR}
    assert:
      - {type: icontains-any, value: ["{{price}}", nine]}
      - {type: llm-rubric, value: "Names the plan {{plan}}"}
  - vars: {question: Hello}
""",
        encoding="utf-8",
    )

    first, second = converted(path)

    assert first["name"] == "1. price"
    assert first["data"] == {"plan": "Basic", "price": "9 EUR"}
    assert first["turns"][0]["expect"] == {
        "lacks": ["as an AI"],
        "contains_any": ["9 EUR", "nine"],
        "judge": ["Names the plan Basic"],
    }
    assert second["turns"][0]["says"] == "Hello"
    assert [Dialogue.model_validate(one).name for one in (first, second)] == [
        "1. price",
        "2. test 2",
    ]


@pytest.mark.parametrize(
    ("test", "rule"),
    [
        ({"vars": {"q": "Hi"}, "assert": [{"type": "javascript", "value": "x"}]}, "test 1: assert.0.type: 'javas"),
        ({"vars": {"q": "Hi"}, "assert": [{"type": "contains"}]}, "assert.0.value: must be a text"),
        ({"vars": {"q": ["Hi", "Ho"]}}, "vars.q: must be one value"),
        ({"vars": {"a": "Hi", "b": "Ho"}}, "must be the variable that the customer says"),
        ({"vars": {"q": "Hi"}, "assert": [{"type": "contains", "value": "{{x}}"}]}, "the variable x is not in vars"),
    ],
)  # fmt: skip
def test_a_test_of_promptfoo_that_cannot_be_converted_is_refused(
    test: dict[str, Any], rule: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "tests.jsonl"
    path.write_text(json.dumps(test), encoding="utf-8")

    assert main(["ai", "import", str(path)]) == 1
    assert rule in capsys.readouterr().err


# The command


def test_the_command_shows_two_versions_side_by_side_and_fails_with_one_of_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, version = tmp_path / "set.jsonl", tmp_path / "v2.json"
    prompt = {"ai_config": {"prompts": {"reply": "Tea costs £3."}}}
    asks = scenario(answers=["Tea costs £3."], expect={"contains": "£3"}) | {"project": prompt}
    path.write_text(json.dumps(asks), encoding="utf-8")
    version.write_text(json.dumps({"settings": {"ai_config": _settings("Tea costs £4.")}}))
    arguments = ["ai", "evaluate", "--set", str(path)]

    assert main(arguments) == 0
    assert main([*arguments, "--version", "scenarios", "--against", str(version)]) == 1

    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "scenarios: 1 passed, 0 failed"
    [row] = [line.split() for line in shown if line.endswith("  tea")][-1:]
    assert row == ["passed", "FAILED", "tea"]


@pytest.mark.parametrize(
    ("arguments", "text", "code"),
    [
        (["--set", "none.yaml"], "--set: none.yaml cannot be read", 1),
        (["--set", "shipped", "--only", "none"], "--only: no scenario has the name none", 1),
        (["--set", "shipped", "--version", "none.json"], "version: none.json cannot be read", 1),
        (["--set", "shipped", "--version", "a", "--against", "a"], "must be another version", 2),
        (
            ["--set", "shipped", "--model-url", "https://models.example"],
            "--model-url needs --model",
            2,
        ),
    ],
)
def test_wrong_arguments_of_the_command_are_named(
    arguments: list[str],
    text: str,
    code: int,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)

    assert main(["ai", "evaluate", *arguments]) == code
    assert text in capsys.readouterr().err
