"""The events of the queue of e-mail threads."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any

from email_threads.inbound.events import EmailErase, EmailMerge, body_of
from tests.simulation.email_threads import people
from tests.simulation.email_threads.setup import running_system
from tests.simulation.email_threads.system import ANN, System, mail
from tests.upgrade.queues.context import Record
from tests.upgrade.queues.fifo_queues import FifoQueuesContext, short

THREAD = "0123456789abcdef"


class Mails(FifoQueuesContext[System]):
    """E-mail threads."""

    def running(self) -> AbstractContextManager[System]:
        return running_system()

    def begin(self, system: System) -> None:
        system.reset()
        self.raw_key = system.store(mail("a@x"), name="1")
        # The job of the recorded event, which names it.
        people.requested(system, "export", ANN)
        system.drain()

    def make(self, system: System) -> Iterator[Record]:
        """A received mail, and events that Parley queues itself. S3's notifications have no version of ours."""
        system.notify(self.raw_key)
        system.drain()
        for body in system.fifo_queues.queues[system.queue].accepted.values():
            yield _record(system.queue, json.loads(body)["type"], body)
        for event in (
            EmailMerge(loser=THREAD, winner=THREAD[::-1]),
            EmailErase(conversation_id=THREAD),
        ):
            yield _record(system.queue, event.type, body_of(event))

    def types(self) -> frozenset[str]:
        return frozenset({"email.received", "email.merge", "email.erase", "email.privacy"})

    def handle(self, system: System, record: Record) -> bool:
        self.put(system, record)
        system.drain()
        return not system.parked() and not system.fifo_queues.dead_letters


def _record(queue: str, type_: str, body: str) -> Record:
    fields: dict[str, Any] = json.loads(body)
    return {"queue": short(queue), "type": type_, "body": fields}
