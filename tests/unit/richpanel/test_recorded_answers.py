"""Recorded answers of a model in the command of decisions."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.richpanel.decide_command import line, run


def model_answer(intent: str, **more: Any) -> dict[str, Any]:
    return {
        "schema_version": "rp_decision_v1",
        "language": "en",
        "intents": [{"intent": intent, "confidence": 0.95}],
        "risk_flags": [],
        "wants_human": False,
    } | more


def recorded(tmp_path: Path, *lines: object) -> tuple[str, ...]:
    file = tmp_path / "answers.jsonl"
    file.write_text("\n".join(json.dumps(each) for each in lines), "utf-8")
    return "--model-answers", str(file)


def test_recorded_answers_of_a_model_decide(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    arguments = recorded(tmp_path, {"id": 1, "answer": model_answer("return_request")})

    code, [got], err = run(monkeypatch, line(), arguments=arguments)

    assert (code, err, got["intent"], got["action"]) == (0, "", "return_request", "auto_reply")


def test_a_message_without_a_recorded_answer_is_decided_as_after_a_failure(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    arguments = (*recorded(tmp_path), "--explain")

    code, [got], _ = run(monkeypatch, line(), arguments=arguments)

    assert (code, got["intent"], got["reason"]) == (
        0,
        "order_status_tracking",
        "vendor_error_fail_closed",
    )
    assert "mw-model-failure" in got["tags"]


def test_a_recorded_answer_outside_the_schema_is_a_failure_and_is_reported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    answer = model_answer("return_request", team="sales")
    arguments = (*recorded(tmp_path, {"id": "1", "answer": answer}), "--explain")

    code, [got], err = run(monkeypatch, line(), arguments=arguments)

    assert (code, got["reason"]) == (1, "schema_invalid_fail_closed")
    assert err == "model answer of standard input, line 1: team: extra_forbidden\n"


@pytest.mark.parametrize(
    ("given", "rule"),
    [
        ([], "must be a JSON object"),
        ({"answer": {}}, "id: must be a string or an integer"),
        ({"id": "1"}, "answer: is required"),
    ],
)
def test_a_broken_line_of_recorded_answers_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, given: object, rule: str
) -> None:
    arguments = recorded(tmp_path, given)

    code, answers, err = run(monkeypatch, line(), arguments=arguments)

    assert (code, answers) == (2, [])
    assert err == f"{arguments[1]}, line 1: {rule}\n"
