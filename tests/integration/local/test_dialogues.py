"""Dialogues are played with the real handlers; `tests/dialogues` has this repository's."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from conversations.dialogues.__main__ import AS_EXPECTED, NOT_AS_EXPECTED, WRONG_USE, main
from tests.template import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

FILES = sorted(str(path) for path in (ROOT / "tests" / "dialogues").glob("*.yaml"))
WRONG = {
    "name": "what goes wrong",
    "starts_at": "2026-03-02T20:00Z",
    "project": {"follow_ups": [{"after_hours": 2, "text": "Are you still there?"}]},
    "turns": [
        {
            "says": ["Hello", "Which shift is it?"],
            "apart": "20s",
            "answers": ["Hello to you.", "It is the night shift.", "Anything else?"],
            "expect": {
                "contains": "day shift",
                "replies": 1,
                "hands_off": True,
                "calls": "book_slot",
                "model_reads": "[image",
            },
        },
        {"waits": "4h", "expect": {"lacks": "still there"}},  # quiet hours
        {"waits": "9h", "expect": {"contains": "still there"}},
    ],
}
# Its first message is due during the next dialogue.
AT_NIGHT = {
    "name": "at night",
    "starts_at": "2026-03-01T23:00Z",
    "turns": [{"waits": "1h", "expect": {"status": "deferred"}}],
}


def test_all_dialogues_go_as_expected(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(FILES)

    shown = capsys.readouterr().out
    assert code == AS_EXPECTED, shown
    assert "FAILED" not in shown


def test_each_broken_expectation_is_shown_with_what_was_sent(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "wrong.jsonl"
    path.write_text(f"{json.dumps(AT_NIGHT)}\n{json.dumps(WRONG)}")

    code = main([str(path), "--json"])

    played = json.loads(capsys.readouterr().out.splitlines()[1])
    first, night, morning = played["turns"]
    assert code == NOT_AS_EXPECTED
    assert first["failures"] == [
        'the answer lacks "day shift"',
        "2 answers instead of 1",
        "the status is reply_sent: no hand-off",
        "called nothing instead of book_slot",
        'the model was not given "[image"',
        "the model was not asked for the last 1 of its answers",
    ]
    assert [line["author"] for line in first["lines"]] == ["customer", "ai", "customer", "ai"]
    assert night["failures"] == morning["failures"] == []


def test_an_invalid_project_is_refused_with_its_field(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "wrong.jsonl"
    path.write_text(json.dumps(WRONG | {"project": {"burst_wait": {"sms": {"complete": 99}}}}))

    assert main([str(path)]) == WRONG_USE
    assert "what goes wrong: project.burst_wait.sms.complete" in capsys.readouterr().err
