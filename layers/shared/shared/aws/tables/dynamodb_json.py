"""Converts JSON into values that DynamoDB can store, without losing meaningful data, and stored values into JSON."""

import json
import math
import re
from decimal import Decimal
from typing import Any

# Control characters other than newline and tab, which carry no text, and lone surrogates, which have no UTF-8.
_UNSTORABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|[\ud800-\udfff]")
_DEEPEST = 16  # DynamoDB allows 32 levels; the item around a payload needs some of them.
_TOO_MANY_DIGITS = int("1" + "0" * 38)
_LARGEST = 1e125
_SMALLEST = 1e-125


def storable(value: Any, depth: int = 0) -> Any:  # noqa: ANN401 - any JSON value
    """
    Return a storable copy: invalid characters as U+FFFD, deeply nested parts as JSON text, extreme numbers as text.

    Never raises for a JSON value.
    """
    if isinstance(value, str):
        return _UNSTORABLE.sub("\ufffd", value)
    if isinstance(value, dict | list) and depth >= _DEEPEST:
        return storable(json.dumps(value))
    if isinstance(value, dict):
        return {storable(key) or "_": storable(entry, depth + 1) for key, entry in value.items()}
    if isinstance(value, list):
        return [storable(entry, depth + 1) for entry in value]
    return value if _fits(value) else str(value)


def plain(value: Any) -> Any:  # noqa: ANN401 - any JSON value, with decimals in it
    """Return a stored value as JSON has it: decimals as int or float. Raises TypeError if it is not a JSON value."""
    return json.loads(json.dumps(value, default=_number))


def _number(value: object) -> int | float:
    if not isinstance(value, Decimal):
        raise TypeError
    return int(value) if value == value.to_integral_value() else float(value)


def _fits(value: Any) -> bool:  # noqa: ANN401 - a JSON value that is neither text nor nested
    if isinstance(value, float):
        return math.isfinite(value) and (value == 0 or _SMALLEST <= abs(value) <= _LARGEST)
    if isinstance(value, int):
        return abs(value) < _TOO_MANY_DIGITS
    return True
