"""
Parameters of a project's function: a subset of JSON Schema, checked when it is configured and at every call.

Every keyword is enforced or rejected, never ignored: an unsupported keyword makes the configuration invalid. pydantic
validates the arguments; its patterns run in linear time and have no look-around.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from pydantic_core import (
    CoreSchema,
    SchemaError,
    SchemaValidator,
    ValidationError,
    core_schema,
)

DEEPEST = 8
_ANNOTATIONS = frozenset({"title", "description", "default", "examples", "$schema", "deprecated"})
_OF_NUMBERS = {
    "minimum": "ge",
    "maximum": "le",
    "exclusiveMinimum": "gt",
    "exclusiveMaximum": "lt",
    "multipleOf": "multiple_of",
}
# Type -> its keywords and their names in pydantic.
_BOUNDS: Mapping[str, Mapping[str, str]] = {
    "string": {"minLength": "min_length", "maxLength": "max_length", "pattern": "pattern"},
    "integer": _OF_NUMBERS,
    "number": _OF_NUMBERS,
    "boolean": {},
    "null": {},
    "array": {"minItems": "min_length", "maxItems": "max_length"},
    "object": {},
}
_MAKERS: Mapping[str, Callable[..., CoreSchema]] = {
    "string": core_schema.str_schema,
    "integer": core_schema.int_schema,
    "number": core_schema.float_schema,
    "boolean": core_schema.bool_schema,
    "null": core_schema.none_schema,
}
_STRUCTURE: Mapping[str, frozenset[str]] = {
    "array": frozenset({"items"}),
    "object": frozenset({"properties", "required", "additionalProperties"}),
}


class ParametersBroken(Exception):
    """The schema cannot be enforced. The message names the keyword, never a value."""


class ArgumentsInvalid(Exception):
    """The arguments violate the schema. The message names the path and the rule, never a value."""


class Parameters:
    """A compiled schema. Raises ParametersBroken if it is not an object's, or has an unsupported keyword."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        if schema.get("type") != "object":
            raise ParametersBroken("type: must be object")
        try:
            self._validator = SchemaValidator(_compiled(schema, 0))
        except SchemaError:
            raise ParametersBroken("a bound or pattern is invalid") from None

    def arguments(self, text: str) -> dict[str, Any]:
        """Parse and validate arguments in a JSON *text*. Raises ArgumentsInvalid."""
        try:
            parsed = json.loads(text, parse_constant=_no_constant)
        except (ValueError, RecursionError):
            raise ArgumentsInvalid("the arguments are not a JSON object") from None
        try:
            self._validator.validate_python(parsed, strict=True)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False, include_context=False)[0]
            location = ".".join(str(part) for part in first["loc"])[:80] or "arguments"
            raise ArgumentsInvalid(f"{location}: {first['type']}") from None
        return dict(parsed)


def _no_constant(_: str) -> None:
    raise ValueError


def _compiled(schema: Any, depth: int) -> CoreSchema:  # noqa: ANN401 - any part of a JSON schema
    if depth > DEEPEST or not isinstance(schema, Mapping):
        raise ParametersBroken(f"must be a schema, nested at most {DEEPEST} levels deep")
    if "enum" in schema or "const" in schema:
        _refuse_unknown(schema, {"enum", "const", "type"})
        allowed_values = schema["enum"] if "enum" in schema else [schema["const"]]
        if (
            not isinstance(allowed_values, list)
            or not allowed_values
            or any(isinstance(v, dict | list) for v in allowed_values)
        ):
            raise ParametersBroken("enum: must be a list of strings, numbers, booleans or null")
        return core_schema.literal_schema(allowed_values)
    if "anyOf" in schema:
        _refuse_unknown(schema, {"anyOf"})
        return _any_of(schema["anyOf"], depth)
    kind = schema.get("type")
    if isinstance(kind, list):
        # Each type gets only the keywords that apply to it.
        choices = [_own(schema, str(type_name)) | {"type": type_name} for type_name in kind]
        _refuse_unknown(schema, {"type"}.union(*choices))
        return _any_of(choices, depth)
    if not isinstance(kind, str) or kind not in _BOUNDS:
        raise ParametersBroken("type: is missing or unknown")
    _refuse_unknown(schema, {"type", *_BOUNDS[kind], *_STRUCTURE.get(kind, ())})
    return _of_kind(kind, schema, depth)


def _any_of(choices: Any, depth: int) -> CoreSchema:  # noqa: ANN401 - as _compiled
    if not isinstance(choices, list) or not choices:
        raise ParametersBroken("anyOf: must be a non-empty list")
    return core_schema.union_schema([_compiled(choice, depth + 1) for choice in choices])


def _own(schema: Mapping[str, Any], kind: str) -> dict[str, Any]:
    keywords = {*_BOUNDS.get(kind, ()), *_STRUCTURE.get(kind, ())}
    return {name: entry for name, entry in schema.items() if name in keywords}


def _refuse_unknown(schema: Mapping[str, Any], supported: set[str]) -> None:
    if unknown := set(schema) - supported - _ANNOTATIONS:
        raise ParametersBroken(f"{min(unknown)}: is not supported")


def _of_kind(kind: str, schema: Mapping[str, Any], depth: int) -> CoreSchema:
    bounds = {ours: schema[name] for name, ours in _BOUNDS[kind].items() if name in schema}
    if kind == "object":
        return _object(schema, depth)
    if kind == "array":
        if "items" not in schema:
            return core_schema.list_schema(**bounds)
        return core_schema.list_schema(_compiled(schema["items"], depth + 1), **bounds)
    if kind == "string" and "pattern" in bounds:
        bounds["regex_engine"] = "rust-regex"
    return _MAKERS[kind](**bounds)


def _object(schema: Mapping[str, Any], depth: int) -> CoreSchema:
    properties, required = schema.get("properties", {}), schema.get("required", [])
    others = schema.get("additionalProperties", True)
    if (
        not isinstance(properties, Mapping)
        or not isinstance(required, list)
        or not isinstance(others, bool)
    ):
        raise ParametersBroken("properties, required or additionalProperties: has the wrong type")
    if unknown := set(map(str, required)) - set(properties):
        raise ParametersBroken(f"required: {len(unknown)} names are not in properties")
    fields = {
        name: core_schema.typed_dict_field(_compiled(entry, depth + 1), required=name in required)
        for name, entry in properties.items()
    }
    return core_schema.typed_dict_schema(fields, extra_behavior="allow" if others else "forbid")
