"""The calls in a model's history: unique ids and valid names, which every provider requires."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from conversations.ai.config import AiConfig
from conversations.ai.functions import Call, Result
from conversations.ai.prompt.system_prompt import Facts, HistoryMessage
from conversations.ai.turn import dialogue
from conversations.ai.turn.task import Task
from shared.ai import port as ai
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Sequence

EVERY_FIELD = {"subject": None, "variables": None, "function_call": None, "hand_off": None}


class Answering:
    """A model that gives these outputs in order and records the histories of its calls."""

    name = "answering"

    def __init__(self, *outputs: dict[str, Any]) -> None:
        self.outputs = list(outputs)
        self.histories: list[list[ai.Turn]] = []

    def reply(self, request: ai.Request) -> ai.Reply:
        self.histories.append(list(request.history))
        fields = {"content": ""} | EVERY_FIELD | self.outputs.pop(0)
        fields = {name: fields[name] for name in fields if name not in {"subject", "variables"}}
        return ai.Reply(json.dumps(fields), ai.Stop.END)


def decided(call_id: str) -> ai.Exchange:
    return ai.Exchange(ai.ToolCall(call_id, "book", "{}"), "booked")


def task(*exchanges: ai.Exchange) -> Task:
    function = {"name": "book", "description": "Books.", "target": "https://example.com/book"}
    return Task(
        kind="reply",
        channel="whatsapp",
        config=AiConfig.model_validate_json(
            json.dumps({"provider": "scripted", "functions": [function]})
        ),
        facts=Facts(company_name="Acme", project_name="Jobs", language="en", local_date="today"),
        history=[HistoryMessage(ai.Role.USER, "Please book it.")],
        longest=1_000,
        decided=exchanges,
        deadline_ms=clock.now_ms() + 100_000,
    )


def executed(_: Call) -> Result:
    return Result("done")


def calls_of(history: Sequence[ai.Turn]) -> list[ai.ToolCall]:
    return [turn.call for turn in history if isinstance(turn, ai.Exchange)]


def test_decided_calls_of_earlier_turns_and_new_ones_have_different_ids() -> None:
    model: Any = Answering(
        {"function_call": {"name": "book", "arguments": '{"at": 1}'}},
        {"content": "It is booked."},
    )

    dialogue.answer(model, task(decided("call-1"), decided("call-1")), executed)

    ids = [call.call_id for call in calls_of(model.histories[-1])]
    assert len(ids) == len(set(ids)) == 3


def test_a_call_with_an_invalid_name_is_answered_under_a_valid_one() -> None:
    model: Any = Answering(
        {"function_call": {"name": "functions.book now", "arguments": "{}"}},
        {"content": "I will ask a colleague."},
    )

    dialogue.answer(model, task(), executed)

    [call] = calls_of(model.histories[-1])
    assert call.name == "functions_book_now"
