"""The events of the help desk's queues: a webhook's, and those that Parley queues itself."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from richpanel.inbound.channels import Channel
from richpanel.inbound.evaluation_step import TYPE, EvaluationStep
from richpanel.inbound.event import SOURCES
from richpanel.inbound.wakeups import WakeupEvent
from tests.simulation.richpanel.scenarios import DISPUTE, TICKET, opens
from tests.simulation.richpanel.system import System
from tests.upgrade.queues.context import Record
from tests.upgrade.queues.fifo_queues import FifoQueuesContext


class HelpDesk(FifoQueuesContext[System]):
    """The help-desk middleware."""

    system = System

    def begin(self, system: System) -> None:
        system.reset()
        opens(system, DISPUTE)

    def make(self, system: System) -> Iterator[Record]:
        """A webhook, and events that Parley queues itself."""
        system.call({"ticket_id": TICKET, "message_id": "m-1"})
        for queue in system.fifo_queues.queues.values():
            for body in queue.accepted.values():
                yield _of_help_desk(json.loads(body))
        for source in ("sweep", "replay", "backfill"):
            wakeup = WakeupEvent(
                conversation_id=TICKET,
                channel=Channel.EMAIL,
                source=source,
                deduplication="0",
                event_id=f"evt:rp:{TICKET}:m-1" if source == "backfill" else None,
            )
            yield _of_help_desk(json.loads(wakeup.as_entry().body))
        step = EvaluationStep(run_id="0123456789abcdef", position=0)
        yield {"queue": "richpanel", "type": TYPE, "body": json.loads(step.entry().body)}

    def types(self) -> frozenset[str]:
        return SOURCES | {TYPE}

    def handle(self, system: System, record: Record) -> bool:
        self.put(system, record)
        system.drain()
        statuses = {row.get("status") for row in system.rows().values()}
        return "parked" not in statuses and not system.fifo_queues.dead_letters


def _of_help_desk(body: dict[str, Any]) -> Record:
    return {"queue": "richpanel", "type": body["source"], "body": body}
