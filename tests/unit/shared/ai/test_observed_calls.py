"""Calls of models in logs and traces: OpenTelemetry's names for generative AI, and no content."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from typing import Any

import pytest

from shared.ai import port as ai
from shared.ai.calls.observed import ObservedModel
from shared.runtime import clock, tracing
from shared.runtime.observability import logger
from tests.unit.shared.runtime.test_traces import SENT, Segments, segments

__all__ = ["segments"]  # a fixture
CONTENT = "canary-words"
CLAUDE = "bedrock:anthropic.claude-sonnet-20241022-v2:0"


@dataclass
class Scripted:
    """A model that takes half a second."""

    outcome: ai.Reply | Exception
    name: str = CLAUDE
    now_ms: int = 1_000

    def reply(self, request: ai.Request) -> ai.Reply:
        del request
        self.now_ms += 500
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


def request(schema: ai.Schema | None = None) -> ai.Request:
    return ai.Request(
        system=CONTENT,
        history=[ai.Message(ai.Role.USER, CONTENT)],
        limits=ai.Limits(most_tokens=700, within_ms=9_000, temperature=0.2),
        schema=schema,
    )


def reply(stop: ai.Stop = ai.Stop.END) -> ai.Reply:
    calls = (ai.ToolCall("1", "book", CONTENT),)
    return ai.Reply(CONTENT, stop, ai.Usage(1_200, 80, 900), calls)


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """The log of the test."""
    stream = io.StringIO()
    monkeypatch.setattr(logger.registered_handler, "stream", stream)
    return stream


def called(model: Scripted, monkeypatch: pytest.MonkeyPatch, **given: Any) -> None:
    monkeypatch.setattr(clock, "now_ms", lambda: model.now_ms)
    ObservedModel(model).reply(request(**given))


def only(lines: io.StringIO) -> dict[str, Any]:
    """The facts of the only line about a model."""
    (line,) = lines.getvalue().splitlines()
    found: dict[str, Any] = json.loads(line)
    assert found["message"] == "model called"
    return {name: v for name, v in found.items() if name.startswith(("gen_ai.", "error."))}


ANSWERED = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "aws.bedrock",
    "gen_ai.request.model": "anthropic.claude-sonnet-20241022-v2:0",
    "gen_ai.request.max_tokens": 700,
    "gen_ai.request.temperature": 0.2,
    "gen_ai.output.type": "text",
    "gen_ai.response.finish_reasons": ["stop"],
    "gen_ai.usage.input_tokens": 1_200,
    "gen_ai.usage.output_tokens": 80,
    "gen_ai.usage.cache_read.input_tokens": 900,
    "gen_ai.client.operation.duration": 0.5,
}


def test_an_answered_call_is_one_line_with_the_names_of_the_conventions_and_no_content(
    lines: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    called(Scripted(reply()), monkeypatch)

    assert CONTENT not in lines.getvalue()
    assert only(lines) == ANSWERED


@pytest.mark.parametrize(
    ("stop", "reason"),
    [
        (ai.Stop.TOOLS, "tool_call"), (ai.Stop.LENGTH, "length"), (ai.Stop.REFUSED, "content_filter"),
        (ai.Stop.MALFORMED, "error"), (ai.Stop.OTHER, "error"),
    ],
)  # fmt: skip
def test_each_stop_has_a_reason_of_the_conventions(
    lines: io.StringIO, monkeypatch: pytest.MonkeyPatch, stop: ai.Stop, reason: str
) -> None:
    model = Scripted(reply(stop), name="openai:gpt-5-mini")
    called(model, monkeypatch, schema=ai.Schema("answer", {"type": "object"}))

    found = only(lines)
    assert found["gen_ai.response.finish_reasons"] == [reason]
    assert (found["gen_ai.provider.name"], found["gen_ai.request.model"]) == (
        "openai",
        "gpt-5-mini",
    )
    assert found["gen_ai.output.type"] == "json"


@pytest.mark.parametrize(
    ("failure", "kind"),
    [
        (ai.Unavailable("insufficient_quota"), "insufficient_quota"),
        (ValueError(CONTENT), "ValueError"),
    ],
)
def test_a_call_without_an_answer_has_the_code_of_its_failure_and_no_tokens(
    lines: io.StringIO, monkeypatch: pytest.MonkeyPatch, failure: Exception, kind: str
) -> None:
    with pytest.raises(type(failure)):
        called(Scripted(failure), monkeypatch)

    found = only(lines)
    assert found["error.type"] == kind
    assert not any("usage" in name or "response" in name for name in found)
    assert CONTENT not in lines.getvalue()


def test_a_call_is_a_step_of_the_trace_with_the_same_names(
    segments: Segments,
    lines: io.StringIO,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with tracing.record(SENT):
        called(Scripted(reply()), monkeypatch)

    step = segments[0]
    assert step["name"] == "chat anthropic.claude-sonnet-20241022-v2:0"
    assert step["metadata"]["default"] == only(lines) == ANSWERED
    assert CONTENT not in json.dumps(segments)
