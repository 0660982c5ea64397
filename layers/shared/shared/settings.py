"""Typed settings of one function, read from its environment once, at cold start."""

import os
from dataclasses import MISSING, dataclass, fields
from types import GenericAlias, UnionType
from typing import Any, Literal, Self, get_args, get_origin, get_type_hints


def is_local_stage() -> bool:
    """Whether this process is part of the local stack. A process without a stage is not."""
    return os.environ.get("STAGE") == "local"


class SettingInvalid(Exception):
    """A variable of the environment is missing or has a value outside its type; names the variable, not the value."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """
    A subclass declares one field per variable; `graph_base_url: str` reads GRAPH_BASE_URL.

    Types: str (not empty), str | None (empty is None), int, bool ("true" or "false"), Literal of strings,
    tuple[str, ...] (comma separated). A field with a default may be left out, or empty.
    """

    @classmethod
    def load(cls) -> Self:
        """Read all fields from the environment. Raises SettingInvalid at import, before any event is taken."""
        hints = get_type_hints(cls)
        values = {}
        for field in fields(cls):
            variable = field.name.upper()
            text = os.environ.get(variable)
            if not text and field.default is not MISSING:
                continue
            if text is None:
                raise SettingInvalid(f"{variable} is not set")
            values[field.name] = _parsed(variable, text, hints[field.name])
        return cls(**values)


def _parsed(variable: str, text: str, kind: type | GenericAlias | UnionType) -> Any:  # noqa: ANN401 - one of the types named above
    if kind is int and text.isdecimal():
        return int(text)
    if kind is bool and text in {"true", "false"}:
        return text == "true"
    if kind is str and text:
        return text
    if kind == str | None:
        return text or None
    if get_origin(kind) is Literal and text in get_args(kind):
        return text
    if get_origin(kind) is tuple:
        return tuple(part.strip() for part in text.split(",") if part.strip())
    raise SettingInvalid(f"{variable} is not a {getattr(kind, '__name__', kind)}")
