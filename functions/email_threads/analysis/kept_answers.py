"""A model's answer as it is stored at its mail, read without the code that asks models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

VERSION: Final = "ai_version"
COST: Final = "cost_micros"


def version_of(kept: Mapping[str, Any]) -> int | None:
    """Return the version of the settings with which a stored answer was made; None if it is not known."""
    return int(kept[VERSION]) if VERSION in kept else None


def cost_of(kept: Mapping[str, Any]) -> int | None:
    """Return what a stored answer has cost in micro-dollars; None if the price of its model is not known."""
    return int(kept[COST]) if COST in kept else None
