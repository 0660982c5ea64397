"""A kept result answers the same question about the same templates."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.template import kept as module
from tests.unit.template.kept import kept


def test_a_result_is_made_once_for_a_question_and_the_present_templates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter(["first", "of another question", "of other templates", "again"])

    def ask(question: str) -> str:
        return kept(question, lambda: next(answers), tmp_path)

    assert [ask("a"), ask("a"), ask("b"), ask("a")] == [
        "first",
        "first",
        "of another question",
        "first",
    ]
    monkeypatch.setattr(module, "_sources", lambda: "changed")
    assert [ask("a"), ask("a")] == ["of other templates"] * 2
    assert [one.name for one in tmp_path.iterdir()] == ["changed"]


def test_a_question_without_a_result_keeps_none(tmp_path: Path) -> None:
    def fail() -> str:
        raise AssertionError("SAM refuses the template")

    with pytest.raises(AssertionError):
        kept("a", fail, tmp_path)

    assert kept("a", lambda: "made", tmp_path) == "made"
