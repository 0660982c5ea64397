"""An attack by an event: B's provider, or another part of Parley, delivers an event that names items of A."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.integration.isolation.attacks.attacks import assert_unchanged
from tests.integration.isolation.deployed_companies import QueuedCompanies


@dataclass(frozen=True, slots=True, kw_only=True)
class EventAttack[W]:
    """
    One event at one surface: a route (`POST /webhooks/twilio`), a topic or a queue (`function <- source`).

    *type* is the type of the event as the surface defines it. *names* lists the items of A in it and the signer of
    it. *make* delivers it. *parked* are the allowed reasons for parking it; empty if it may also be handled as an event
    of B.
    """

    surface: str
    type: str
    names: str
    make: Callable[[W], object]
    parked: frozenset[str] = frozenset()

    def __str__(self) -> str:
        return f"{self.surface} {self.type}: {self.names}"


def items_after[W: QueuedCompanies[Any]](
    companies: W, attack: EventAttack[W]
) -> list[dict[str, Any]]:
    """Deliver an event among the items of A, and return the new items. Fails if an item of A changed."""
    companies.without_a()
    owned = companies.stored()
    companies.with_a()
    for _, queue in companies.queues():
        queue.messages.clear()  # of A's own jobs
    before = companies.stored()

    attack.make(companies)
    companies.system.drain()

    after = companies.stored()
    assert_unchanged(str(attack), before, after, owned, ())
    return [after[key] for key in after.keys() - before.keys() if isinstance(after[key], dict)]
