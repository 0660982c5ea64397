"""The events of the queues of newsletters."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, get_args, get_type_hints

from newsletters.inbound.events import ExportRequested, WorkEvent
from newsletters.series import looks
from shared.events.issue_feedback import ISSUE, RECIPIENT, feedback_entry
from shared.runtime import clock
from tests.simulation.newsletters import scenarios
from tests.simulation.newsletters.steps import issues, readers, series
from tests.simulation.newsletters.system import System
from tests.upgrade.queues.context import Record
from tests.upgrade.queues.fifo_queues import FifoQueuesContext, short


class Newsletters(FifoQueuesContext[System]):
    """Newsletters. The recorded events name one that exists, its jobs, and one that does not exist any more."""

    system = System

    def begin(self, system: System) -> None:
        """An issue; a job, an export, a request, a sign-up, a test and the sending that wait without a message."""
        system.reset()
        issues.READY(system)
        for queue in system.fifo_queues.queues.values():
            queue.accepted.clear()
        readers.signed_up(system, readers.published(system))
        addresses = {"addresses": ["ann@shop.example"]}
        system.act("POST", f"{issues.ONE}/test", addresses, key="test mail")
        scenarios.exported("docx", key="second")(system)
        scenarios.requested("export")(system)
        scenarios.set_stored(system)
        scenarios.run_begun(system)
        scenarios.started("draft", "again")(system)
        issues.sent(system)
        series.begun(system)
        looks.look_after(system.scheduled.resources, series.one(system))
        tags = {ISSUE: system.issue_id, RECIPIENT: "a" * 64}
        at = clock.to_text(system.clock.ms)
        feedback = feedback_entry("Delivery", at, "ses-1", tags, {})
        assert feedback is not None
        system.fifo_queues.put(system.steps_queue, feedback)
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
