"""The events of the help desk's queues: a webhook's, and those that Parley queues itself."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any

from richpanel.inbound.channels import Channel
from richpanel.inbound.event import SOURCES
from richpanel.inbound.wakeups import WakeupEvent
from tests.simulation.richpanel.scenarios import DISPUTE, TICKET, opens
from tests.simulation.richpanel.stage import running_world
from tests.simulation.richpanel.world import World
from tests.upgrade.queues.context import Record
from tests.upgrade.queues.lanes import LanesContext


class HelpDesk(LanesContext[World]):
    """The help-desk middleware."""

    def running(self) -> AbstractContextManager[World]:
        return running_world()

    def begin(self, world: World) -> None:
        world.reset()
        opens(world, DISPUTE)

    def make(self, world: World) -> Iterator[Record]:
        """A webhook, and events that Parley queues itself."""
        world.call({"ticket_id": TICKET, "message_id": "m-1"})
        for queue in world.lanes.queues.values():
            for body in queue.accepted.values():
                yield _of_help_desk(json.loads(body))
        for source in ("sweep", "replay"):
            wakeup = WakeupEvent(
                conversation_id=TICKET,
                channel=Channel.EMAIL,
                source=source,
                deduplication="0",
            )
            yield _of_help_desk(json.loads(wakeup.as_entry().body))

    def types(self) -> frozenset[str]:
        return SOURCES

    def handle(self, world: World, record: Record) -> bool:
        self.put(world, record)
        world.work_off()
        statuses = {row.get("status") for row in world.rows().values()}
        return "parked" not in statuses and not world.lanes.dead_letters


def _of_help_desk(body: dict[str, Any]) -> Record:
    return {"queue": "richpanel", "type": body["source"], "body": body}
