"""The events of `whatsapp.fifo`: the day of the samples, and one of each kind of the worker's own events."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from events.whatsapp.sample_data import APP_ID, COMPANY, COUNTER
from events.whatsapp.samples import samples
from shared.runtime import clock
from tests.integration.isolation.whatsapp import whatsapp_events, whatsapp_setup
from tests.simulation.whatsapp.event_builders import outbound_event, unfinished_send
from tests.simulation.whatsapp.system import System
from tests.upgrade.queues.context import Context, Record, entry_of
from whatsapp.inbound.event import PRIVACY_JOB, TRANSCRIPTION
from whatsapp.inbound.payments import claims
from whatsapp.inbound.transcript_requests import MESSAGE
from whatsapp.store.items.accounts.phones import CONVERSATIONS
from whatsapp.worker.media import downloads
from whatsapp.worker.messages import read_receipts

FOLLOW_UPS = frozenset({downloads.KIND, read_receipts.KIND, PRIVACY_JOB})


class Inbox(Context[System]):
    """The WhatsApp inbox."""

    system = System

    def begin(self, system: System) -> None:
        system.reset(auto_mark_read=True, automation=CONVERSATIONS)
        # The job of the recorded event, which names it.
        own = system.admin.privacy_jobs
        own.start("export", COMPANY, whatsapp_setup.UNKNOWN_CUSTOMER, by="an agent")
        system.drain()

    def make(self, system: System) -> Iterator[Record]:
        """The day of the samples, with one of each kind of the worker's own events at its end."""
        for sample in samples():
            system.deliver(sample.event)
            system.drain()
        system.deliver(outbound_event("wamid.sent-by-parley"))
        system.deliver(unfinished_send())
        made = whatsapp_events.made("identity", whatsapp_events.IDENTITY, "user_id_update")
        number = {"waba": COUNTER.waba, "phone": COUNTER.phone, "displayPhone": COUNTER.display}
        identity = made | number | {"app": APP_ID}
        asked = whatsapp_events.made(
            TRANSCRIPTION, {MESSAGE: "MSG#wamid.sent-by-parley"}, TRANSCRIPTION
        )
        claim = claims.check_of(COMPANY, "ORDER-0001", "15 minutes", clock.now_ms())
        bodies = [
            *map(json.loads, system.queue.accepted.values()),
            identity,
            asked | number | {"source": "parley"},
            json.loads(claim.body),
        ]
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

    def put(self, system: System, record: Record) -> None:
        system.deliver(entry_of(record, len(system.queue.accepted)))

    def try_once(self, system: System) -> None:
        system.run_worker()

    def handle(self, system: System, record: Record) -> bool:
        self.put(system, record)
        message_id = list(system.queue.accepted)[-1]
        system.drain()
        return system.outcomes.get(message_id, "dead") in {"persisted", "duplicate"}

    def rows(self, system: System) -> list[dict[str, Any]]:
        return list(system.items().values())

    def is_done(self, system: System) -> bool:
        return not system.queue.messages and not system.queue.dead_letters
