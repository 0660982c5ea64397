"""Runs workers of several queues as their event sources would, until the queues are empty."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.simulation.interceptor import Died
from tests.simulation.invocations import Invocation
from tests.simulation.processes import quiet

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from tests.simulation.clock import Clock
    from tests.simulation.fifo import Queued
    from tests.simulation.fifo_queues import FifoQueues
    from tests.simulation.interceptor import Interceptor

MOST_ROUNDS = 120


@dataclass(kw_only=True)
class Workers(ABC):
    """Queues and the modules that handle them: *workers* by the name of their queue; other queues have no worker."""

    clock: Clock
    fifo_queues: FifoQueues
    interceptor: Interceptor
    workers: dict[str, ModuleType] = field(default_factory=dict)
    timeout_ms: int = 120_000

    @abstractmethod
    def new_process(self) -> None:
        """A cold start: the state in memory is lost."""

    def run_worker(self, queue_name: str, message: Queued, run: Invocation | None = None) -> None:
        """One invocation of a worker, as the event source would treat its answer."""
        try:
            failed = self.invoke_worker(queue_name, message, run)
        except Died:
            self.new_process()
        else:
            if not failed:
                self.fifo_queues.delete(queue_name, message)

    def invoke_worker(
        self, queue_name: str, message: Queued, run: Invocation | None = None
    ) -> bool:
        """The handler's response for one message: whether to retry it."""
        self.interceptor.start_run()
        event = {"Records": [message.as_record(queue_name)]}
        run = run or Invocation(self.clock, lasts_ms=self.timeout_ms)
        with quiet():
            answer: dict[str, Any] = self.workers[queue_name].handler(event, run)
        failed = [entry["itemIdentifier"] for entry in answer["batchItemFailures"]]
        assert failed in ([], [message.message_id])
        return bool(failed)

    def drain(
        self,
        between: Callable[[], None] = lambda: None,
        *,
        is_over: Callable[[], bool] = lambda: False,
    ) -> None:
        """
        Run workers, and wait for hidden messages, until their queues are empty or *is_over*; call *between* after each
        run.
        """
        for _ in range(MOST_ROUNDS):
            if is_over():
                return
            waiting = [
                n for n, q in self.fifo_queues.queues.items() if q.messages and n in self.workers
            ]
            if not waiting:
                return
            batch = [
                (queue, message)
                for queue, message in self.fifo_queues.receive()
                if queue in self.workers
            ]
            for queue, message in batch:
                self.run_worker(queue, message)
                between()
            if not batch:
                self.wait()
        raise AssertionError("the queues are never empty")

    def wait(self) -> None:
        """Advance the clock until the next hidden message becomes visible."""
        self.clock.ms = self.fifo_queues.next_visible_at() or self.clock.ms
