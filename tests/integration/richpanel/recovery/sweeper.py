"""The sweep of a worker's account, with its queues."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from local.sandbox.accounts.tickets import TicketSeed
from richpanel.inbound.webhook import EventQueues
from richpanel.recovery.sweep import Net, Swept, sweep
from richpanel.store import states
from richpanel.store.rate_limit import Priority
from shared.aws.sqs_fifo import FifoQueue
from tests.integration.richpanel.harness import Harness

MINUTE = 60_000
HOUR = 60 * MINUTE


@dataclass
class Sweeper:
    """The sweep of a worker's account, its queues, and the enqueued events."""

    harness: Harness
    queues: EventQueues

    def net(self, left_ms: int = 60_000) -> Net:
        # A new limiter per run: a test makes all requests at one moment, real runs make them over minutes.
        self.harness.resources.state.delete({"conversation_id": "sys:limiter:richpanel"})
        help_desk_client = self.harness.resources.help_desk(
            Priority.BACKGROUND, self.harness.time.ms + left_ms
        )
        assert help_desk_client is not None
        channels = self.harness.resources.account.channels
        return Net(
            state=self.harness.resources.state,
            help_desk=help_desk_client,
            queues=self.queues,
            channels=channels,
        )

    def run(self, left_ms: int = 60_000) -> Swept:
        return sweep(self.net(left_ms))

    def found(self) -> list[str]:
        """Receive and delete the events on both queues; returns their conversations."""
        return [str(event["conversation_id"]) for event in self.events()]

    def events(self) -> list[dict[str, Any]]:
        return [
            json.loads(body)
            for queue in (self.queues.live, self.queues.mail)
            for body in taken(queue)
        ]

    def ticket(self, name: str, minutes_ago: float, **facts: Any) -> None:
        """Create an open ticket that changed *minutes_ago*."""
        at = self.harness.moment(round(-minutes_ago * MINUTE))
        seed = {"id": name, "updated_at": at} | facts
        self.harness.sandbox.help_desk.seed(TicketSeed.model_validate(seed), at)

    def processed(self, name: str, minutes_ago: float) -> None:
        """Store that the worker processed a ticket *minutes_ago*."""
        text = self.harness.moment(round(-minutes_ago * MINUTE))
        states.change_conversation(
            self.harness.resources.state,
            name,
            lambda _: states.Change(put={"last_processed_at": text}),
        )

    def noted(self) -> dict[str, Any]:
        """The stored progress of the sweep, without the attributes of all rows."""
        row = self.harness.resources.state.get({"conversation_id": "sys:sweep"}) or {}
        names = ("completed_at", "began_at", "next_page")
        return {name: row[name] for name in names if name in row}


def taken(queue: FifoQueue) -> list[str]:
    bodies = []
    while answer := queue.client.receive_message(QueueUrl=queue.url, MaxNumberOfMessages=10).get(
        "Messages"
    ):
        for message in answer:
            bodies.append(message["Body"])
            queue.client.delete_message(QueueUrl=queue.url, ReceiptHandle=message["ReceiptHandle"])
    return bodies
