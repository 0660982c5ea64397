"""The events of the queue of e-mail threads."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, get_args, get_type_hints

from email_threads.inbound.events import (
    EmailDue,
    EmailErase,
    EmailEvaluate,
    EmailMerge,
    EmailSeparate,
    EmailShadow,
    Event,
)
from shared.events.queued_events import body_of
from tests.integration.email_threads import drafting
from tests.simulation.email_threads import people
from tests.simulation.email_threads.mails import verified
from tests.simulation.email_threads.system import ANN, ASSISTED, System, mail
from tests.upgrade.queues.context import Record
from tests.upgrade.queues.fifo_queues import FifoQueuesContext, short

THREAD = "0123456789abcdef"


class Mails(FifoQueuesContext[System]):
    """E-mail threads."""

    system = System

    def begin(self, system: System) -> None:
        """What the recorded events name: a mail, one that the model reads, an answer that SES has sent, and a job."""
        system.reset()
        drafting.answered(system)
        people.arrive(system, verified(mail("assisted@x")), address=ASSISTED)
        system.report("Delivery")
        people.requested(system, "export", ANN)
        system.drain()

    def make(self, system: System) -> Iterator[Record]:
        """Events of answered mails, of merges, erasures and evaluations. S3 and SES set the version of theirs."""
        for body in system.fifo_queues.queues[system.queue].accepted.values():
            yield _record(system.queue, json.loads(body)["type"], body)
        for event in (
            EmailMerge(loser=THREAD, winner=THREAD[::-1]),
            EmailErase(conversation_id=THREAD),
            EmailSeparate(
                source=THREAD, target=THREAD[::-1], actor="login:kim", cause="0123", numbers=[1]
            ),
            EmailDue(conversation_id=THREAD, look_at="2026-01-01T14:30:00.000Z"),
            EmailEvaluate(company_id="acme", address=ASSISTED, run_id=THREAD, position=0),
            EmailShadow(conversation_id=THREAD, n=1, email_id=THREAD, trial_id="0-0"),
        ):
            yield _record(system.queue, event.type, body_of(event))

    def types(self) -> frozenset[str]:
        return frozenset(
            get_args(get_type_hints(event)["type"])[0] for event in get_args(Event.__value__)
        )

    def handle(self, system: System, record: Record) -> bool:
        if (
            record["type"] == "email.feedback"
        ):  # SES's id of the mail is another one in each system.
            record["body"]["ses_id"] = system.sent()[0]["ses_id"]
        self.put(system, record)
        system.drain()
        return not system.parked() and not system.fifo_queues.dead_letters


def _record(queue: str, type_: str, body: str) -> Record:
    fields: dict[str, Any] = json.loads(body)
    return {"queue": short(queue), "type": type_, "body": fields}
