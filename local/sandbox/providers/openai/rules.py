"""Requests that OpenAI refuses with 400, by its API reference and its guides to functions and structured outputs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from local.sandbox.providers.openai import content_rules

MOST_ITEMS = 20
MOST_EMBEDDED = 2_048  # texts of a request
FEWEST_OUTPUT_TOKENS = 16
DEEPEST = 10
_RESPONSE_PARAMETERS = frozenset(
    {
        "background", "conversation", "include", "input", "instructions", "max_output_tokens", "max_tool_calls",
        "metadata", "model", "parallel_tool_calls", "previous_response_id", "prompt", "prompt_cache_key", "reasoning",
        "safety_identifier", "service_tier", "store", "stream", "stream_options", "temperature", "text", "tool_choice",
        "tools", "top_logprobs", "top_p", "truncation", "user",
    }
)  # fmt: skip
_ROLES = frozenset({"user", "assistant", "system", "developer"})
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_NOT_IN_STRICT = frozenset(
    {"allOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas", "oneOf"}
    | {"minLength", "maxLength", "patternProperties", "default", "uniqueItems", "propertyNames"}
    | {"contains", "minContains", "maxContains", "minProperties", "maxProperties"}
    | {"unevaluatedItems", "unevaluatedProperties"}
)
_EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
_INCLUDABLE = frozenset(
    {
        "file_search_call.results", "web_search_call.results", "web_search_call.action.sources",
        "message.input_image.image_url", "computer_call_output.output.image_url", "code_interpreter_call.outputs",
        "reasoning.encrypted_content", "message.output_text.logprobs",
    }
)  # fmt: skip
_KINDS = frozenset({"string", "number", "integer", "boolean", "object", "array", "null"})

type Check = Callable[[dict[str, Any]], None]


class BrokenRule(Exception):
    """The request breaks *rule* at *param*."""

    def __init__(self, param: str, rule: str, code: str | None = None) -> None:
        super().__init__(rule)
        self.param, self.rule, self.code = param, rule, code


def check_response(body: dict[str, Any]) -> None:
    """Check a request for a response. Raises BrokenRule."""
    _only(body, _RESPONSE_PARAMETERS)
    _text(body, "model")
    if "input" not in body:
        raise BrokenRule(
            "input", "Missing required parameter: 'input'.", "missing_required_parameter"
        )
    if isinstance(body["input"], str):
        _text(body, "input")
    else:
        _check_input(body["input"], "input")
    for name, kind in (("instructions", str), ("store", bool), ("parallel_tool_calls", bool)):
        if not isinstance(body.get(name), kind | None):
            raise BrokenRule(name, f"Invalid type for '{name}'.", "invalid_type")
    _number(body, "temperature", 0, 2)
    limit = body.get("max_output_tokens")
    if limit is not None and (type(limit) is not int or limit < FEWEST_OUTPUT_TOKENS):
        raise BrokenRule("max_output_tokens", "Expected a value >= 16.", "integer_below_min_value")
    _check_reasoning(body)
    _check_tools(body.get("tools", []))
    _check_format(body)


def check_conversation(body: dict[str, Any]) -> None:
    """Check a request for a conversation. Raises BrokenRule."""
    _only(body, {"items", "metadata"})
    if body.get("items") is not None:
        _check_items(body["items"])
    metadata = body.get("metadata") or {}
    if not isinstance(metadata, dict) or len(metadata) > 16:  # noqa: PLR2004 - the API's bound
        raise BrokenRule("metadata", "Must be an object of up to 16 pairs.")
    for key, value in metadata.items():
        if len(key) > 64 or not isinstance(value, str) or len(value) > 512:  # noqa: PLR2004 - the API's bounds
            raise BrokenRule(
                "metadata", "Keys have up to 64 characters, values are texts of up to 512."
            )


def check_items(body: dict[str, Any]) -> None:
    """Check a request that adds items. Raises BrokenRule."""
    _only(body, {"items", "include"})
    _check_items(body.get("items"))
    if not body["items"]:
        raise BrokenRule("items", "Expected an array with at least one item.", "empty_array")


def check_embeddings(body: dict[str, Any]) -> None:
    """Check a request for vectors. Raises BrokenRule."""
    _only(body, {"input", "model", "dimensions", "encoding_format", "user"})
    _text(body, "model")
    texts = body.get("input")
    texts = [texts] if isinstance(texts, str) else texts
    if not isinstance(texts, list) or not 0 < len(texts) <= MOST_EMBEDDED:
        raise BrokenRule("input", f"Expected an array of 1 to {MOST_EMBEDDED} texts.")
    if not all(isinstance(one, str) and one for one in texts):
        raise BrokenRule("input", "Input cannot contain an empty string.")
    size = body.get("dimensions")
    has_sizes = body["model"].startswith("text-embedding-3") or body["model"] == "scripted"
    if size is not None and (type(size) is not int or size < 1 or not has_sizes):
        raise BrokenRule("dimensions", "This model does not support specifying dimensions.")


def schema_of(body: dict[str, Any]) -> dict[str, Any] | None:
    """Return the schema of the requested response format; None for free text."""
    response_format = (body.get("text") or {}).get("format") or {}
    return response_format["schema"] if response_format.get("type") == "json_schema" else None


def _check_items(items: Any) -> None:  # noqa: ANN401 - unchecked JSON
    if not isinstance(items, list) or len(items) > MOST_ITEMS:
        raise BrokenRule("items", f"Expected an array of up to {MOST_ITEMS} items.")
    for at, item in enumerate(items):
        _check_item(item, f"items[{at}]")


def _check_input(items: Any, param: str) -> None:  # noqa: ANN401 - unchecked JSON
    if not isinstance(items, list) or not items:
        raise BrokenRule(param, "Expected a text or an array that is not empty.", "invalid_type")
    called: list[str] = []
    answered: list[str] = []
    for at, item in enumerate(items):
        _check_item(item, f"{param}[{at}]")
        if item.get("type") == "reasoning":
            _check_followed(items, at, param)
        if item.get("type") == "function_call":
            called.append(item["call_id"])
        if item.get("type") == "function_call_output":
            if item["call_id"] not in called:
                raise BrokenRule(param, "No tool call found for function call output.")
            answered.append(item["call_id"])
    if set(called) - set(answered):
        raise BrokenRule(param, "No tool output found for function call.")


def _check_reasoning(body: dict[str, Any]) -> None:
    include = body.get("include") or []
    if not isinstance(include, list) or set(include) - _INCLUDABLE:
        raise BrokenRule("include", "Invalid value.", "invalid_value")
    reasoning = body.get("reasoning")
    if reasoning is None:
        return
    if not isinstance(reasoning, dict) or reasoning.get("effort", "medium") not in _EFFORTS:
        raise BrokenRule("reasoning.effort", "Invalid value.", "invalid_value")
    if body.get("temperature") is not None and reasoning.get("effort") != "none":
        rule = "Unsupported parameter: 'temperature' is not supported with this model."
        raise BrokenRule("temperature", rule, "unsupported_parameter")


def _check_followed(items: list[dict[str, Any]], at: int, param: str) -> None:
    following = items[at + 1].get("type", "message") if at + 1 < len(items) else None
    if following not in {"reasoning", "message", "function_call"}:
        rule = f"Item '{items[at]['id']}' of type 'reasoning' was provided without its required following item."
        raise BrokenRule(param, rule)


def _check_item(item: Any, param: str) -> None:  # noqa: ANN401 - unchecked JSON
    if not isinstance(item, dict):
        raise BrokenRule(param, "Expected an object.", "invalid_type")
    match item.get("type", "message"):
        case "message":
            _check_message(item, param)
        case "function_call":
            _texts(item, ("call_id", "name", "arguments"), param)
        case "function_call_output":
            _texts(item, ("call_id", "output"), param)
        case "reasoning":
            _texts(item, ("id",), param)
            if not isinstance(item.get("summary"), list):
                rule = f"Missing required parameter: '{param}.summary'."
                raise BrokenRule(f"{param}.summary", rule, "missing_required_parameter")
        case _:
            raise BrokenRule(f"{param}.type", "Invalid value.", "invalid_value")


def _check_message(item: dict[str, Any], param: str) -> None:
    if item.get("role") not in _ROLES:
        raise BrokenRule(f"{param}.role", "Invalid value.", "invalid_value")
    content = item.get("content")
    if isinstance(content, str):
        return
    if not isinstance(content, list):
        raise BrokenRule(f"{param}.content", "Expected a text or a list of parts.", "invalid_value")
    for entry in content:
        if (rule := content_rules.rule_broken_by(entry, item["role"])) is not None:
            raise BrokenRule(f"{param}.content", rule, "invalid_value")


def _check_tools(tools: Any) -> None:  # noqa: ANN401 - unchecked JSON
    if not isinstance(tools, list):
        raise BrokenRule("tools", "Expected an array.", "invalid_type")
    for at, tool in enumerate(tools):
        param = f"tools[{at}]"
        if not isinstance(tool, dict) or tool.get("type") != "function":
            raise BrokenRule(
                f"{param}.type", "This sandbox simulates functions only.", "invalid_value"
            )
        if not isinstance(tool.get("name"), str) or not _NAME.fullmatch(tool["name"]):
            raise BrokenRule(f"{param}.name", "Expected letters, digits, _ and -.", "invalid_value")
        parameters = tool.get("parameters")
        if not isinstance(parameters, dict) or parameters.get("type") != "object":
            raise BrokenRule(
                f"{param}.parameters",
                "Expected the schema of an object.",
                "invalid_function_parameters",
            )
        if tool.get("strict", True):
            _check_strict(parameters, f"{param}.parameters", "invalid_function_parameters")


def _check_format(body: dict[str, Any]) -> None:
    text = body.get("text")
    response_format = (
        text.get("format", {"type": "text"}) if isinstance(text, dict) else {"type": "text"}
    )
    if not isinstance(response_format, dict) or response_format.get("type") not in {
        "text",
        "json_object",
        "json_schema",
    }:
        raise BrokenRule("text.format.type", "Invalid value.", "invalid_value")
    if response_format["type"] != "json_schema":
        return
    if not isinstance(response_format.get("name"), str) or not _NAME.fullmatch(
        response_format["name"]
    ):
        raise BrokenRule("text.format.name", "Expected letters, digits, _ and -.", "invalid_value")
    if not isinstance(response_format.get("schema"), dict):
        raise BrokenRule("text.format.schema", "Missing.", "missing_required_parameter")
    if response_format.get("strict"):
        if response_format["schema"].get("type") != "object":
            raise BrokenRule(
                "text.format.schema", "The root must be an object.", "invalid_json_schema"
            )
        _check_strict(response_format["schema"], "text.format.schema", "invalid_json_schema")


def _check_strict(schema: Any, param: str, code: str, depth: int = 0) -> None:  # noqa: ANN401 - unchecked JSON
    if not isinstance(schema, dict) or depth > DEEPEST:
        raise BrokenRule(param, "No schema, or nested too deeply.", code)
    if refused := set(schema) & _NOT_IN_STRICT:
        raise BrokenRule(param, f"'{min(refused)}' is not permitted.", code)
    if "$ref" in schema and len(schema) > 1:
        others = set(schema) - {"$ref"}
        raise BrokenRule(param, f"$ref cannot have keywords {others}.", code)
    kinds = schema.get("type", [])
    if unknown := set(kinds if isinstance(kinds, list) else [kinds]) - _KINDS:
        raise BrokenRule(param, f"{min(map(str, unknown))} is not a type.", code)
    if not {"type", "anyOf", "enum", "const", "$ref"} & set(schema):
        raise BrokenRule(param, "schema must have a 'type' key.", code)
    if "object" in (kinds if isinstance(kinds, list) else [kinds]):
        _check_strict_object(schema, param, code)
    for inner in _inner(schema):
        _check_strict(inner, param, code, depth + 1)


def _check_strict_object(schema: dict[str, Any], param: str, code: str) -> None:
    if schema.get("additionalProperties") is not False:
        raise BrokenRule(
            param, "'additionalProperties' is required to be supplied and to be false.", code
        )
    properties = schema.get("properties", {})
    if set(schema.get("required", [])) != set(properties):
        raise BrokenRule(
            param, "'required' is required to be an array including every key in properties.", code
        )


def _inner(schema: dict[str, Any]) -> Iterable[Any]:
    yield from (schema.get("properties") or {}).values()
    yield from (schema.get("$defs") or {}).values()
    yield from schema.get("anyOf") or ()
    if "items" in schema:
        yield schema["items"]


def _only(body: dict[str, Any], allowed: Iterable[str]) -> None:
    if unknown := set(body) - set(allowed):
        raise BrokenRule(min(unknown), f"Unknown parameter: '{min(unknown)}'.", "unknown_parameter")


def _text(body: dict[str, Any], name: str) -> None:
    if name not in body:
        raise BrokenRule(
            name, f"Missing required parameter: '{name}'.", "missing_required_parameter"
        )
    if not isinstance(body[name], str) or not body[name]:
        raise BrokenRule(name, f"Invalid type for '{name}'.", "invalid_type")


def _texts(item: dict[str, Any], names: Iterable[str], param: str) -> None:
    for name in names:
        if not isinstance(item.get(name), str):
            raise BrokenRule(f"{param}.{name}", f"Missing or no text: '{name}'.", "invalid_type")


def _number(body: dict[str, Any], name: str, least: float, most: float) -> None:
    value = body.get(name)
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise BrokenRule(
            name, f"Expected a value from {least} to {most}.", "decimal_above_max_value"
        )
