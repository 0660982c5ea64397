"""Files of dialogues are refused with place and rule; turns are compared with expectations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conversations.dialogues import report
from conversations.dialogues.__main__ import WRONG_USE, main
from conversations.dialogues.checks import failures
from conversations.dialogues.scenarios.format import Dialogue, Expected, ModelAnswer, Step
from conversations.dialogues.turn import Performance, Turn
from conversations.dialogues.world import Line

TURN = Turn(
    status="handoff_pending",
    reason="ai",
    lines=[
        Line("customer", "Who are you?"),
        Line("ai", "A draft about money", was_sent=False),
        Line("ai", "Ich bin für Sie da und es ist die Nachtschicht."),
    ],
    calls=["book_slot"],
    model_inputs=["Who are you?"],
)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("turns: [{says: Hi}]", "name: Field required"),
        ("{name: a, turns: []}", "turns: List should have at least 1 item"),
        ("{name: a, turns: [{expect: {replies: 1}}]}", "a turn has a message"),
        ("{name: a, turns: [{says: Hi, waits: 1h}]}", "a turn has a message"),
        ("{name: a, turns: [{says: Hi, after: soon}]}", "turns.0.after: Input should be a valid integer"),
        ("{name: a, turns: [{says: Hi, expect: {contain: x}}]}", "turns.0.expect.contain: Extra inputs"),
        ("{name: a, turns: [{says: Hi, quotes: 0}]}", "quotes counts from 1"),
        ("{name: a, turns: [{files: [{path: x.png, type: image/png}]}]}", "reactions are sent over whatsapp"),
        ("{name: a, turns: [{reacts: x}]}", "reactions are sent over whatsapp"),
        ("{name: a, channel: whatsapp, turns: [{says: Hi, reacts: x}]}", "a turn has a message"),
        ("{name: a, channel: whatsapp, turns: [{product: x, button: y}]}", "is asked about in says"),
        ("{name: a, channel: whatsapp, turns: [{files: [{path: x.png, type: image/png}]}]}", "x.png: no such file"),
        ("{name: a, turns: [{says: Hi, expect: {status: sent}}]}", "turns.0.expect.status: Input should be"),
        ("{name: a, turns: [{says: Hi, expect: {language: xx}}]}", "turns.0.expect.language: Value error, is"),
        ("{name: a, turns: [{says: Hi, expect: {judge: {question: Q, recorded: {passes: true}}}}]}", "recorded.reason"),
        ("{name: a, data: {day: 2026-01-01}, turns: [{says: Hi}]}", "data.day: input was not a valid JSON value"),
        ("{name: a, documents: [{title: T, text: x}], turns: [{says: Hi}]}", "a: documents: only `python"),
        ("{name: a, turns: [{says: Hi}]}\n---\n{name: a, turns: [{says: Hi}]}", "a: the name is used twice"),
        ("[unclosed", "no YAML"),
        ("", "no dialogue"),
        ("just text", "the dialogue: Input should be"),
    ],
)  # fmt: skip
def test_a_file_is_refused_with_place_and_rule(
    text: str, rule: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "d.yaml"
    path.write_text(text)

    assert main([str(path)]) == WRONG_USE

    shown = capsys.readouterr().err
    assert str(path) in shown
    assert rule in shown


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (["none.yaml"], "No such file"),
        (["lines.jsonl"], "line 1: no JSON"),
        (["good.yaml", "--only", "b"], "no dialogue has the name b"),
        (["good.yaml", "--model-url", "https://models.example"], "needs --model and OPENAI_API_KEY"),
    ],
)  # fmt: skip
def test_wrong_arguments_are_named(
    arguments: list[str],
    shown: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    Path("lines.jsonl").write_text("{")
    Path("good.yaml").write_text("{name: a, turns: [{says: Hi}]}")

    assert main(arguments) == WRONG_USE
    assert shown in capsys.readouterr().err


@pytest.mark.parametrize(
    ("expected", "broken"),
    [
        ({"contains": "nachtschicht", "lacks": "money", "language": "de"}, None),
        ({"contains_any": ["day", "Nacht"], "replies": 1, "hands_off": "ai"}, None),
        ({"calls": "book_slot", "model_calls": 1, "status": "handoff_pending"}, None),
        ({"contains": "money"}, 'the answer lacks "money"'),
        ({"contains_any": ["day", "noon"]}, 'the answer has none of "day", "noon"'),
        ({"lacks": "FÜR SIE"}, 'the answer contains "FÜR SIE"'),
        ({"language": "en"}, "the language is de instead of en"),
        ({"replies": 2}, "1 answers instead of 2"),
        ({"hands_off": False}, "the status is handoff_pending: handed off"),
        ({"hands_off": "asked_for_person"}, "handed off because of ai instead of asked_for_person"),
        ({"status": "reply_sent"}, "the status is handoff_pending instead of reply_sent"),
        ({"calls": []}, "called book_slot instead of nothing"),
        ({"calls_no": "book_slot"}, "called book_slot"),
        ({"model_calls": 0}, "1 calls of the model instead of 0"),
        ({"sends": True}, None),
        ({"sends": False}, "a message is sent"),
        ({"cites": "Price list"}, 'the answer does not cite "Price list"'),
    ],
)
def test_a_turn_is_compared_with_its_expectations(
    expected: dict[str, Any], broken: str | None
) -> None:
    assert failures(Expected(**expected), TURN) == ([broken] if broken else [])


def test_what_a_real_model_was_given_is_not_known_and_not_checked() -> None:
    turn = Turn(status="s", reason=None, lines=[], calls=[], model_inputs=None, unused_answers=1)

    assert failures(Expected(model_calls=3, model_reads=["x"]), turn) == []


def test_a_report_ends_with_the_last_broken_turn_and_shows_no_turn_of_a_good_dialogue() -> None:
    bad = Turn(status="s", reason="r", lines=[], calls=[], model_inputs=[], failures=["it broke"])
    good = Performance(name="good", channel="sms", opening=[], turns=[TURN])
    worse = Performance(name="bad", channel="sms", opening=[], turns=[TURN, bad, TURN])
    closed = Performance(name="shut", channel="sms", opening=[], turns=[], not_opened="it failed")

    assert report.as_text(good) == "ok      good"
    shown = report.as_text(worse)
    assert "(not sent): A draft about money" in shown
    assert shown.endswith("s (r)\n          - it broke")
    assert report.as_text(closed) == "FAILED  shut\n        - it failed"
    assert report.summary([good, worse, closed]) == "1 passed, 2 failed"


def test_an_answer_of_the_stand_in_may_be_a_text_and_a_time_may_have_a_unit() -> None:
    step = Step.model_validate({"says": "Hi", "after": "2d", "apart": 3, "answers": ["Hello"]})
    dialogue = Dialogue.model_validate({"name": "a", "turns": [{"waits": "4h"}]})

    assert (step.after, step.apart, dialogue.turns[0].waits) == (172_800, 3, 14_400)
    assert step.answers == [ModelAnswer(content="Hello")]
