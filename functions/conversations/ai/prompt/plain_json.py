"""Converts DynamoDB values to JSON values."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any


def plain(value: Any) -> Any:  # noqa: ANN401 - any JSON value, with decimals in it
    """Return *value* with decimals as int or float. Raises TypeError if it is not a JSON value."""
    return json.loads(json.dumps(value, default=_number))


def _number(value: object) -> int | float:
    if not isinstance(value, Decimal):
        raise TypeError
    return int(value) if value == value.to_integral_value() else float(value)
