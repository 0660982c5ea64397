"""
JSON schemas that Bedrock refuses for `outputConfig.textFormat`, with 400 before the model runs.

Sources: the user guide "Get validated JSON results from models" (a subset of Draft 2020-12, checked at once), and the
error messages of Anthropic's API ("For 'integer' type, property 'minimum' is not supported"). Check: the guide has no
list for the models of other makers; the strictest known one applies to all.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_UNSUPPORTED = frozenset(
    {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
    | {"minLength", "maxLength", "maxItems", "uniqueItems", "minProperties", "maxProperties"}
    | {"contains", "patternProperties", "propertyNames", "dependentRequired", "dependentSchemas"}
    | {"oneOf", "not", "if", "then", "else"}
)
_FEWEST_ITEMS = (0, 1)  # other values of `minItems` are refused


class SchemaRefused(Exception):
    """The schema breaks this rule."""


def check(text: str) -> None:
    """Check a serialised schema. Raises SchemaRefused."""
    try:
        schema = json.loads(text)
    except ValueError:
        raise SchemaRefused("The schema is not valid JSON.") from None
    if not isinstance(schema, dict):
        raise SchemaRefused("The schema is not an object.")
    _check(schema, schema.get("$defs") or {}, ())


def _check(schema: Any, definitions: dict[str, Any], within: tuple[str, ...]) -> None:  # noqa: ANN401 - unchecked JSON
    if not isinstance(schema, dict):
        raise SchemaRefused("A schema must be an object.")
    kind = schema.get("type")
    if refused := schema.keys() & _UNSUPPORTED:
        raise SchemaRefused(f"For '{kind}' type, property '{min(refused)}' is not supported")
    if schema.get("minItems", 0) not in _FEWEST_ITEMS:
        raise SchemaRefused(
            "For 'array' type, 'minItems' values other than 0 or 1 are not supported"
        )
    if kind == "object" and schema.get("additionalProperties") is not False:
        raise SchemaRefused(
            "For 'object' type, 'additionalProperties' must be explicitly set to false"
        )
    if "$ref" in schema:
        _check_reference(schema["$ref"], definitions, within)
    for inner in _inner(schema):
        _check(inner, definitions, within)


def _check_reference(target: Any, definitions: dict[str, Any], within: tuple[str, ...]) -> None:  # noqa: ANN401 - unchecked JSON
    name = str(target).removeprefix("#/$defs/")
    if name not in definitions:
        raise SchemaRefused(f"'{target}' refers to no definition of this schema")
    if name in within:
        raise SchemaRefused("Recursive schemas are not supported")
    _check(definitions[name], definitions, (*within, name))


def _inner(schema: dict[str, Any]) -> Iterator[Any]:
    yield from (schema.get("properties") or {}).values()
    yield from schema.get("anyOf") or ()
    yield from schema.get("allOf") or ()
    if "items" in schema:
        yield schema["items"]
