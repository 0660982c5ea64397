"""Calls to a model: attempts, pause, deadline, usage and the text that asks for another answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from shared.ai import port as ai
from shared.ai.calls.model_calls import (
    NO_ANSWER,
    SHORTEST_LEFT_MS,
    AnswerInvalid,
    AnswerTruncated,
    ModelCalls,
    as_received,
)
from shared.runtime import clock

NOW = 1_767_268_800_000
CALL_MS = 3_000
LIMITS = ai.Limits(most_tokens=100, within_ms=45_000)
QUESTION = ai.Message(ai.Role.USER, "Is it ready?")
REQUEST = ai.Request("Answer.", [QUESTION], LIMITS)
THROTTLED = ai.Unavailable("throttled")
BROKEN_ONCE = ai.Unavailable("broken", ai.Repeat.ONCE)
REFUSED = ai.Unavailable("key", ai.Repeat.NEVER)


@dataclass
class ScriptedModel:
    """A model that takes CALL_MS for each reply or failure of the script."""

    script: list[str | ai.Unavailable]
    name: str = "scripted"
    histories: list[list[Any]] = field(default_factory=list)
    limits: list[ai.Limits] = field(default_factory=list)
    now: int = NOW
    pauses: list[int] = field(default_factory=list)

    def reply(self, request: ai.Request) -> ai.Reply:
        """See `Model.reply`."""
        self.histories.append(list(request.history))
        self.limits.append(request.limits)
        self.now += CALL_MS
        entry = self.script.pop(0)
        if isinstance(entry, ai.Unavailable):
            raise ai.Unavailable(entry.code, entry.repeat)
        return ai.Reply(entry, ai.Stop.END, ai.Usage(10, 1))

    def pause(self, milliseconds: int) -> None:
        self.pauses.append(milliseconds)
        self.now += milliseconds


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    scripted = ScriptedModel([])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clock, "now_ms", lambda: scripted.now)
        patch.setattr(clock, "sleep_ms", scripted.pause)
        yield scripted


def patient(model: ScriptedModel, *script: str | ai.Unavailable, **more: Any) -> ModelCalls:
    """Calls that are repeated unless the failure lasts, after a pause of half a second."""
    model.script = list(script)
    given: dict[str, Any] = {
        "pause_ms": (500, 500),
        "may_repeat": lambda f: f.repeat is not ai.Repeat.NEVER,
    }
    return ModelCalls(model=model, **given | more)


def ask(calls: ModelCalls) -> str:
    return calls.ask(REQUEST, as_received).text


def test_a_failed_call_is_repeated_after_a_pause(model: ScriptedModel) -> None:
    calls = patient(model, THROTTLED, "Yes.")

    assert ask(calls) == "Yes."
    assert model.pauses == [500]
    assert model.histories == [[QUESTION], [QUESTION]]
    assert (calls.count, calls.ms, calls.usage) == (2, 2 * CALL_MS, ai.Usage(10, 1))


@pytest.mark.parametrize(
    ("script", "calls_made", "repeat"),
    [
        ([THROTTLED, THROTTLED], 2, ai.Repeat.LATER),
        ([BROKEN_ONCE, BROKEN_ONCE], 2, ai.Repeat.NEVER),
        ([REFUSED], 1, ai.Repeat.NEVER),
    ],
)
def test_the_last_failure_says_whether_a_later_call_may_work(
    model: ScriptedModel, script: list[ai.Unavailable], calls_made: int, repeat: ai.Repeat
) -> None:
    calls = patient(model, *script)

    with pytest.raises(ai.Unavailable) as failed:
        ask(calls)

    assert (calls.count, failed.value.repeat) == (calls_made, repeat)


def test_without_permission_no_failed_call_is_repeated(model: ScriptedModel) -> None:
    model.script = [BROKEN_ONCE]
    calls = ModelCalls(model=model)

    with pytest.raises(ai.Unavailable) as failed:
        ask(calls)

    assert (calls.count, failed.value.repeat) == (1, ai.Repeat.ONCE)


def test_no_call_lasts_beyond_the_deadline(model: ScriptedModel) -> None:
    calls = patient(model, THROTTLED, "Yes.", deadline_ms=NOW + 30_000)

    ask(calls)

    assert [limits.within_ms for limits in model.limits] == [30_000, 30_000 - CALL_MS - 500]


def test_no_call_starts_shortly_before_the_deadline(model: ScriptedModel) -> None:
    calls = patient(model, deadline_ms=NOW + SHORTEST_LEFT_MS - 1)

    with pytest.raises(ai.Unavailable, match="no_time_left"):
        ask(calls)

    assert (calls.count, model.histories) == (0, [])


def test_usage_is_that_of_all_questions(model: ScriptedModel) -> None:
    calls = patient(model, "Yes.", "No.")

    assert [ask(calls), ask(calls)] == ["Yes.", "No."]
    assert calls.usage == ai.Usage(20, 2)


@pytest.mark.parametrize("text", ["maybe", ""])
def test_an_invalid_answer_is_repeated_with_its_problems(model: ScriptedModel, text: str) -> None:
    calls = patient(model, text, "yes")

    assert calls.ask(REQUEST, word) == "yes"
    assert model.pauses == []
    assert model.histories[1] == [
        QUESTION,
        ai.Message(ai.Role.ASSISTANT, text or NO_ANSWER),
        ai.Message(
            ai.Role.USER, "Your answer breaks these rules:\n- one word\n- yes or no\nAnswer again."
        ),
    ]


def test_an_answer_that_is_invalid_twice_is_refused(model: ScriptedModel) -> None:
    calls = patient(model, "maybe", "perhaps", "yes")

    with pytest.raises(AnswerInvalid):
        calls.ask(REQUEST, word)

    assert calls.usage == ai.Usage(20, 2)


def test_a_truncated_answer_is_repeated_with_twice_the_tokens(model: ScriptedModel) -> None:
    calls = patient(model, "ye", "yes")

    assert calls.ask(REQUEST, complete) == "yes"
    assert [limits.most_tokens for limits in model.limits] == [100, 200]
    assert model.histories == [[QUESTION], [QUESTION]]


def test_each_call_may_be_refused_before_it_is_made(model: ScriptedModel) -> None:
    units = ["a unit"]
    calls = patient(model, "maybe", before_call=lambda: units.pop() and None)

    with pytest.raises(IndexError):
        calls.ask(REQUEST, word)

    assert (calls.count, len(model.histories)) == (1, 1)


def word(reply: ai.Reply) -> str:
    if reply.text not in {"yes", "no"}:
        raise AnswerInvalid("answer: word", ["one word", "yes or no"])
    return reply.text


def complete(reply: ai.Reply) -> str:
    if reply.text != "yes":
        raise AnswerTruncated
    return reply.text
