"""Provider JSON made into what DynamoDB can hold, losing nothing that people would miss."""

import json
import math
import re
from typing import Any

# Control characters but newline and tab, and lone surrogates: these have no UTF-8, those nobody wants to read.
_UNSTORABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|[\ud800-\udfff]")
_DEEPEST = 16  # DynamoDB nests 32 levels; the item around a payload needs some of them.
_TOO_MANY_DIGITS = int("1" + "0" * 38)
_LARGEST = 1e125
_SMALLEST = 1e-125


def storable(value: Any, depth: int = 0) -> Any:  # noqa: ANN401 - any JSON value
    """
    The same value, storable: odd characters as U+FFFD, what is nested too deep as JSON text, extreme numbers as text.

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


def _fits(value: Any) -> bool:  # noqa: ANN401 - a JSON value that is neither text nor nested
    if isinstance(value, float):
        return math.isfinite(value) and (value == 0 or _SMALLEST <= abs(value) <= _LARGEST)
    if isinstance(value, int):
        return abs(value) < _TOO_MANY_DIGITS
    return True
