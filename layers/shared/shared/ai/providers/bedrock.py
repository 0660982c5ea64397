"""
Amazon Bedrock's Converse API: one call, answered in the structure of a schema or with a tool call.

Structured output is `outputConfig.textFormat` (Bedrock API reference, "OutputConfig"), which only some models support;
others answer with a ValidationException, raised as Unavailable. For those the schema is passed as one more tool that
the model can choose: see `Structure`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Literal

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, ConnectionError, HTTPClientError  # noqa: A004 - SDK name

from shared.ai.attachments import Medium
from shared.ai.port import (
    Exchange,
    Message,
    Repeat,
    Reply,
    Request,
    Role,
    Schema,
    Stop,
    Tool,
    ToolCall,
    Turn,
    Unavailable,
    Usage,
    alternating,
    decodable,
)
from shared.runtime import clock
from shared.runtime.json_objects import json_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from shared.ai.attachments import Attachment

type Structure = Literal["format", "tool"]

_STOPS = {
    "end_turn": Stop.END,
    "stop_sequence": Stop.END,
    "tool_use": Stop.TOOLS,
    "max_tokens": Stop.LENGTH,
    "model_context_window_exceeded": Stop.LENGTH,
    "guardrail_intervened": Stop.REFUSED,
    "content_filtered": Stop.REFUSED,
    "malformed_model_output": Stop.MALFORMED,
    "malformed_tool_use": Stop.MALFORMED,
}
_TRANSIENT = frozenset(
    {
        "ThrottlingException",
        "ServiceUnavailableException",
        "ModelTimeoutException",
        "InternalServerException",
        "ModelNotReadyException",
    }
)
_VERSION = re.compile(r"claude-(?:[a-z]+-)+(\d+)(?:-(\d{1,2}))?(?!\d)")
_FIRST_WITH_FORMAT = (4, 5)
# Texts of messages that exist only to keep the roles alternating; see `converse_turns`.
CONTINUE = "Continue."
RESULT_READ = "I have read the result."
_CACHE_POINT = {"cachePoint": {"type": "default"}}
NO_RESULT = "(no content)"  # the API accepts no blank text


@dataclass(frozen=True, slots=True)
class Guardrail:
    """A guardrail of Bedrock. *version* is a number or DRAFT."""

    identifier: str
    version: str = "DRAFT"

    @classmethod
    def of(cls, text: str) -> Guardrail:
        """Parse `id`, `id:version`, an ARN or `arn:version`."""
        identifier, _, version = text.rpartition(":")
        if identifier and (version.isdecimal() or version == "DRAFT"):
            return cls(identifier, version)
        return cls(text)


def structure_of(model_id: str) -> Structure:
    """
    Return how to request structured output from this model: by the text format, or by a forced tool call.

    Check: AWS lists Claude from 4.5 on and some open models for `textFormat`. All others, and inference profiles whose
    id does not name the model, get the tool, which every model with tool use supports.
    """
    match = _VERSION.search(model_id)
    if not match:
        return "tool"
    version = (int(match[1]), int(match[2] or 0))
    return "format" if version >= _FIRST_WITH_FORMAT else "tool"


@dataclass(slots=True, eq=False)
class Bedrock:
    """
    One model or inference profile. With *caches_prompt* the provider caches functions and system text; not all models
    support it. *make_client* receives the configuration of a call: its timeout, and no retries.

    The client is created at the first call, not at import.
    """

    make_client: Callable[[Config], Any]  # boto3's `bedrock-runtime`
    model_id: str
    guardrail: Guardrail | None = None
    structure: Structure = "format"
    caches_prompt: bool = False

    @property
    def name(self) -> str:
        """The id of the model."""
        return f"bedrock:{self.model_id}"

    def reply(self, request: Request) -> Reply:
        """See `Model.reply`. Makes one attempt; a repeated call is safe and only costs money."""
        seconds = request.limits.within_ms / clock.SECOND_MS
        config = Config(
            connect_timeout=min(2.0, seconds),
            read_timeout=seconds,
            retries={"total_max_attempts": 1},
        )
        try:
            answer = self.make_client(config).converse(**self._body(request))
        except ClientError as error:
            raise unavailable(error) from None
        except BotoCoreError as error:
            raise unreachable(error) from None
        schema = request.schema
        return _reply(answer, schema.name if schema and self.structure == "tool" else None)

    def _body(self, request: Request) -> dict[str, Any]:
        limits, schema = request.limits, request.schema
        inference: dict[str, Any] = {"maxTokens": limits.most_tokens}
        if limits.temperature is not None:
            inference["temperature"] = limits.temperature
        body: dict[str, Any] = {
            "modelId": self.model_id,
            "system": [{"text": request.system}, *([_CACHE_POINT] if self.caches_prompt else [])],
            "messages": [
                message for turn in converse_turns(request.history) for message in _messages(turn)
            ],
            "inferenceConfig": inference,
        }
        if self.guardrail:
            body["guardrailConfig"] = {
                "guardrailIdentifier": self.guardrail.identifier,
                "guardrailVersion": self.guardrail.version,
            }
        if schema and self.structure == "format":
            # Serialised, because the API accepts no object in this field.
            named_schema = {"name": schema.name, "schema": json.dumps(decodable(schema.schema))}
            structure = {"jsonSchema": named_schema}
            body["outputConfig"] = {"textFormat": {"type": "json_schema", "structure": structure}}
        answering = schema if self.structure == "tool" else None
        if request.tools or answering:
            body["toolConfig"] = _tool_config(request.tools, answering)
        return body


def converse_turns(history: Sequence[Turn]) -> list[Turn]:
    """
    Return a history in which the roles alternate, from a user message to a user message or a result.

    Short messages of the other role separate an exchange from texts: several models accept no text in the message of a
    tool call or of its result ("Conversation blocks and tool result blocks cannot be provided in the same turn"), and
    all require alternating roles. Newer models do not continue a history that ends with the assistant.
    """
    turns: list[Turn] = []
    for turn in alternating(history):
        last = turns[-1] if turns else None
        if isinstance(turn, Exchange) and _is_by(last, Role.ASSISTANT):
            turns.append(Message(Role.USER, CONTINUE))
        if isinstance(last, Exchange) and _is_by(turn, Role.USER):
            turns.append(Message(Role.ASSISTANT, RESULT_READ))
        turns.append(turn)
    if _is_by(turns[-1], Role.ASSISTANT):
        turns.append(Message(Role.USER, CONTINUE))
    return turns


def _is_by(turn: Turn | None, role: Role) -> bool:
    return isinstance(turn, Message) and turn.role is role


def _messages(turn: Turn) -> Iterable[dict[str, Any]]:
    if isinstance(turn, Message):
        yield {"role": turn.role.value, "content": [{"text": turn.text}, *_file_blocks(turn.files)]}
        return
    call = {
        "toolUseId": turn.call.call_id,
        "name": turn.call.name,
        "input": json_object(turn.call.arguments) or {},  # The result reports that it was none.
    }
    result = {
        "toolUseId": turn.call.call_id,
        "content": [{"text": turn.result if turn.result.strip() else NO_RESULT}],
        "status": "error" if turn.is_error else "success",
    }
    yield {"role": Role.ASSISTANT.value, "content": [{"toolUse": call}]}
    yield {"role": Role.USER.value, "content": [{"toolResult": result}]}


def _file_blocks(files: Iterable[Attachment]) -> Iterable[dict[str, Any]]:
    """Yield the blocks of files, each after its label (Bedrock API reference, "ImageBlock" and "DocumentBlock")."""
    for file in files:
        yield {"text": f"[{file.label}]"}
        source = {"bytes": file.data}
        form = file.media_type.partition("/")[2]
        if file.medium is Medium.IMAGE:
            yield {"image": {"format": form, "source": source}}
        else:
            yield {"document": {"format": form, "name": file.label, "source": source}}


def _tool_config(tools: Sequence[Tool], answering: Schema | None) -> dict[str, Any]:
    specs = [_tool_spec(tool.name, tool.description, tool.parameters) for tool in tools]
    if answering is None:
        return {"tools": specs}
    description = "Gives your answer. Use it when no other tool is needed."
    specs.append(_tool_spec(answering.name, description, decodable(answering.schema)))
    choice: dict[str, Any] = {"any": {}} if tools else {"tool": {"name": answering.name}}
    return {"tools": specs, "toolChoice": choice}


def _tool_spec(name: str, description: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    schema = {"json": dict(parameters)}
    return {"toolSpec": {"name": name, "description": description, "inputSchema": schema}}


def _reply(answer: Mapping[str, Any], answer_tool: str | None) -> Reply:
    content = answer["output"].get("message", {}).get("content", [])
    text = "".join(part.get("text", "") for part in content)
    uses = [part["toolUse"] for part in content if "toolUse" in part]
    stop = _STOPS.get(answer["stopReason"], Stop.OTHER)
    calls = [
        ToolCall(use["toolUseId"], use["name"], json.dumps(use["input"], ensure_ascii=False))
        for use in uses
        if use["name"] != answer_tool
    ]
    if (
        stop is Stop.TOOLS and uses and not calls
    ):  # An answer beside calls was given without their results.
        text, stop = json.dumps(uses[0]["input"], ensure_ascii=False), Stop.END
    usage = answer.get("usage", {})
    cached = usage.get("cacheReadInputTokens", 0)
    # The API counts tokens that were read from the cache, or written to it, separately.
    tokens_in = usage.get("inputTokens", 0) + cached + usage.get("cacheWriteInputTokens", 0)
    spent = Usage(tokens_in, usage.get("outputTokens", 0), cached)
    return Reply(text, stop, spent, tuple(calls))


def unreachable(error: BotoCoreError) -> Unavailable:
    """Return the failure of a call without a response."""
    passes = isinstance(error, HTTPClientError | ConnectionError)
    repeat = Repeat.LATER if passes else Repeat.NEVER
    in_doubt = isinstance(error, HTTPClientError)
    return Unavailable(type(error).__name__, repeat, may_be_billed=in_doubt)


def unavailable(error: ClientError) -> Unavailable:
    """Return the failure of a call that Bedrock has refused."""
    code = error.response["Error"]["Code"]
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    if code == "ModelErrorException":
        return Unavailable(code, Repeat.ONCE)
    if code in _TRANSIENT or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return Unavailable(code, Repeat.LATER)
    return Unavailable(code, Repeat.NEVER)
