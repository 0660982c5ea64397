"""
Amazon Bedrock's Converse (`bedrock-runtime`).

Requests are checked by `rules.py`. The response is the next queued answer (`POST /_bedrock_answers`, see
`BedrockAnswer`), else its schema's script (`openai/schema_answers.py`), else a fixed text in the requested
format, independent of the prompt.
"""

from __future__ import annotations

import json
import math
import uuid
from typing import TYPE_CHECKING, Any

from local.sandbox.accounts.bedrock import BedrockAnswer, ToolUseSeed
from local.sandbox.providers.bedrock import file_rules, rules
from local.sandbox.providers.bedrock.invoke import invoke
from local.sandbox.providers.interface import Answer, Call, Endpoint, Provider, Refused, parse_json
from local.sandbox.providers.openai import schema_answers
from local.sandbox.providers.openai.api import CHARACTERS_A_TOKEN, REFUSAL
from local.sandbox.providers.openai.schema_answers import FIXED_TEXT, filled
from local.sandbox.responses import aws_error, json_response

if TYPE_CHECKING:
    from starlette.responses import Response

    from local.scripted_model.answer import ScriptedAnswer

_FAILURES = {
    403: "AccessDeniedException",
    404: "ResourceNotFoundException",
    408: "ModelTimeoutException",
    424: "ModelErrorException",
    429: "ThrottlingException",
    500: "InternalServerException",
    503: "ServiceUnavailableException",
}


def failure(status: int) -> Response:
    """Return the service's failure with this HTTP status."""
    otherwise = "InternalServerException" if status >= 500 else "ValidationException"  # noqa: PLR2004 - server errors
    return aws_error(_FAILURES.get(status, otherwise), "A fault of the sandbox", status)


async def converse(call: Call) -> Answer:
    """`POST /model/{id}/converse`: the model's next queued answer."""
    if not call.request.headers.get("authorization", "").startswith("AWS4-HMAC-SHA256 Credential="):
        raise Refused(aws_error("AccessDeniedException", "the request is not signed", 403))
    body = _checked(call)
    staged = call.sandbox.bedrock.answers
    answer = staged.popleft() if staged else _default(body)
    uses = answer.uses
    if answer.tool is not None:
        uses = [ToolUseSeed(tool=answer.tool, arguments=answer.arguments)]
    content = [_tool_use(use) for use in uses] or [{"text": answer.text}]
    tokens_in = _tokens(json.dumps([body.get("system"), file_rules.without_data(body["messages"])]))
    tokens_out = _tokens(json.dumps(content))
    response = {
        "output": {"message": {"role": "assistant", "content": content}},
        "stopReason": answer.stop or ("tool_use" if uses else "end_turn"),
        "usage": {
            "inputTokens": tokens_in,
            "outputTokens": tokens_out,
            "totalTokens": tokens_in + tokens_out + answer.cached_tokens,
            "cacheReadInputTokens": answer.cached_tokens,
            "cacheWriteInputTokens": 0,
        },
        "metrics": {"latencyMs": 1},
    }
    return Answer(json_response(response), body)


def _tool_use(use: ToolUseSeed) -> dict[str, Any]:
    call_id = f"tooluse_{uuid.uuid4().hex[:22]}"
    return {"toolUse": {"toolUseId": call_id, "name": use.tool, "input": use.arguments}}


def _checked(call: Call) -> dict[str, Any]:
    try:
        body = parse_json(call.raw)
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise Refused(aws_error("ValidationException", "The body is not a JSON object."))
    try:
        rules.check(body)
    except rules.BrokenRule as broken:
        raise Refused(aws_error("ValidationException", str(broken))) from None
    return body


def _default(body: dict[str, Any]) -> BedrockAnswer:
    if (tool := rules.answer_tool(body)) is not None:
        return _tool_call(tool, _named_answer(tool["name"], body))
    config = body.get("outputConfig")
    if config is None:
        return BedrockAnswer(text=FIXED_TEXT)
    named = config["textFormat"]["structure"]["jsonSchema"]
    answer = _named_answer(named["name"], body)
    if answer is None:
        return BedrockAnswer(text=json.dumps(filled(json.loads(named["schema"]))))
    return _refused() if answer.is_refused else BedrockAnswer(text=answer.text)


def _tool_call(tool: dict[str, Any], answer: ScriptedAnswer | None) -> BedrockAnswer:
    if answer is None:
        return BedrockAnswer(tool=tool["name"], arguments=filled(tool["inputSchema"]["json"]))
    if answer.is_refused:
        return _refused()
    if answer.is_cut:  # no JSON object, so no tool call
        return BedrockAnswer(text=answer.text, stop="malformed_tool_use")
    return BedrockAnswer(tool=tool["name"], arguments=answer.value)


def _refused() -> BedrockAnswer:
    return BedrockAnswer(text=REFUSAL, stop="content_filtered")


def _named_answer(schema_name: str, body: dict[str, Any]) -> ScriptedAnswer | None:
    contents = [m["content"] for m in body["messages"] if m["role"] == "user"]
    texts = ["".join(part.get("text", "") for part in content) for content in contents]
    try:
        return schema_answers.answer(schema_name, texts)
    except schema_answers.InputUnknown as error:
        raise Refused(aws_error("ValidationException", str(error))) from None


def _tokens(text: str) -> int:
    return math.ceil(len(text) / CHARACTERS_A_TOKEN)


PROVIDER = Provider(
    name="bedrock",
    # The id may be an ARN with slashes.
    endpoints=(
        Endpoint("POST", "/model/{model:path}/converse", ("Converse",), converse),
        Endpoint("POST", "/model/{model:path}/invoke", ("InvokeModel",), invoke),
    ),
    failure=failure,
)
