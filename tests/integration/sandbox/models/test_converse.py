"""Amazon Bedrock's Converse, driven by the real SDK and by Parley's model."""

from __future__ import annotations

import json
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from botocore.config import Config as BotoConfig
from botocore.exceptions import ClientError

from local.sandbox.accounts.bedrock import BedrockAnswer
from shared.ai import port as ai
from shared.ai.providers.bedrock import Bedrock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from local.sandbox import Sandbox

LIMITS = ai.Limits(most_tokens=600, within_ms=8_000)
ARN = "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.a-model-v1:0"
TOOL = ai.Tool("look_up", "Looks up an order.", {"type": "object", "properties": {}})
SCHEMA = ai.Schema("answer_v1", {"type": "object", "properties": {"content": {"type": "string"}}})
ASKED = ai.Message(ai.Role.USER, "Where is it?")
NOTICE = ai.Message(ai.Role.ASSISTANT, "A colleague will answer.")
BLANK = ai.Message(ai.Role.ASSISTANT, " \n")
TOOLS = {"tools": [{"toolSpec": {"name": "look_up", "inputSchema": {"json": {"type": "object"}}}}]}


def made(number: int, result: str = "on its way") -> ai.Exchange:
    return ai.Exchange(ai.ToolCall(f"call-{number}", TOOL.name, "{}"), result)


def use(identifier: str = "a", **change: object) -> dict[str, Any]:
    return {"toolUse": {"toolUseId": identifier, "name": "look_up", "input": {}} | change}


def result(identifier: str = "a", **change: object) -> dict[str, Any]:
    return {"toolResult": {"toolUseId": identifier, "content": [{"text": "ok"}]} | change}


def text(words: str = "Hello") -> dict[str, Any]:
    return {"text": words}


def client_of(sandbox: Sandbox, config: BotoConfig | None = None) -> Any:
    return boto3.client(
        "bedrock-runtime",
        endpoint_url=sandbox.url,
        region_name="us-east-1",
        config=config or BotoConfig(retries={"total_max_attempts": 1}),
    )


@pytest.fixture
def model(sandbox: Sandbox) -> Bedrock:
    return Bedrock(partial(client_of, sandbox), ARN)


def asked(model: Bedrock, history: Sequence[ai.Turn]) -> ai.Reply:
    return model.reply(ai.Request("Help.", history, limits=LIMITS, schema=SCHEMA, tools=[TOOL]))


@pytest.mark.parametrize("structure", ["format", "tool"])
@pytest.mark.long
def test_every_history_of_messages_notices_and_results_keeps_the_rules(
    model: Bedrock, sandbox: Sandbox, structure: Any
) -> None:
    model.structure = structure
    for kinds in (k for length in range(1, 5) for k in product("uane", repeat=length)):
        turns = {"u": ASKED, "a": NOTICE, "n": BLANK}
        history = [turns.get(kind) or made(at) for at, kind in enumerate(kinds)]

        assert json.loads(asked(model, history).text).keys() == {"content"}, kinds
        [sent] = sandbox.sent
        written = json.dumps(sent.body)
        assert written.count(ASKED.text) == kinds.count("u")
        assert written.count(NOTICE.text) == kinds.count("a")
        assert written.count('"toolResult"') == kinds.count("e")
        sandbox.forget_sent()


def test_a_result_without_text_is_a_result(model: Bedrock, sandbox: Sandbox) -> None:
    assert asked(model, [ASKED, made(1, "")]).stop is ai.Stop.END
    assert asked(model, [ASKED, made(1, " \n")]).stop is ai.Stop.END
    assert len(sandbox.sent) == 2


def test_a_staged_tool_call_and_its_result_are_two_requests(
    model: Bedrock, sandbox: Sandbox
) -> None:
    sandbox.bedrock.answers.append(BedrockAnswer(tool="look_up", arguments={"order": "A1"}))

    reply = asked(model, [ASKED])

    assert reply.stop is ai.Stop.TOOLS
    [call] = reply.tool_calls
    assert (call.name, json.loads(call.arguments)) == ("look_up", {"order": "A1"})
    assert asked(model, [ASKED, ai.Exchange(call, "Tomorrow.")]).stop is ai.Stop.END


def said(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "content": [*blocks]}


def answered(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": [*blocks]}


@pytest.mark.parametrize(
    ("messages", "rule"),
    [
        ([], "start with a user message"),
        ([answered(text())], "start with a user message"),
        ([said(text()), answered(text())], "end with a user message"),
        ([said(text())] * 3, "alternate"),
        ([said()], "content field is empty"),
        ([said(text(" "))], "is blank"),
        ([said(text()), answered(use()), said(text())], "Expected toolResult"),
        ([said(result())], "Expected toolResult"),
        ([said(text()), answered(use()), said(result("b"))], "Expected toolResult"),
        ([said(text()), answered(use()), said(result(), text())], "same turn"),
        ([said(text()), answered(text(), use()), said(result())], "same turn"),
        ([said(text()), answered(use()), said(result(content=[text("")]))], "is blank"),
        ([said(text()), answered(use(name="look up")), said(result())], "failed to satisfy"),
        ([said(text()), *[answered(use()), said(result())] * 2], "must be unique"),
    ],
)
def test_a_history_that_breaks_a_rule_is_refused(
    sandbox: Sandbox, messages: list[dict[str, Any]], rule: str
) -> None:
    with pytest.raises(ClientError) as refused:
        client_of(sandbox).converse(modelId=ARN, messages=messages, toolConfig=TOOLS)

    assert refused.value.response["Error"]["Code"] == "ValidationException"
    assert rule in refused.value.response["Error"]["Message"]
    assert not sandbox.sent


@pytest.mark.parametrize(
    ("status", "code", "repeat"),
    [
        (429, "ThrottlingException", ai.Repeat.LATER),
        (503, "ServiceUnavailableException", ai.Repeat.LATER),
        (424, "ModelErrorException", ai.Repeat.ONCE),
        (403, "AccessDeniedException", ai.Repeat.NEVER),
    ],
)
def test_a_fault_is_raised_under_its_name(
    model: Bedrock, sandbox: Sandbox, status: int, code: str, repeat: ai.Repeat
) -> None:
    sandbox.faults.add(kind="status", provider="bedrock", operation="Converse", status=status)

    with pytest.raises(ai.Unavailable) as failure:
        asked(model, [ASKED])

    assert (failure.value.code, failure.value.repeat) == (code, repeat)
