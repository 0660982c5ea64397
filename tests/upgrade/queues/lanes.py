"""Shared code of the contexts with several queues."""

from __future__ import annotations

from abc import ABC
from typing import Any, Protocol

from tests.simulation.lanes import Lanes
from tests.upgrade.queues.context import Context, Record, entry_of


class LanesWorld(Protocol):
    """A simulated world with several queues."""

    lanes: Lanes

    def run_worker(self, lane: str, message: Any) -> None:
        """Let the worker of a queue try a message."""

    def rows(self) -> Any:
        """All items by key."""


class LanesContext[W: LanesWorld](Context[W], ABC):
    """A context whose world has several queues."""

    def put(self, world: W, record: Record) -> None:
        lane = next(name for name in world.lanes.queues if short(name) == record["queue"])
        world.lanes.put(lane, entry_of(record, len(world.lanes.queues[lane].accepted)))

    def try_once(self, world: W) -> None:
        for lane, message in world.lanes.receive():
            world.run_worker(lane, message)

    def rows(self, world: W) -> list[dict[str, Any]]:
        return list(world.rows().values())

    def is_done(self, world: W) -> bool:
        return world.lanes.is_empty and not world.lanes.dead_letters


def short(queue: str) -> str:
    """`conversations-sms` of `parley-local-conversations-sms.fifo`."""
    return queue.removeprefix("parley-local-").removesuffix(".fifo")
