"""Reads bodies of webhooks and their JSON parts."""

import json
from collections import Counter
from typing import Any

WHATSAPP_OBJECT = "whatsapp_business_account"


_DEEPEST = 100
_LONGEST_FIELD_NAME = 256


class BodyRefused(Exception):
    """A body is not processed; `problem` names the field and the rule."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem


def parse_body(raw: bytes | str) -> dict[str, Any] | None:
    """Return the JSON object of a text; None for anything that `read_body` refuses."""
    try:
        return read_body(raw)
    except BodyRefused:
        return None


def read_body(raw: bytes | str) -> dict[str, Any]:
    """
    Return the JSON object of a body. Numbers beyond 15 digits lose precision.

    Raises BodyRefused for anything else, and for an object that names a field twice: a parser keeps only one of them.
    """
    try:
        body = json.loads(raw, parse_constant=str, object_pairs_hook=_object)
    except (ValueError, RecursionError):
        raise BodyRefused("body: must be JSON") from None
    if not isinstance(body, dict):
        raise BodyRefused("body: must be an object")
    if _is_deeper(body, _DEEPEST):
        raise BodyRefused(f"body: must not nest deeper than {_DEEPEST} levels")
    return body


def read_webhook(raw: bytes) -> dict[str, Any]:
    """Return the body of a Meta webhook. Raises BodyRefused."""
    body = read_body(raw)
    if body.get("object") != WHATSAPP_OBJECT:
        raise BodyRefused(f"object: must be {WHATSAPP_OBJECT}")
    return body


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        repeated = next(name for name, count in counts.items() if count > 1)
        raise BodyRefused(f"{repeated[:_LONGEST_FIELD_NAME]!r}: must not occur twice in one object")
    return fields


def _is_deeper(value: Any, levels: int) -> bool:  # noqa: ANN401 - any JSON value
    """Whether a value nests deeper than *levels*: later code processes it recursively."""
    layer = [value]
    for _ in range(levels):
        nested = (entry for entry in layer if isinstance(entry, dict | list))
        layer = [
            inner
            for entry in nested
            for inner in (entry.values() if isinstance(entry, dict) else entry)
        ]
        if not layer:
            return False
    return True
