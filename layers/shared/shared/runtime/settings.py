"""Typed settings of one function, read from its environment once, at cold start."""

import os
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from types import NoneType
from typing import Any, Literal, NewType, Self, get_args, get_origin, get_type_hints

from shared.runtime.validation import web_addresses

# Base URLs of providers, with or without a path. Outside the local stack both are https with a public host name.
Url = NewType("Url", str)
Origin = NewType("Origin", str)


def is_local_stage() -> bool:
    """Whether this process is part of the local stack; False if STAGE is not set."""
    return os.environ.get("STAGE") == "local"


class SettingInvalid(Exception):
    """An environment variable is missing or does not match its type; names the variable, not the value."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """
    A subclass declares one field per variable; `graph_base_url: str` reads GRAPH_BASE_URL.

    Types: str, Url, Origin (not empty); these or None (empty is None); tuples of these (comma separated); int, bool
    ("true" or "false"), Literal of strings. A field with a default may be missing or empty.
    """

    @classmethod
    def load(cls, environment: Mapping[str, str] = os.environ) -> Self:
        """
        Read all fields from the environment, by default this process's. Called at import, so that SettingInvalid
        occurs before any event.
        """
        hints = get_type_hints(cls)
        values = {}
        for field in fields(cls):
            variable = field.name.upper()
            text = environment.get(variable)
            if not text and field.default is not MISSING:
                continue
            if text is None:
                raise SettingInvalid(f"{variable} is not set")
            values[field.name] = _parsed(variable, text, hints[field.name])
        return cls(**values)


def _parsed(variable: str, text: str, kind: Any) -> Any:  # noqa: ANN401 - one of the types named above
    if kind is int and text.isdecimal():
        return int(text)
    if kind is bool and text in {"true", "false"}:
        return text == "true"
    if kind in _CHECKS:
        return _address(variable, text, kind)
    members = get_args(kind)
    if NoneType in members:
        return _parsed(variable, text, members[0]) if text else None
    if get_origin(kind) is tuple:
        parts = (part.strip() for part in text.split(","))
        return tuple(_parsed(variable, part, members[0]) for part in parts if part)
    if get_origin(kind) is Literal:
        is_allowed, expected = text in members, f"any of {', '.join(members)}"
    else:
        is_allowed, expected = kind is str and bool(text), f"a {getattr(kind, '__name__', kind)}"
    if not is_allowed:
        raise SettingInvalid(f"{variable} is not {expected}")
    return text


_CHECKS = {Url: web_addresses.checked, Origin: web_addresses.checked_origin}


def _address(variable: str, text: str, kind: Any) -> str:  # noqa: ANN401 - no annotation covers NewTypes
    try:
        return _CHECKS[kind](text, local=is_local_stage())
    except web_addresses.WebAddressInvalid as refusal:
        raise SettingInvalid(f"{variable} {refusal}") from None
