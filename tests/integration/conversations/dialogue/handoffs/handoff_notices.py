"""Hand-off notices to customers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.integration.conversations.steps import (
    texts_by,
)

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

NOTICE = "A colleague will answer you soon."


def notices_sent(system: System, ref: str) -> list[str]:
    return texts_by(system, ref, "system")
