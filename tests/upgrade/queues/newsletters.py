"""The events of the queues of newsletters."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, get_args, get_type_hints

from newsletters.inbound.events import ExportRequested, WorkEvent
from tests.simulation.newsletters import scenarios
from tests.simulation.newsletters.system import System
from tests.upgrade.queues.context import Record
from tests.upgrade.queues.fifo_queues import FifoQueuesContext, short


class Newsletters(FifoQueuesContext[System]):
    """Newsletters. The recorded events name one that exists, its jobs, and one that does not exist any more."""

    system = System

    def begin(self, system: System) -> None:
        """A newsletter with a draft; a job, an export and a request of its author that wait without a message."""
        system.reset()
        scenarios.DRAFTED(system)
        for queue in system.fifo_queues.queues.values():
            queue.accepted.clear()
        scenarios.exported("markdown")(system)
        scenarios.requested("export")(system)
        scenarios.started("draft", "again")(system)
        for queue in system.fifo_queues.queues.values():
            queue.messages.clear()

    def make(self, system: System) -> Iterator[Record]:
        """Events of work that is requested, and of a deletion."""
        for name, queue in system.fifo_queues.queues.items():
            for body in queue.accepted.values():
                yield _record(name, body)
        scenarios.deleted(system)
        *_, purge = system.fifo_queues.queues[system.steps_queue].accepted.values()
        yield _record(system.steps_queue, purge)

    def types(self) -> frozenset[str]:
        events = (*get_args(WorkEvent.__value__), ExportRequested)
        return frozenset(get_args(get_type_hints(event)["type"])[0] for event in events)

    def handle(self, system: System, record: Record) -> bool:
        """An event of a job is handled if the job has ended."""
        self.put(system, record)
        system.drain()
        job_id, rows = record["body"].get("job_id"), system.rows().values()
        is_open = any(row.get("job_id") == job_id and "GSI1SK" in row for row in rows if job_id)
        return not is_open and not system.parked() and not system.fifo_queues.dead_letters


def _record(queue: str, body: str) -> Record:
    fields: dict[str, Any] = json.loads(body)
    return {"queue": short(queue), "type": fields["type"], "body": fields}
