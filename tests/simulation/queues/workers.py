"""Runs workers of several queues as their event sources would, until the queues are empty."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests import template
from tests.simulation.interceptor import Died
from tests.simulation.invocations import Invocation
from tests.simulation.processes import quiet
from tests.simulation.queues.fifo import FifoQueue
from tests.simulation.queues.fifo_queues import FifoQueues
from tests.simulation.simulated_system import SimulatedSystem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import ModuleType

    from tests.simulation.clock import Clock
    from tests.simulation.queues.fifo import Queued

MOST_ROUNDS = 120


@dataclass(kw_only=True)
class Workers(SimulatedSystem[FifoQueues]):
    """A system with several queues. *workers* are the handlers by the name of their queue; other queues have none."""

    workers: dict[str, ModuleType] = field(init=False)
    timeout_ms: int = 120_000

    def __post_init__(self) -> None:
        super().__post_init__()
        self.workers = {
            queue: module
            for function, module in self.functions.items()
            for queue in self._queues_of(function)
            if queue in self.fifo_queues.queues
        }

    def _queues_of(self, function: str) -> list[str]:
        events = template.properties(function, **self.given).get("Events", {}).values()
        arns = [one["Properties"]["Queue"] for one in events if one["Type"] == "SQS"]
        return [arn.rpartition(":")[2] for arn in arns]

    @classmethod
    def new_queues(cls, clock: Clock, given: Mapping[str, str]) -> FifoQueues:
        wanted = [template.properties(queue, **given) for queue in cls.parts.queues]
        return FifoQueues(
            {one["QueueName"]: FifoQueue.of(one, clock) for one in wanted},
            {one["QueueName"]: one.get("DelaySeconds", 0) * 1_000 for one in wanted},
        )

    @property
    def fifo_queues(self) -> FifoQueues:
        """All queues, with and without a worker."""
        return self.interceptor.queue

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
