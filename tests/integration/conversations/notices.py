"""What customers are told of a hand-off."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.integration.conversations.acts import (
    said,
)

if TYPE_CHECKING:
    from tests.simulation.conversations.world import World

NOTICE = "A colleague will answer you soon."


def told(world: World, ref: str) -> list[str]:
    return said(world, ref, "system")
