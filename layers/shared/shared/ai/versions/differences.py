"""Differences between the settings of two versions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# The path of a setting, and its value in each of two versions; None where it is absent.
type Difference = tuple[str, Any, Any]


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Difference]:
    """Return the settings that differ, in the order of their paths; a list is one value."""
    return sorted(_differences(before, after, ""), key=lambda one: one[0])


def _differences(
    before: Mapping[str, Any], after: Mapping[str, Any], path: str
) -> Iterator[Difference]:
    for name in before.keys() | after.keys():
        old, new = before.get(name), after.get(name)
        if isinstance(old, dict) and isinstance(new, dict):
            yield from _differences(old, new, f"{path}{name}.")
        elif old != new:
            yield f"{path}{name}", old, new
