"""
Requests that Converse refuses with a ValidationException.

Formats follow the service model in botocore. The rules of a conversation (alternating roles, pairs of call and
result, texts that are not blank, no text beside a call or a result) follow its error messages, each of the strictest
model.
"""

from __future__ import annotations

import re
from typing import Any

from local.sandbox.providers.bedrock import file_rules, schema_rules

_TOP_LEVEL = frozenset(
    {
        "messages", "system", "inferenceConfig", "toolConfig", "guardrailConfig", "additionalModelRequestFields",
        "promptVariables", "additionalModelResponseFieldPaths", "requestMetadata", "performanceConfig", "serviceTier",
        "outputConfig",
    }
)  # fmt: skip
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_ID = re.compile(r"[a-zA-Z0-9_.:-]{1,64}")
_ROLES = ("user", "assistant")


class BrokenRule(Exception):
    """The request breaks this rule."""


def check(body: dict[str, Any]) -> None:
    """Check a request. Raises BrokenRule."""
    if unknown := set(body) - _TOP_LEVEL:
        raise BrokenRule(f"{min(unknown)}: extra fields are not permitted")
    for at, block in enumerate(_objects(body.get("system") or [], "system")):
        if block != {"cachePoint": {"type": "default"}}:
            _check_text(block.get("text"), f"system.{at}")
    tools = _tool_names(body.get("toolConfig"))
    _check_format(body.get("outputConfig"))
    _check_messages(_objects(body.get("messages"), "messages"), tools)


def answer_tool(body: dict[str, Any]) -> dict[str, Any] | None:
    """Return the tool that an answer has to use: the last one, if the request demands any; else None."""
    config = body.get("toolConfig") or {}
    if not {"any", "tool"} & set(config.get("toolChoice") or {}):
        return None
    spec: dict[str, Any] = config["tools"][-1]["toolSpec"]
    return spec


def _check_messages(messages: list[dict[str, Any]], tools: frozenset[str]) -> None:
    if not messages or messages[0].get("role") != "user":
        raise BrokenRule("A conversation must start with a user message.")
    if messages[-1].get("role") != "user":
        raise BrokenRule("The conversation must end with a user message.")
    called: set[str] = set()
    ever_called: set[str] = set()
    for at, message in enumerate(messages):
        where = f"messages.{at}.content"
        if message.get("role") != _ROLES[at % 2]:
            raise BrokenRule("A conversation must alternate between user and assistant roles.")
        blocks = _objects(message.get("content"), where)
        if not blocks:
            raise BrokenRule(f"{where}: The content field is empty.")
        answered = [
            _result_id(block["toolResult"], where) for block in blocks if "toolResult" in block
        ]
        if set(answered) != called or len(answered) != len(called):
            raise BrokenRule(
                f"{where}: Expected toolResult blocks for exactly the ids of the toolUse blocks before."
            )
        uses = [block["toolUse"] for block in blocks if "toolUse" in block]
        called = {_use_id(use, where, tools) for use in uses}
        if len(called) < len(uses) or called & ever_called:
            raise BrokenRule(f"{where}: `toolUse` ids must be unique")
        ever_called |= called
        _check_blocks(blocks, message["role"], where)


def _check_blocks(blocks: list[dict[str, Any]], role: str, where: str) -> None:
    tool_block = "toolResult" if role == "user" else "toolUse"
    kinds = set().union(*blocks)
    if (rule := file_rules.rule_broken_by(blocks, role)) is not None:
        raise BrokenRule(f"{where}: {rule}")
    kinds = {"text" if kind in file_rules.FILE_KINDS else kind for kind in kinds}
    if unknown := kinds - {"text", tool_block}:
        raise BrokenRule(f"{where}: {min(unknown)} is not allowed in a message of role {role}.")
    if len(kinds) > 1:
        raise BrokenRule(
            f"{where}: Conversation blocks and tool blocks cannot be provided in the same turn."
        )
    for block in blocks:
        if "text" in block:
            _check_text(block["text"], where)


def _use_id(use: Any, where: str, tools: frozenset[str]) -> str:  # noqa: ANN401 - unchecked JSON
    name, identifier = str(use.get("name")), str(use.get("toolUseId"))
    if not tools:
        raise BrokenRule(
            "The toolConfig field must be defined when using toolUse and toolResult content blocks."
        )
    if not _NAME.fullmatch(name) or not _ID.fullmatch(identifier):
        raise BrokenRule(f"{where}: toolUse.name or toolUse.toolUseId failed to satisfy constraint")
    if not isinstance(use.get("input"), dict):
        raise BrokenRule(
            f"{where}: The format of the value at toolUse.input is invalid. Provide a json object."
        )
    return identifier


def _result_id(result: Any, where: str) -> str:  # noqa: ANN401 - unchecked JSON
    parts = _objects(result.get("content"), where)
    if not parts:
        raise BrokenRule(f"{where}: toolResult.content cannot be empty")
    for part in parts:
        if "text" in part:
            _check_text(part["text"], where)
    if result.get("status", "success") not in {"success", "error"}:
        raise BrokenRule(f"{where}: toolResult.status failed to satisfy constraint")
    return str(result.get("toolUseId"))


def _tool_names(config: Any) -> frozenset[str]:  # noqa: ANN401 - unchecked JSON
    if config is None:
        return frozenset()
    names = []
    for at, tool in enumerate(_objects(config.get("tools"), "toolConfig.tools")):
        spec = tool.get("toolSpec") or {}
        schema = (spec.get("inputSchema") or {}).get("json")
        if not _NAME.fullmatch(str(spec.get("name"))) or spec.get("description") == "":
            raise BrokenRule(f"toolConfig.tools.{at}.toolSpec failed to satisfy constraint")
        if not isinstance(schema, dict) or schema.get("type") != "object":
            raise BrokenRule(
                f"toolConfig.tools.{at}.toolSpec.inputSchema.json.type must be 'object'"
            )
        names.append(str(spec["name"]))
    if not names or len(set(names)) < len(names):
        raise BrokenRule("toolConfig.tools: at least one tool, with unique names")
    forced = ((config.get("toolChoice") or {}).get("tool") or {}).get("name", names[0])
    if forced not in names:
        raise BrokenRule("toolConfig.toolChoice: the tool is not defined")
    return frozenset(names)


def _check_format(config: Any) -> None:  # noqa: ANN401 - unchecked JSON
    if config is None:
        return
    structure = ((config.get("textFormat") or {}).get("structure") or {}).get("jsonSchema") or {}
    if not isinstance(structure.get("schema"), str):
        raise BrokenRule("outputConfig.textFormat.structure.jsonSchema.schema: must be a text")
    try:
        schema_rules.check(structure["schema"])
    except schema_rules.SchemaRefused as refused:
        raise BrokenRule(
            f"outputConfig.textFormat.structure.jsonSchema.schema: {refused}"
        ) from None


def _check_text(text: Any, where: str) -> None:  # noqa: ANN401 - unchecked JSON
    if not isinstance(text, str) or not text.strip():
        raise BrokenRule(f"The text field in the ContentBlock object at {where} is blank.")


def _objects(value: Any, where: str) -> list[dict[str, Any]]:  # noqa: ANN401 - unchecked JSON
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise BrokenRule(f"{where}: must be a list of objects")
    return value
