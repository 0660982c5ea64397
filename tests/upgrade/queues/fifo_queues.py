"""Shared code of the contexts with several queues."""

from __future__ import annotations

from abc import ABC
from typing import Any

from tests.simulation.queues.workers import Workers
from tests.simulation.simulated_system import plain
from tests.upgrade.queues.context import Context, Record, entry_of


class FifoQueuesContext[W: Workers](Context[W], ABC):
    """A context whose system has several queues."""

    def put(self, system: W, record: Record) -> None:
        queue_name = next(
            name for name in system.fifo_queues.queues if short(name) == record["queue"]
        )
        system.fifo_queues.put(
            queue_name, entry_of(record, len(system.fifo_queues.queues[queue_name].accepted))
        )

    def try_once(self, system: W) -> None:
        for queue_name, message in system.fifo_queues.receive():
            system.run_worker(queue_name, message)

    def rows(self, system: W) -> list[dict[str, Any]]:
        return [plain(item) for item in system.stored().values()]

    def is_done(self, system: W) -> bool:
        return system.fifo_queues.is_empty and not system.fifo_queues.dead_letters


def short(queue: str) -> str:
    """`conversations-sms` of `parley-local-conversations-sms.fifo`."""
    return queue.removeprefix("parley-local-").removesuffix(".fifo")
