"""Clear requests for a human agent in 30 languages, and messages that are none."""

from __future__ import annotations

from pathlib import Path

import pytest

from conversations.ai.checks.guardrails import without_quotations
from conversations.ai.phrases.person_requests import asks_for_a_person


@pytest.mark.parametrize(("listed", "is_request"), [("requests", True), ("no_requests", False)])
def test_a_clear_request_for_a_person_is_told_from_other_messages(
    listed: str, is_request: bool
) -> None:
    lines = (Path(__file__).parent / f"{listed}.txt").read_text("utf-8").splitlines()

    found = {line: asks_for_a_person(without_quotations(line)) for line in lines}

    assert [line for line, asks in found.items() if asks is not is_request] == []
