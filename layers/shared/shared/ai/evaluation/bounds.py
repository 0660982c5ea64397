"""The bounds of a run of an evaluation, and what it has used of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

REACHED: Final = "evaluation_bound"  # the code of a refused call


@dataclass(slots=True)
class Bounds:
    """The most *calls* and *micros* (micro-dollars, by list prices) of a run, and what it has used."""

    calls: int
    micros: int
    used_calls: int = 0
    used_micros: int = 0

    @property
    def has_room(self) -> bool:
        """Whether another call may be made, at any price."""
        return self.used_calls < self.calls and self.used_micros < self.micros
