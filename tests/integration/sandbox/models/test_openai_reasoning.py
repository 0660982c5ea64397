"""OpenAI's reasoning models, driven by Parley's client: effort, budget, and reasoning between function calls."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from openai.types.responses.response_create_params import ResponseCreateParamsNonStreaming
from pydantic import TypeAdapter

from local.sandbox.accounts.openai import FunctionCallSeed, OpenAiAnswer
from shared.ai import port as ai
from shared.ai.providers.openai import Account, OpenAI, Reasoning

if TYPE_CHECKING:
    from collections.abc import Sequence

    from local.sandbox import Sandbox

LIMITS = ai.Limits(most_tokens=16, within_ms=8_000, temperature=None)
ASKED = ai.Message(ai.Role.USER, "Where is it?")
NOTICE = ai.Message(ai.Role.ASSISTANT, "A colleague will answer.")
TOOL = ai.Tool("look_up", "Looks up an order.", {"type": "object", "properties": {}})
SCHEMA = ai.Schema("answer_v1", {"type": "object", "properties": {"content": {"type": "string"}}})
_REQUEST: TypeAdapter[Any] = TypeAdapter(ResponseCreateParamsNonStreaming)


def with_types_of_the_sdk(body: Any) -> Any:
    """The request as the official SDK's types read it: unknown fields are missing, invalid values raise."""
    return _plain(_REQUEST.validate_python(body))


def _plain(value: Any) -> Any:
    if isinstance(value, str | int | float | None):
        return value
    if hasattr(value, "items"):
        return {name: _plain(entry) for name, entry in value.items()}
    return [_plain(entry) for entry in value]  # also pydantic's lazily checked iterables


@pytest.fixture
def account(sandbox: Sandbox) -> Account:
    secret: Any = SimpleNamespace(value=lambda: {"ai_api_key": "sk-made-up"})
    return Account(f"{sandbox.url}/v1", secret)


def asked(model: OpenAI, history: Sequence[ai.Turn], limits: ai.Limits = LIMITS) -> ai.Reply:
    return model.reply(ai.Request("Help.", history, limits=limits, schema=SCHEMA, tools=[TOOL]))


def look_up(sandbox: Sandbox, reasoning_tokens: int = 0) -> None:
    call = FunctionCallSeed(name="look_up")
    sandbox.openai.answers.append(
        OpenAiAnswer(text="One moment.", function_calls=[call], reasoning_tokens=reasoning_tokens)
    )


def requests(sandbox: Sandbox) -> list[Any]:
    return [sent.body for sent in sandbox.sent]


def test_reasoning_is_repeated_encrypted_with_the_result_of_its_call(
    account: Account, sandbox: Sandbox
) -> None:
    model = OpenAI(account, "a-model", Reasoning("low", 500))
    look_up(sandbox, reasoning_tokens=100)
    look_up(sandbox, reasoning_tokens=100)

    first = asked(model, [ASKED])
    exchanges = [ai.Exchange(first.tool_calls[0], "Not here.")]
    second = asked(model, [ASKED, *exchanges])
    exchanges.append(ai.Exchange(second.tool_calls[0], "At the post office."))

    assert asked(model, [ASKED, *exchanges]).stop is ai.Stop.END
    last = requests(sandbox)[-1]
    kinds = [item["type"] for item in last["input"]]
    assert kinds == [
        "message",
        *["reasoning", "message", "function_call", "function_call_output"] * 2,
    ]
    assert last["include"] == ["reasoning.encrypted_content"]
    assert last["reasoning"] == {"effort": "low"}


def test_reasoning_has_a_budget_beside_that_of_the_answer(
    account: Account, sandbox: Sandbox
) -> None:
    model = OpenAI(account, "a-model", Reasoning("high", 500))
    for used in (500, 600):
        sandbox.openai.answers.append(OpenAiAnswer(text="At the post.", reasoning_tokens=used))

    within = asked(model, [ASKED])
    above = asked(model, [ASKED])

    assert [body["max_output_tokens"] for body in requests(sandbox)] == [516, 516]
    assert within.stop is ai.Stop.END
    assert within.usage.tokens_out > 500
    assert above.stop is ai.Stop.LENGTH


def test_without_the_setting_nothing_about_reasoning_is_sent(
    account: Account, sandbox: Sandbox
) -> None:
    model = OpenAI(account, "a-model")
    look_up(sandbox, reasoning_tokens=4)
    limits = ai.Limits(most_tokens=600, within_ms=8_000, temperature=0.5)

    [call] = asked(model, [ASKED], limits).tool_calls
    asked(model, [ASKED, ai.Exchange(call, "Not here.")], limits)

    for body in requests(sandbox):
        assert not {"reasoning", "include"} & body.keys()
    kinds = [item["type"] for item in requests(sandbox)[-1]["input"]]
    assert kinds == ["message", "function_call", "function_call_output"]


def test_a_decided_call_of_an_earlier_turn_needs_no_reasoning(
    account: Account, sandbox: Sandbox
) -> None:
    model = OpenAI(account, "a-model", Reasoning("low", 500))

    decided = ai.Exchange(ai.ToolCall("decided-1", TOOL.name, "{}"), "approved")

    assert asked(model, [ASKED, NOTICE, decided]).stop is ai.Stop.END


@pytest.mark.parametrize("reasoning", [None, Reasoning("none", 0), Reasoning("max", 500)])
def test_every_request_follows_the_types_of_the_official_sdk(
    account: Account, sandbox: Sandbox, reasoning: Reasoning | None
) -> None:
    model = OpenAI(account, "a-model", reasoning)
    limits = LIMITS if reasoning else ai.Limits(most_tokens=600, within_ms=8_000, temperature=0.5)
    look_up(sandbox, reasoning_tokens=4)

    [call] = asked(model, [ASKED], limits).tool_calls
    asked(model, [ASKED, NOTICE, ASKED, ai.Exchange(call, "Not here.", is_error=True)], limits)
    model.reply(ai.Request("Help.", [ASKED], limits=limits))

    assert len(sandbox.sent) == 3
    for body in requests(sandbox):
        assert with_types_of_the_sdk(body | {"stream": False}) == body | {"stream": False}


def test_the_types_of_the_sdk_refuse_an_unknown_field_and_a_wrong_value() -> None:
    assert "efort" not in with_types_of_the_sdk({"model": "m", "input": "Hello", "efort": "low"})
    with pytest.raises(ValueError, match="effort"):
        with_types_of_the_sdk({"model": "m", "input": "Hello", "reasoning": {"effort": "much"}})


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"reasoning": {"effort": "much"}}, "openai_400_invalid_value"),
        ({"reasoning": {"effort": "low"}, "temperature": 0.5}, "openai_400_unsupported_parameter"),
        ({"include": ["everything"]}, "openai_400_invalid_value"),
        ({"input": [{"type": "reasoning", "id": "rs_1", "summary": []}]}, "openai_400"),
        (
            {"input": [{"type": "reasoning", "id": "rs_1", "summary": []}, {"role": "user", "content": "Hi"}]},
            "openai_404",
        ),
        (
            {
                "input": [
                    {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "forged"},
                    {"role": "user", "content": "Hi"},
                ]
            },
            "openai_400_invalid_encrypted_content",
        ),
    ],
)  # fmt: skip
def test_the_sandbox_refuses_requests_against_the_rules_of_reasoning(
    account: Account, change: dict[str, Any], code: str
) -> None:
    with pytest.raises(ai.Unavailable) as refused:
        account.post("responses", {"model": "m", "input": "Hi"} | change, within_ms=5_000)

    assert refused.value.code == code
