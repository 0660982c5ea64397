"""The events of `whatsapp.fifo`: the day of the samples, and one of each kind of the worker's own events."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any

from events.whatsapp.cast import APP_ID, COUNTER
from events.whatsapp.samples import samples
from tests.integration.isolation import whatsapp_events
from tests.simulation.whatsapp.evening import announced
from tests.simulation.whatsapp.stage import running_world
from tests.simulation.whatsapp.world import World
from tests.upgrade.queues.context import Context, Record, entry_of
from whatsapp.store.items.phones import CONVERSATIONS
from whatsapp.worker.media import downloads
from whatsapp.worker.messages import read_receipts

FOLLOW_UPS = frozenset({downloads.KIND, read_receipts.KIND})


class Inbox(Context[World]):
    """The WhatsApp inbox."""

    def running(self) -> AbstractContextManager[World]:
        return running_world()

    def begin(self, world: World) -> None:
        world.reset(auto_mark_read=True, automation=CONVERSATIONS)

    def make(self, world: World) -> Iterator[Record]:
        """The day of the samples, with one of each kind of the worker's own events at its end."""
        for sample in samples():
            world.deliver(sample.event)
            world.work_off()
        world.deliver(announced("wamid.sent-by-parley"))
        made = whatsapp_events.made("identity", whatsapp_events.IDENTITY, "user_id_update")
        number = {"waba": COUNTER.waba, "phone": COUNTER.phone, "displayPhone": COUNTER.display}
        identity = made | number | {"app": APP_ID}
        bodies = [*map(json.loads, world.queue.accepted.values()), identity]
        follow_ups = {body["kind"]: body for body in bodies if body.get("kind") in FOLLOW_UPS}
        for body in (
            *(body for body in bodies if body.get("kind") not in FOLLOW_UPS),
            *follow_ups.values(),
        ):
            yield {"queue": "whatsapp", "type": whatsapp_events.kind_of(body), "body": body}

    def types(self) -> frozenset[str]:
        messages = {f"message/{kind}" for kind in whatsapp_events.message_types()}
        # A message's kind is recorded with its type.
        return whatsapp_events.kinds() - {"message"} | messages

    def put(self, world: World, record: Record) -> None:
        world.deliver(entry_of(record, len(world.queue.accepted)))

    def try_once(self, world: World) -> None:
        world.run_worker()

    def handle(self, world: World, record: Record) -> bool:
        self.put(world, record)
        message_id = list(world.queue.accepted)[-1]
        world.work_off()
        return world.outcomes.get(message_id, "dead") in {"persisted", "duplicate"}

    def rows(self, world: World) -> list[dict[str, Any]]:
        return list(world.items().values())

    def is_done(self, world: World) -> bool:
        return not world.queue.messages and not world.queue.dead_letters
