"""An attack by an event: B's provider, or another part of Parley, hands over an event that names things of A."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class EventAttack[W]:
    """
    One event at one surface: a route (`POST /webhooks/twilio`), a topic or a queue (`function <- source`).

    *type* is the type of the event, in the words of the surface. *names* says what of A it names, and who vouches for
    it. *make* hands it over. *parked* are the reasons under which it may be parked; empty where it may also be handled,
    as an event of B.
    """

    surface: str
    type: str
    names: str
    make: Callable[[W], object]
    parked: frozenset[str] = frozenset()

    def __str__(self) -> str:
        return f"{self.surface} {self.type}: {self.names}"
