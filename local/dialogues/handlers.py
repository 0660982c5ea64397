"""The handlers of conversations in this process, invoked as API Gateway, SQS and the schedule would."""

from __future__ import annotations

import importlib
import io
import json
import os
import sys
import uuid
import warnings
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from unittest import mock

import boto3
from moto.sqs.models import sqs_backends

from local.dialogues.account import ACCOUNT, REGION, WORKED

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType

    from local.dialogues.clock import Clock

_PACKAGE: Final = "conversations.handlers"
_CHANNELS: Final = {
    "WHATSAPP_CHANNEL_QUEUE_URL": "whatsapp",
    "SMS_CHANNEL_QUEUE_URL": "sms",
    "EMAIL_CHANNEL_QUEUE_URL": "email",
}
_WORKERS: Final = {
    "CONVERSATIONS_INBOUND_QUEUE_URL": "intake",
    "CONVERSATIONS_REPLIES_QUEUE_URL": "replies",
    "CONVERSATIONS_AGENTS_QUEUE_URL": "replies",
    "CONVERSATIONS_MEDIA_QUEUE_URL": "media",
    **dict.fromkeys(_CHANNELS, "processor"),
}
# The longest retry of a worker is far below: work that is left then never ends.
_LONGEST_MS: Final = 3_600_000
_LASTS_MS: Final = 120_000


class NeverSettled(Exception):
    """The queues still have work after an hour of simulated time."""


@dataclass(slots=True)
class Invocation:
    """The Lambda context of a run. Time stands still during a run, but for its pauses."""

    clock: Clock
    ends_at: int
    function_name: str = "dialogues"
    memory_limit_in_mb: int = 512
    invoked_function_arn: str = "arn:aws:lambda:us-east-1:123456789012:function:dialogues"
    aws_request_id: str = field(default_factory=lambda: str(uuid.uuid4()))

    def get_remaining_time_in_millis(self) -> int:
        """Return the rest of the function's timeout."""
        return max(0, self.ends_at - self.clock.ms)


@dataclass(slots=True, eq=False)
class Handlers:
    """The imported handlers: workers by the variable that names their queue."""

    clock: Clock
    environment: Mapping[str, str]
    workers: dict[str, ModuleType] = field(init=False)
    router: ModuleType = field(init=False)
    sweeper: ModuleType = field(init=False)
    sqs: Any = field(init=False)

    def __post_init__(self) -> None:
        """Import the handlers under their environment; functions may be on this machine."""
        self.sqs = boto3.client("sqs")
        replies = self._imported("replies")
        self.workers = {
            queue: replies if name == "replies" else self._imported(name, _CHANNELS.get(queue))
            for queue, name in _WORKERS.items()
        }
        self.router = self._imported("router")
        self.sweeper = self._imported("sweeper")
        for worker in self.workers.values():
            if hasattr(worker.deps, "effects"):
                worker.deps.effects.loopback = True

    def _imported(self, name: str, channel: str | None = None) -> ModuleType:
        """Import a handler anew: another one of this process may have been made under another environment."""
        module = f"{_PACKAGE}.{name}"
        own = {"CHANNEL_METHOD": channel} if channel else {}
        before = sys.modules.pop(module, None)
        try:
            with mock.patch.dict(os.environ, {**self.environment, **own}):
                return importlib.import_module(module)
        finally:
            sys.modules.pop(module, None)
            if before is not None:
                sys.modules[module] = before

    def initiate(self, payload: Mapping[str, Any], company: str) -> dict[str, Any]:
        """Request a conversation; return the answer's body. Raises ValueError if the request is refused."""
        event = {
            "resource": "/initiate-conversation",
            "path": "/initiate-conversation",
            "httpMethod": "POST",
            "headers": {"Content-Type": "application/json"},
            "multiValueHeaders": {},
            "pathParameters": None,
            "queryStringParameters": None,
            "multiValueQueryStringParameters": None,
            "requestContext": {
                "requestId": str(uuid.uuid4()),
                "authorizer": {
                    "company": company,
                    "principal": "api-key:1",
                    "scopes": "conversations:initiate",
                    "projects": "*",
                },
            },
            "body": json.dumps(payload),
            "isBase64Encoded": False,
        }
        answer = self._run_handler(self.router, event)
        body: dict[str, Any] = json.loads(answer["body"])
        if answer["statusCode"] != 200:  # noqa: PLR2004 - OK
            raise ValueError(f"the request was refused: {body}")
        return body

    def enqueue(self, variable: str, body: str, group: str, deduplication: str) -> None:
        """Enqueue a message as another context does."""
        self.sqs.send_message(
            QueueUrl=self.environment[variable],
            MessageBody=body,
            MessageGroupId=group,
            MessageDeduplicationId=deduplication,
        )

    def run_due(self) -> None:
        """Run the workers until no message is visible."""
        has_run = True
        while has_run:
            has_run = False
            for queue in WORKED:
                has_run |= bool(self._waiting(queue)) and self._run(queue)

    def take_inbound(self) -> None:
        """Run the worker of customers' messages until its queue is empty; others may be in the middle of a run."""
        while self._run("CONVERSATIONS_INBOUND_QUEUE_URL"):
            pass

    def settle(self) -> None:
        """Run the workers, and let time pass, until their queues are empty. Raises NeverSettled."""
        end = self.clock.ms + _LONGEST_MS
        self.run_due()
        while (next_at := self.next_at) is not None:
            if next_at > end:
                raise NeverSettled
            self.clock.ms = max(next_at, self.clock.ms + 1)
            self.run_due()

    @property
    def next_at(self) -> int | None:
        """The time when the next message becomes visible; None if no queue has one. Call it after `run_due`."""
        waiting = [message for queue in WORKED for message in self._waiting(queue)]
        times = [max(message.visible_at, message.delayed_until) for message in waiting]
        # One that is visible and was not taken waits for another of its group.
        later = [time for time in times if time >= self.clock.ms]
        return int(min(later or times)) + 1 if times else None

    def sweep(self) -> None:
        """Run the schedule of a minute."""
        self._run_handler(self.sweeper, {})

    def _run(self, variable: str) -> bool:
        """Hand the visible messages of a queue to its worker, one by one; return whether there were any."""
        url = self.environment[variable]
        received = self.sqs.receive_message(
            QueueUrl=url, MaxNumberOfMessages=1, MessageSystemAttributeNames=["All"]
        ).get("Messages", [])
        for message in received:
            record = {
                "messageId": message["MessageId"],
                "receiptHandle": message["ReceiptHandle"],
                "body": message["Body"],
                "attributes": message["Attributes"],
                "messageAttributes": {},
                "eventSource": "aws:sqs",
                "eventSourceARN": f"arn:aws:sqs:us-east-1:123456789012:{url.rpartition('/')[2]}",
                "awsRegion": "us-east-1",
            }
            answer = self._run_handler(self.workers[variable], {"Records": [record]})
            if not answer["batchItemFailures"]:
                self.sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
        return bool(received)

    def _waiting(self, variable: str) -> list[Any]:
        """Return moto's messages of a queue, visible or not. A call of the SDK for each look would take minutes."""
        name = self.environment[variable].rpartition("/")[2]
        waiting: list[Any] = sqs_backends[ACCOUNT][REGION].queues[name]._messages
        return waiting

    def _run_handler(self, module: ModuleType, event: dict[str, Any]) -> Any:  # noqa: ANN401 - of any handler
        """Invoke a handler; its log and its metrics are not shown."""
        invocation = Invocation(self.clock, self.clock.ms + _LASTS_MS)
        with redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.filterwarnings("ignore", "No application metrics", UserWarning)
            return module.handler(event, invocation)
