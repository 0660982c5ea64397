"""Lines for the command of decisions, and its answers."""

import io
import json
import sys
from typing import Any

import pytest

from richpanel.decisions.command.__main__ import main

WHERE = "Hello, could you please tell me where my order #1234 is?"


def line(text: str = WHERE, channel: str = "email", **context: Any) -> dict[str, Any]:
    context = {"created_at": "2026-03-05T15:00:00Z", **context}
    return {"id": "1", "text": text, "channel": channel, "context": context}


def run(
    monkeypatch: pytest.MonkeyPatch, *lines: object, arguments: tuple[str, ...] = ()
) -> tuple[int, list[dict[str, Any]], str]:
    """Exit code, answers, standard error. A line that is no bytes is written as JSON."""
    given = b"\n".join(
        each if isinstance(each, bytes) else json.dumps(each).encode() for each in lines
    )
    out, err = io.StringIO(), io.StringIO()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    code = main(arguments)
    return code, [json.loads(each) for each in out.getvalue().splitlines()], err.getvalue()


def answer(monkeypatch: pytest.MonkeyPatch, given: dict[str, Any]) -> dict[str, Any]:
    code, answers, err = run(monkeypatch, given)
    assert (code, err) == (0, "")
    return answers[0]
