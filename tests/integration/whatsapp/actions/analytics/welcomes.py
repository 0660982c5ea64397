"""Drives sequences: the worker, the jobs and the schedule over one storage, with a clock that the tests move."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import boto3
import pytest

from shared.aws.sqs_standard import StandardQueue
from tests.integration.whatsapp.actions.conftest import WABA
from tests.integration.whatsapp.conftest import PHONE, text
from whatsapp import store

if TYPE_CHECKING:
    from tests.integration.whatsapp.actions.campaigns.runs import Runs
    from tests.integration.whatsapp.actions.conftest import Actions, Answer

GRACE = "447700900555"
HELLO: dict[str, Any] = {"delayMinutes": 0, "text": "Hello!"}
LATER: dict[str, Any] = {"delayMinutes": 30, "text": "Any questions?"}
OPENS_THE_CHAT: dict[str, Any] = {"type": "request_welcome", "text": None}


@dataclass
class Welcomes:
    """The account's sequences, and customers who write to its number."""

    runs: Runs
    written: int = 0

    @property
    def actions(self) -> Actions:
        return self.runs.actions

    def set_up(self, *messages: dict[str, Any], name: str = "welcome", **more: Any) -> Answer:
        """Call the action; workers know its result at once."""
        body = {"metaWabaId": WABA, "sequenceName": name, "messages": list(messages)} | more
        answer = self.actions.run("setup_welcome_sequence", body)
        store.phones.forget()
        return answer

    def write(self, sender: str = GRACE, identity: str = "", **more: Any) -> dict[str, Any]:
        """A customer writes now; the worker handles the message, not the jobs that it starts."""
        self.written += 1
        message = text(
            identity or f"wamid.new.{self.written}",
            at=self.runs.now // 1_000,
            sender=sender,
            **more,
        )
        message = {name: value for name, value in message.items() if value is not None}
        self.actions.harness.take({"messages": [message]})
        return message

    def run(self, sender: str = GRACE) -> dict[str, Any]:
        """The run of a customer; empty if there is none."""
        head = self.actions.item(f"CONV#{PHONE}#{sender}")
        return self.actions.item(f"SEQUENCE_RUN#{head.get('sequenceRun')}")

    def keys(self, kind: str) -> list[str]:
        """The keys of all items of a type."""
        return [key for key in self.actions.harness.keys() if key.startswith(f"{kind}#")]

    def sent(self) -> list[str]:
        """The texts, or the names of templates, that the provider accepted, in order."""
        bodies: list[Any] = [
            one.body for one in self.actions.wire if one.operation == "send_message"
        ]
        return [
            body["text"]["body"] if body["type"] == "text" else body["template"]["name"]
            for body in bodies
        ]


@pytest.fixture
def welcomes(runs: Runs) -> Welcomes:
    """An account without a sequence; the worker's jobs go to the queue of the jobs."""
    harness = runs.actions.harness
    runs.queue = runs.jobs.settings.whatsapp_jobs_queue_url  # not the queue of campaigns
    jobs = StandardQueue(lambda: boto3.client("sqs"), runs.queue)
    harness.resources = replace(harness.resources, files=jobs)
    return Welcomes(runs)
