"""Shared code of the contexts with several queues."""

from __future__ import annotations

from abc import ABC
from typing import Any, Protocol

from tests.simulation.lanes import Lanes
from tests.upgrade.queues.context import Context, Record, entry_of


class LanesSystem(Protocol):
    """A simulated system with several queues."""

    lanes: Lanes

    def run_worker(self, lane: str, message: Any) -> None:
        """Let the worker of a queue try a message."""

    def rows(self) -> Any:
        """All items by key."""


class LanesContext[W: LanesSystem](Context[W], ABC):
    """A context whose system has several queues."""

    def put(self, system: W, record: Record) -> None:
        lane = next(name for name in system.lanes.queues if short(name) == record["queue"])
        system.lanes.put(lane, entry_of(record, len(system.lanes.queues[lane].accepted)))

    def try_once(self, system: W) -> None:
        for lane, message in system.lanes.receive():
            system.run_worker(lane, message)

    def rows(self, system: W) -> list[dict[str, Any]]:
        return list(system.rows().values())

    def is_done(self, system: W) -> bool:
        return system.lanes.is_empty and not system.lanes.dead_letters


def short(queue: str) -> str:
    """`conversations-sms` of `parley-local-conversations-sms.fifo`."""
    return queue.removeprefix("parley-local-").removesuffix(".fifo")
