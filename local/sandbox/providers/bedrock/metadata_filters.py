"""The filters of Retrieve: which forms the service refuses, and which metadata they select."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

_GROUPS = {"andAll": all, "orAll": any}
_NUMBERS: dict[str, Callable[[float, float], bool]] = {
    "greaterThan": lambda value, bound: value > bound,
    "greaterThanOrEquals": lambda value, bound: value >= bound,
    "lessThan": lambda value, bound: value < bound,
    "lessThanOrEquals": lambda value, bound: value <= bound,
}
_OTHERS: dict[str, Callable[[Any, Any], bool]] = {
    "equals": lambda value, given: value == given,
    "notEquals": lambda value, given: value != given,
    "in": lambda value, given: value in given,
    "notIn": lambda value, given: value not in given,
    "startsWith": lambda value, given: str(value).startswith(given),
    "stringContains": lambda value, given: given in value,
    "listContains": lambda value, given: isinstance(value, list) and given in value,
}
_LISTS = frozenset({"in", "notIn"})
_TEXTS = frozenset({"startsWith", "stringContains"})
_DEEPEST = 2  # a group may contain groups, which may not


class FilterRefused(Exception):
    """The filter breaks this rule."""


def check(conditions: dict[str, Any] | None, depth: int = 1) -> None:
    """Check the values of a filter whose form the service model permits. Raises FilterRefused."""
    for operator, given in (conditions or {}).items():
        if operator in _GROUPS:
            if depth > _DEEPEST:
                raise FilterRefused("groups can be nested once only")
            for condition in given:
                check(condition, depth + 1)
            continue
        value = given["value"]
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if operator in _NUMBERS and not is_number:
            raise FilterRefused(f"{operator} needs a number")
        if operator in _LISTS and not isinstance(value, list):
            raise FilterRefused(f"{operator} needs a list")
        if operator in _TEXTS and not isinstance(value, str):
            raise FilterRefused(f"{operator} needs a string")


def selects(conditions: dict[str, Any], metadata: dict[str, Any]) -> bool:
    """Whether a checked filter selects a document with this metadata; an absent attribute meets no condition."""
    ((operator, given),) = conditions.items()
    if operator in _GROUPS:
        return _GROUPS[operator](selects(condition, metadata) for condition in given)
    value = metadata.get(given["key"])
    if value is None:
        return False
    if operator in _NUMBERS:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return is_number and _NUMBERS[operator](value, given["value"])
    return _OTHERS[operator](value, given["value"])
