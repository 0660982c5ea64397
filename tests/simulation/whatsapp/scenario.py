"""A scenario: first deliveries without crashes, and then deliveries during which workers crash."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from shared.aws.sqs_fifo import Entry
from tests.simulation.queues.fifo import DEDUPLICATION_MS
from tests.simulation.whatsapp.event_builders import Event
from whatsapp.store.items.accounts.phones import NO_AUTOMATION

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.simulation.whatsapp.system import Snapshot, System


@dataclass(frozen=True)
class Scenario:
    """
    *first* and *then* are Lambda events of the ingress or queue entries of another context; *seed* writes the items of
    other parts of Parley.
    """

    name: str
    then: tuple[Event | Entry, ...]
    first: tuple[Event | Entry, ...] = ()
    auto_mark_read: bool = False
    automation: str = NO_AUTOMATION
    seed: Callable[[System], None] = field(default=lambda _: None)

    def begin(self, system: System) -> Snapshot:
        """A snapshot of a new system up to the point where crashes may happen."""
        system.reset(auto_mark_read=self.auto_mark_read, automation=self.automation)
        self.seed(system)
        for event in self.first:
            system.deliver_until_accepted(event)
            system.drain()
        # After this interval the queue no longer deduplicates the provider's repeats.
        system.clock.sleep(DEDUPLICATION_MS / 1_000)
        self.deliver(system)
        snapshot = system.snapshot()
        system.restore(snapshot)
        return snapshot

    def deliver(self, system: System) -> None:
        """Deliver *then* to the ingress."""
        for event in self.then:
            system.deliver_until_accepted(event)
