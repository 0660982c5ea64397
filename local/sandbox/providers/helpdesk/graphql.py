"""The subset of GraphQL that one query needs: fields, arguments with variables, errors for unknown fields."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

_TOKEN = re.compile(r'\s*([A-Za-z_]\w*|\$\w+|"(?:[^"\\]|\\.)*"|-?\d+|[{}():,!\[\]])')


class QueryBroken(Exception):
    """The query is invalid, or has an unknown field."""


@dataclass(frozen=True)
class Field:
    """A field with its arguments and selected subfields."""

    name: str
    arguments: dict[str, Any]
    selection: tuple[Field, ...]


def parse(query: str, variables: dict[str, Any]) -> tuple[Field, ...]:
    """Return the root fields of a query. Raises QueryBroken, also for a missing variable."""
    tokens = _tokens(query)
    if tokens[:1] == ["query"]:
        tokens = tokens[tokens.index("{") :] if "{" in tokens else []
    selection, rest = _selection(tokens, variables)
    if rest or not selection:
        raise QueryBroken("syntax error")
    return selection


def project(field: Field, value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """Return the fields of *value* that *field* selects. Raises QueryBroken for unknown fields."""
    if isinstance(value, list):
        return [project(field, entry) for entry in value]
    if not isinstance(value, dict):
        if field.selection and value is not None:
            raise QueryBroken(f"Selections can't be made on scalars (field '{field.name}')")
        return value
    if not field.selection:
        raise QueryBroken(f"Field must have selections (field '{field.name}')")
    for subfield in field.selection:
        if subfield.name not in value:
            raise QueryBroken(f"Field '{subfield.name}' doesn't exist on type '{field.name}'")
    return {subfield.name: project(subfield, value[subfield.name]) for subfield in field.selection}


def _tokens(query: str) -> list[str]:
    tokens, position = [], 0
    text = query.rstrip()
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise QueryBroken("syntax error")
        tokens.append(match[1])
        position = match.end()
    return tokens


def _selection(tokens: list[str], variables: dict[str, Any]) -> tuple[tuple[Field, ...], list[str]]:
    if tokens[:1] != ["{"]:
        return (), tokens
    rest, fields = tokens[1:], []
    while rest[:1] != ["}"]:
        if not rest or not re.match(r"[A-Za-z_]", rest[0]):
            raise QueryBroken("syntax error")
        name = rest[0]
        arguments, rest = _arguments(rest[1:], variables)
        inner, rest = _selection(rest, variables)
        fields.append(Field(name, arguments, inner))
    return tuple(fields), rest[1:]


def _arguments(tokens: list[str], variables: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    if tokens[:1] != ["("]:
        return {}, tokens
    end = tokens.index(")") if ")" in tokens else len(tokens)
    inner = [token for token in tokens[1:end] if token != ","]
    if len(inner) % 3 or any(colon != ":" for colon in inner[1::3]):
        raise QueryBroken("syntax error")
    arguments = {inner[n]: _value(inner[n + 2], variables) for n in range(0, len(inner), 3)}
    return arguments, tokens[end + 1 :]


def _value(token: str, variables: dict[str, Any]) -> Any:  # noqa: ANN401 - any JSON value
    if token.startswith("$"):
        if token[1:] not in variables:
            raise QueryBroken(f"Variable {token} was provided no value")
        return variables[token[1:]]
    return token[1:-1] if token.startswith('"') else int(token)
