"""Drives campaigns: jobs of the queue and the schedule run in this process, killed at a chosen call if wanted."""

from __future__ import annotations

import importlib
import random
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from unittest import mock

import boto3
import pytest
from moto.sqs import models as moto_queues

from shared.aws.workers import sqs_worker
from shared.runtime import clock
from shared.runtime.observability import metrics
from tests.aws import quick_aws
from tests.integration.whatsapp.actions.conftest import AWS_KEY, WABA
from tests.integration.whatsapp.conftest import NOW, PHONE
from tests.template import environment
from whatsapp.actions.campaigns.pages import outcomes, recipients
from whatsapp.store.analytics import changed_hours
from whatsapp.store.items import Conversation
from whatsapp.store.items.analytics.counts import Counting

if TYPE_CHECKING:
    from types import ModuleType

    from tests.integration.whatsapp.actions.conftest import Actions

TEMPLATE: dict[str, Any] = {
    "name": "bike_ready",
    "language": "en_US",
    "status": "APPROVED",
    "category": "UTILITY",
    "id": "1001",
    "waba": WABA,
    "components": [{"type": "BODY", "text": "Hello {{1}}, your bike is ready."}],
}
VALUES = [{"type": "body", "parameters": [{"type": "text", "text": "Ada"}]}]
OF_TEMPLATE: dict[str, Any] = {
    "phoneNumberId": PHONE,
    "campaignName": "Bikes",
    "templateName": "bike_ready",
    "components": VALUES,
}
OF_TEXT: dict[str, Any] = {
    "phoneNumberId": PHONE,
    "campaignName": "Bikes",
    "type": "text",
    "text": "Hello",
}
MINUTE_MS = 60_000
SHORT = 20  # recipients of a short page: saves its progress once before it ends
PARTS = ("sent", "failed", "refused", "duplicate", "invalid", "cancelled", "inDoubt")


class Killed(BaseException):
    """The process ended before or after a call of AWS."""


@dataclass
class Runs:
    """The jobs and the schedule of campaigns over the storage of *actions*. Each wait moves the clock."""

    actions: Actions
    jobs: ModuleType
    scheduled: ModuleType
    queue: str
    now: int = NOW
    number: int = 0
    remaining_ms: int = 60_000
    left: list[str] = field(default_factory=list)  # bodies whose job was killed or failed

    def create(self, recipients: list[Any] | None = None, **more: Any) -> dict[str, Any]:
        listed = {} if recipients is None else {"recipients": recipients}
        return self.actions.run("create_campaign", OF_TEMPLATE | listed | more).result

    def show(self, campaign: str) -> dict[str, Any]:
        return self.actions.run("get_campaign", {"campaignId": campaign}).result

    def control(self, action: str, campaign: str, **more: Any) -> Any:
        return self.actions.run(action, {"campaignId": campaign} | more)

    def wrote(self, *numbers: str, phone: str = PHONE) -> None:
        """Let customers have written to a number an hour ago: their windows are open."""
        for number in numbers:
            suffix = PHONE if phone == PHONE else AWS_KEY
            head = Conversation(
                pk=Conversation.key(suffix, number), company="acme", phone=phone, from_=number,
                last_inbound_at=clock.to_text(self.now - 3_600_000), sender_phone=number,
            )  # fmt: skip
            self.actions.harness.resources.table.put(head.attributes())

    def events(self) -> list[str]:
        """Take the bodies of the queued events that are due."""
        sqs = boto3.client("sqs")
        bodies, self.left = self.left, []
        while found := sqs.receive_message(QueueUrl=self.queue, MaxNumberOfMessages=10).get(
            "Messages"
        ):
            for message in found:
                bodies.append(message["Body"])
                sqs.delete_message(QueueUrl=self.queue, ReceiptHandle=message["ReceiptHandle"])
        return bodies

    def job(self, body: str, message_id: str = "", queue: str = "", sent_at: int = 0) -> bool:
        """Process one job, of the queue of campaigns or another one; False if it failed and is delivered again."""
        self.number += 1
        record = {
            "messageId": message_id or f"job-{self.number}",
            "receiptHandle": "r",
            "body": body,
            "attributes": {
                "ApproximateReceiveCount": "1", "SentTimestamp": str(sent_at or self.now),
                "MessageGroupId": "g", "SequenceNumber": "1",
            },
            "messageAttributes": {},
            "eventSource": "aws:sqs",
            "eventSourceARN": "arn:aws:sqs:us-east-1:123456789012:" + (queue or self.queue).rpartition("/")[2],
            "awsRegion": "us-east-1",
        }  # fmt: skip
        context: Any = self.context()
        answer = sqs_worker.process(self.jobs.worker, {"Records": [record]}, context)
        failed = answer["batchItemFailures"]
        if failed:
            self.left.append(body)
        return not failed

    def context(self) -> SimpleNamespace:
        self.number += 1
        return SimpleNamespace(
            get_remaining_time_in_millis=lambda: self.remaining_ms,
            aws_request_id=f"run-{self.number}", function_name="jobs", memory_limit_in_mb=512,
            invoked_function_arn="arn:aws:lambda:us-east-1:123456789012:function:jobs",
        )  # fmt: skip

    def delayed(self) -> int:
        """The number of queued events that are not due."""
        found = boto3.client("sqs").get_queue_attributes(
            QueueUrl=self.queue, AttributeNames=["ApproximateNumberOfMessagesDelayed"]
        )
        return int(found["Attributes"]["ApproximateNumberOfMessagesDelayed"])

    def schedule(self, minutes: int = 1) -> None:
        """Let minutes pass in which the schedule runs, and no job."""
        for _ in range(minutes):
            self.now += MINUTE_MS
            self.scheduled.handler({"time": clock.to_text(self.now)}, self.context())

    def drain(self) -> int:
        """Process jobs until the queue is empty, also those that are delayed; return how many."""
        count = 0
        while (bodies := self.events()) or self.delayed():
            for body in bodies:
                self.job(body)
                count += 1
            if not bodies:
                self.now += 1_000
        return count

    def wait(self, minutes: int = 1) -> None:
        """Let minutes pass: the schedule runs in each, then the jobs."""
        for _ in range(minutes):
            self.schedule()
            self.drain()

    def finish(self, campaign: str, minutes: int = 30) -> dict[str, Any]:
        """Run until the campaign is completed and all pages are done."""
        for _ in range(minutes):
            self.drain()
            shown = self.show(campaign)
            if shown["status"] == "completed" and total(shown) == shown["totalRecipients"]:
                return shown
            self.wait()
        raise AssertionError(self.show(campaign))

    def jobs_killed(self, first: int, *, after: bool) -> int:
        """Run all jobs, each killed at another call, until they survive; return how many were killed."""
        kills = 0
        for at in range(first, 400, 7):
            bodies = self.events()
            if not bodies:
                break
            for body in bodies:
                try:
                    with Killer(at, after=after):
                        self.job(body, "the-same")
                except Killed:
                    kills += 1
                    self.left.append(body)
            self.now += 3 * 60_000
        return kills

    def sent_to(self) -> list[str]:
        """The recipients of the messages that the provider accepted."""
        return [
            str(one.body["to"])  # type: ignore[index] # a JSON object
            for one in self.actions.wire
            if one.operation == "send_message"
        ]

    def pages_left(self) -> list[str]:
        """The page objects in the bucket."""
        return self.actions.harness.resources.bucket.keys_under("campaigns/")


def total(shown: dict[str, Any]) -> int:
    return sum(shown[part] for part in PARTS)


def numbers(count: int, first: int = 0) -> list[str]:
    """Possible numbers of customers, as digits."""
    return [f"44770090{first + n:04d}" for n in range(count)]


class Killer:
    """Kills the process at the n-th call of AWS, before or after the call has its effect."""

    def __init__(self, at: int, *, after: bool) -> None:
        self.at, self.after, self.calls = at, after, 0
        self.seen: list[str] = []

    def __enter__(self) -> Killer:
        import botocore.client  # noqa: PLC0415 - only for the kill

        real = botocore.client.BaseClient._make_api_call  # type: ignore[attr-defined] # not in the stubs

        def call(client: Any, operation: str, params: Any) -> Any:
            self.calls += 1
            self.seen.append(f"{operation} {params}")
            if self.calls == self.at and not self.after:
                raise Killed
            answer = real(client, operation, params)
            if self.calls == self.at:
                raise Killed
            return answer

        self.patch = mock.patch.object(botocore.client.BaseClient, "_make_api_call", call)
        self.patch.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.patch.stop()


def shuffled(bodies: list[str], seed: int) -> list[str]:
    """Bodies twice each, in another order."""
    twice = bodies * 2
    random.Random(seed).shuffle(twice)  # noqa: S311 - an order, no secret
    return twice


@pytest.fixture
def runs(actions: Actions, monkeypatch: pytest.MonkeyPatch) -> Runs:
    """A template that is approved, and the functions of jobs and of the schedule."""
    actions.sandbox.templates.append(TEMPLATE)
    given = {"Stage": "local", "SandboxUrl": actions.sandbox.url}
    import os  # noqa: PLC0415 - only here

    own = {
        name: os.environ[name]
        for name in (
            "MESSAGES_TABLE_NAME", "CONVERSATION_LOG_TABLE_NAME", "CONVERSATIONS_INBOUND_QUEUE_URL",
            "WHATSAPP_QUEUE_URL", "WHATSAPP_JOBS_QUEUE_URL", "WHATSAPP_CAMPAIGNS_QUEUE_URL", "MEDIA_BUCKET_NAME",
            "WHATSAPP_TOKENS_SECRET_ID", "WHATSAPP_APP_SECRET_ID", "IDENTIFIER_KEYS_SECRET_ID",
            "API_SEAL_SECRET_ID", "SPENDING_TABLE_NAME",
        )
    }  # fmt: skip
    modules = []
    for function, name in (("WhatsAppJobs", "jobs"), ("WhatsAppScheduled", "scheduled")):
        with pytest.MonkeyPatch.context() as patch:
            for variable, value in {**environment(function, **given), **own}.items():
                patch.setenv(variable, value)
            if name == "scheduled":
                patch.setenv("DEAD_LETTER_URLS", "")
            module = importlib.reload(importlib.import_module(f"whatsapp.handlers.{name}"))
            if name == "jobs":
                module._resources_of_actions()
            modules.append(module)
    found = Runs(actions, modules[0], modules[1], own["WHATSAPP_CAMPAIGNS_QUEUE_URL"])

    def pause(seconds: float) -> None:
        found.now += round(seconds * 1_000)

    # Earlier hours are counted: otherwise each test would begin with the counts of eight days.
    before = changed_hours.hour_of(NOW - 2 * clock.HOUR_MS)
    counted = Counting(pk=Counting.pk_pattern, version=1, closed=before)
    actions.harness.resources.table.put(counted.attributes())
    monkeypatch.setattr(clock, "now_ms", lambda: found.now)
    # Delays and retention of the queue follow the clock of the test.
    monkeypatch.setattr(moto_queues, "unix_time", lambda: found.now / 1_000)
    for module in (moto_queues, quick_aws):
        monkeypatch.setattr(module, "unix_time_millis", lambda: float(found.now))
    monkeypatch.setattr(metrics, "add_metric", lambda *_: None)
    monkeypatch.setattr(outcomes, "pause_for", pause)
    return found


@pytest.fixture
def short_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages of 20 recipients, so that a campaign of several pages sends few messages."""
    monkeypatch.setattr(recipients, "PAGE", SHORT)
