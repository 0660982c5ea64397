"""
The shape of JSON: the names of its attributes, without values.

`{"events": [{"id": 1}, {"reason": "x"}]}` has the shape `{"events": {"[]": {"id": {}, "reason": {}}}}`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

type Shape = dict[str, Any]

ENTRIES = "[]"


def shape_of(value: Any) -> Shape:
    """The shape of a value; the entries of a list have one shape together."""
    if isinstance(value, list):
        entries: Shape = {}
        for entry in value:
            _add(entries, shape_of(entry))
        return {ENTRIES: entries} if entries else {}
    if isinstance(value, dict):
        return {name: shape_of(part) for name, part in value.items()}
    return {}


def missing(before: Mapping[str, Any], now: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    """The paths of attributes, `events.[].id`, that are in the shape *before* and not in *now*."""
    for name, part in before.items():
        if name not in now:
            yield f"{prefix}{name}"
        else:
            yield from missing(part, now[name], f"{prefix}{name}.")


def _add(to: Shape, more: Mapping[str, Any]) -> None:
    for name, part in more.items():
        _add(to.setdefault(name, {}), part)
