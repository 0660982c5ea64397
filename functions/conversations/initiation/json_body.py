"""Strict parsing of the posted JSON object, and the error that refuses a request."""

from __future__ import annotations

import json
import math
from http import HTTPStatus
from typing import Any

LARGEST_BODY_BYTES = 100 * 1_024
DEEPEST_BODY = 64

type Json = dict[str, Any]


class RequestRefused(Exception):
    """The request is refused. *code* and *status* go to the caller; *field* names the invalid field, if any."""

    def __init__(
        self,
        code: str,
        message: str,
        status: HTTPStatus = HTTPStatus.BAD_REQUEST,
        *,
        field: str | None = None,
        retry_after: int | None = None,
    ) -> None:
        super().__init__(code)
        self.code = code
        self.message = message
        self.status = status
        self.field = field
        self.retry_after = retry_after


def read_json(body: bytes | None) -> Json:
    """Parse the posted object. Raises RequestRefused (`PAYLOAD_TOO_LARGE`, `INVALID_REQUEST`)."""
    if body is not None and len(body) > LARGEST_BODY_BYTES:
        message = f"the body must be at most {LARGEST_BODY_BYTES // 1_024} KB"
        raise RequestRefused(
            "PAYLOAD_TOO_LARGE", message, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, field="body"
        )
    try:
        parsed = json.loads(
            (body or b"").decode("utf-8-sig"),
            object_pairs_hook=_with_unique_keys,
            parse_constant=_no_constant,
            parse_float=_finite,
        )
        json.dumps(parsed, ensure_ascii=False).encode()  # Lone surrogates are no valid UTF-8.
    except (ValueError, RecursionError):
        parsed = None
    if not isinstance(parsed, dict) or depth(parsed) > DEEPEST_BODY:
        message = (
            "the body must be one JSON object in UTF-8 with unique keys, without NaN, not too deep"
        )
        raise RequestRefused("INVALID_REQUEST", message, field="body")
    return parsed


def _with_unique_keys(pairs: list[tuple[str, Any]]) -> Json:
    parsed = dict(pairs)
    if len(parsed) != len(pairs):
        raise ValueError("keys must be unique")
    return parsed


def _no_constant(_: str) -> None:
    raise ValueError("NaN and Infinity are not JSON")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError("number is out of range")
    return number


def depth(value: object) -> int:
    """Return the nesting depth of a value. Iterative, because the input is untrusted and may be deep."""
    deepest = 0
    waiting: list[tuple[object, int]] = [(value, 1)]
    while waiting:
        current, level = waiting.pop()
        if isinstance(current, dict):
            current = list(current.values())
        if isinstance(current, list):
            deepest = max(deepest, level)
            waiting += [(part, level + 1) for part in current]
    return deepest


def keys(value: object) -> int:
    """Count the keys of all objects in a value."""
    count, waiting = 0, [value]
    while waiting:
        current = waiting.pop()
        if isinstance(current, dict):
            count += len(current)
            waiting += current.values()
        elif isinstance(current, list):
            waiting += current
    return count
