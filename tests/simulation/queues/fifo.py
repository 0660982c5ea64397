"""
An in-memory SQS FIFO queue with the rules that moto lacks: deduplication after a delete, and redrives with new ids.

Its protocol is botocore's: `answer` takes the body of a SendMessageBatch request, `answer_other` the bodies of calls to
the dead-letter queues. A request that SQS would refuse fails the test.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any

from tests import template

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from shared.aws.sqs_fifo import Entry
    from tests.simulation.clock import Clock

DEDUPLICATION_MS = 5 * 60_000
LARGEST_BATCH_BYTES = 1 << 20
MOST_ENTRIES = 10
LONGEST_DELAY_SECONDS = 900
_ID = re.compile(r"[!-~]{1,128}")
_REFUSED_BY_SQS = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass
class Queued:
    """One message in the queue. *receipt* changes at every receive: an older one deletes nothing."""

    message_id: str
    body: str
    group: str
    deduplication: str
    sent_at: int
    receives: int = 0
    visible_at: int = 0
    receipt: str = ""
    standard: str = ""  # the name of its queue, if that is a standard queue

    def as_record(self, queue: str) -> dict[str, Any]:
        """The message as the event source hands it to Lambda, from the queue of this name."""
        of_fifo = {
            "MessageGroupId": self.group,
            "MessageDeduplicationId": self.deduplication,
        }
        return {
            "messageId": self.message_id,
            "receiptHandle": self.receipt,
            "body": self.body,
            "attributes": {
                "ApproximateReceiveCount": str(self.receives),
                "ApproximateFirstReceiveTimestamp": str(self.sent_at),
                "SentTimestamp": str(self.sent_at),
                "SenderId": "AIDAEXAMPLE",
                **({} if self.standard else of_fifo),
            },
            "messageAttributes": {},
            "eventSource": "aws:sqs",
            "eventSourceARN": f"arn:aws:sqs:us-east-1:123456789012:{queue}",
            "awsRegion": "us-east-1",
        }


@dataclass
class FifoQueue:
    """
    The queue and its dead letters. Times come from *clock*; both bounds come from the template.

    `refuse_next` holds positions of entries that the next SendMessageBatch reports as `Failed`. `elsewhere` are queues
    of other contexts by name: messages sent there are kept and have no reader.

    `standard` are standard queues of the same context and their visibility timeouts in milliseconds. Their messages are
    among the others; each has a batch of its own, no order and no deduplication.
    """

    clock: Clock
    visibility_ms: int
    most_receives: int
    messages: list[Queued] = field(default_factory=list)
    dead_letters: list[Queued] = field(default_factory=list)
    social_letters: list[Queued] = field(default_factory=list)  # of the social function
    accepted: dict[str, str] = field(
        default_factory=dict
    )  # message id -> body, of every accepted message
    redriven: set[str] = field(
        default_factory=set
    )  # old ids of messages that were redriven under new ones
    refuse_next: set[int] = field(default_factory=set)
    elsewhere: dict[str, FifoQueue] = field(default_factory=dict)
    standard: dict[str, int] = field(default_factory=dict)
    _seen: dict[tuple[str, str], tuple[int, str]] = field(default_factory=dict)
    _ids: int = 0
    _lock: Lock = field(default_factory=Lock)

    @classmethod
    def of(cls, properties: Mapping[str, Any], clock: Clock) -> FifoQueue:
        """A FIFO or standard queue with the properties of one in the template."""
        name, visibility_ms = properties["QueueName"], properties["VisibilityTimeout"] * 1_000
        most = properties["RedrivePolicy"]["maxReceiveCount"]
        standard = {} if properties.get("FifoQueue") else {name: visibility_ms}
        return cls(clock, visibility_ms, most, standard=standard)

    @property
    def is_unused(self) -> bool:
        """Whether the queue was never used, and refuses no next message."""
        return not (self.accepted or self.messages or self.dead_letters or self.refuse_next)

    def copy(self) -> FifoQueue:
        """A separate queue in the same state."""
        return replace(
            self,
            messages=[replace(message) for message in self.messages],
            dead_letters=[replace(letter) for letter in self.dead_letters],
            social_letters=[replace(letter) for letter in self.social_letters],
            accepted=dict(self.accepted),
            redriven=set(self.redriven),
            refuse_next=set(self.refuse_next),
            elsewhere={name: queue.copy() for name, queue in self.elsewhere.items()},
            _seen=dict(self._seen),
            _lock=Lock(),
        )

    def emptied(self) -> FifoQueue:
        """A separate unused queue with the same rules and other queues."""
        other_queues = {name: queue.emptied() for name, queue in self.elsewhere.items()}
        return FifoQueue(
            self.clock,
            self.visibility_ms,
            self.most_receives,
            elsewhere=other_queues,
            standard=self.standard,
        )

    def put(self, entry: Entry) -> None:
        """Enqueue a message as another context does."""
        facts = (entry.body, entry.group, entry.deduplication)
        names = ("MessageBody", "MessageGroupId", "MessageDeduplicationId")
        with self._lock:
            self._take(dict(zip(names, facts, strict=True)))

    def put_standard(self, name: str, body: str) -> None:
        """Enqueue a message of a standard queue."""
        with self._lock:
            self._take({"Id": "0", "MessageBody": body}, name)

    def answer(self, request_body: bytes) -> dict[str, Any]:
        """SendMessageBatch: the request's JSON in, the answer's JSON out."""
        asked = json.loads(request_body)
        name = asked.get("QueueUrl", "").rpartition("/")[2]
        if name in self.elsewhere:
            return self.elsewhere[name].answer(request_body)
        entries = asked["Entries"]
        if is_for_dead_letters(name):
            return self.bury(entries)
        assert 1 <= len(entries) <= MOST_ENTRIES
        assert sum(len(entry["MessageBody"].encode()) for entry in entries) <= LARGEST_BATCH_BYTES
        assert len({entry["Id"] for entry in entries}) == len(entries)
        with self._lock:
            refused, self.refuse_next = self.refuse_next, set()
            return {
                "Successful": [
                    {
                        "Id": entry["Id"],
                        "MessageId": self._take(entry, name if name in self.standard else ""),
                        "MD5OfMessageBody": "",
                    }
                    for position, entry in enumerate(entries)
                    if position not in refused
                ],
                "Failed": [
                    {"Id": entry["Id"], "Code": "InternalError", "SenderFault": False}
                    for position, entry in enumerate(entries)
                    if position in refused
                ],
            }

    def answer_other(self, operation: str, request_body: bytes) -> dict[str, Any]:
        """A call to the dead letters, ours or the social function's, or a retry that the worker schedules."""
        asked = json.loads(request_body)
        if asked.get("AttributeNames") == ["RedrivePolicy"]:
            return redrive_policy(asked["QueueUrl"])
        if operation == "ChangeMessageVisibility":
            self.hide(asked["ReceiptHandle"], asked["VisibilityTimeout"])
        letters, others = self._letters_of(asked["QueueUrl"].rpartition("/")[2])
        now = self.clock.now_ms()
        if operation == "GetQueueAttributes":
            held = sum(letter.visible_at > now for letter in letters)
            counts = {
                "ApproximateNumberOfMessages": str(len(letters) - held),
                "ApproximateNumberOfMessagesNotVisible": str(held),
            }
            return {"Attributes": counts}
        if operation == "ReceiveMessage":
            return {"Messages": self._hand_out(letters, asked)}
        for letter in [entry for entry in letters if entry.receipt == asked["ReceiptHandle"]]:
            if operation == "ChangeMessageVisibility":
                letter.visible_at = now + asked["VisibilityTimeout"] * 1_000
            else:
                assert operation == "DeleteMessage"
                others.remove(letter)
                self.redriven.add(letter.message_id)
        return {}

    def bury(self, entries: list[dict[str, Any]]) -> dict[str, Any]:
        """SendMessageBatch to the dead letters, by the worker whose last attempt failed. The message is in flight."""
        for entry in entries:
            message = self.in_flight(entry)
            assert message is not None
            now = self.clock.now_ms()
            is_repeated = any(
                letter.message_id == message.message_id and now - letter.sent_at < DEDUPLICATION_MS
                for letter in self.dead_letters
            )
            if message.standard or not is_repeated:
                self._bury(message)
        return {"Successful": [{"Id": entry["Id"]} for entry in entries], "Failed": []}

    def in_flight(self, entry: dict[str, Any]) -> Queued | None:
        """The received message that a dead letter was made of."""
        for message in self.messages:
            is_same = message.message_id == entry.get("MessageDeduplicationId")
            if message.receives and message.body == entry["MessageBody"]:
                if message.standard and "MessageGroupId" not in entry:
                    return message
                if is_same:
                    assert message.group == entry["MessageGroupId"]
                    return message
        return None

    def _letters_of(self, name: str) -> tuple[list[Queued], list[Queued]]:
        """The letters in a queue of this name, and the list that has them, perhaps among others."""
        of_standard = next((s for s in self.standard if name == f"{s}-dead-letters"), "")
        if not of_standard and not name.endswith(".fifo"):
            return self.social_letters, self.social_letters
        letters = [letter for letter in self.dead_letters if letter.standard == of_standard]
        return letters, self.dead_letters

    def _hand_out(self, letters: list[Queued], asked: dict[str, Any]) -> list[dict[str, Any]]:
        assert asked["MaxNumberOfMessages"] <= MOST_ENTRIES
        now = self.clock.now_ms()
        blocked = {letter.group for letter in letters if letter.group and letter.visible_at > now}
        free = [
            entry for entry in letters if entry.visible_at <= now and entry.group not in blocked
        ]
        for letter in free[: asked["MaxNumberOfMessages"]]:
            letter.receives += 1
            letter.visible_at = now + asked["VisibilityTimeout"] * 1_000
            letter.receipt = f"{letter.message_id}-dead-{letter.receives}"
        return [
            {
                "MessageId": letter.message_id,
                "ReceiptHandle": letter.receipt,
                "Body": letter.body,
                "Attributes": {"SentTimestamp": str(letter.sent_at)}
                | (
                    {"MessageGroupId": letter.group} if letter.group and not letter.standard else {}
                ),
            }
            for letter in free[: asked["MaxNumberOfMessages"]]
        ]

    def receive(self, most: int = MOST_ENTRIES) -> list[Queued]:
        """
        The next messages, in order; none of a group of which a message is in flight, or waits for its delay.

        Or a message of a standard queue alone, if it is the first one.
        """
        now = self.clock.now_ms()
        hidden = [message for message in self.messages if message.visible_at > now]
        blocked = {message.group for message in hidden if message.receives}
        batch: list[Queued] = []
        for message in list(self.messages):
            if message.visible_at > now:
                blocked.add(message.group)  # A delayed message blocks only later ones.
            if message.group in blocked or len(batch) == most:
                continue
            if batch and (message.standard or batch[0].standard):
                continue
            if message.receives == self.most_receives:
                self.messages.remove(message)
                self._bury(message)
                continue
            message.receives += 1
            message.visible_at = now + self.standard.get(message.standard, self.visibility_ms)
            message.receipt = f"{message.message_id}-{message.receives}"
            batch.append(message)
        return batch

    def delete(self, receipt: str) -> None:
        """Delete the message received under *receipt*, unless it was received again or its visibility timeout has
        passed."""
        now = self.clock.now_ms()
        self.messages = [
            message
            for message in self.messages
            if message.receipt != receipt or message.visible_at <= now
        ]

    def hide(self, receipt: str, seconds: int) -> None:
        """ChangeMessageVisibility of the message received under *receipt* that is still in flight."""
        now = self.clock.now_ms()
        for message in self.messages:
            if message.receipt == receipt and message.visible_at > now:
                message.visible_at = now + seconds * 1_000

    def next_visible_at(self) -> int | None:
        """When the next message in flight becomes visible, milliseconds since 1970; None when none is in flight."""
        now = self.clock.now_ms()
        times = [message.visible_at for message in self.messages if message.visible_at > now]
        return min(times, default=None)

    def redrive(self, order: Iterable[int] | None = None) -> None:
        """Redrive dead letters, in this *order* of their positions, to the end of the queue, under new ids."""
        dead, self.dead_letters = self.dead_letters, []
        for position in order if order is not None else range(len(dead)):
            letter = dead[position]
            self.redriven.add(letter.message_id)
            self._append(letter.body, letter.group, letter.deduplication, letter.standard)

    def _take(self, entry: dict[str, Any], standard: str = "") -> str:
        if standard:
            optional = {"MessageSystemAttributes", "DelaySeconds"}
            assert entry.keys() - optional == {"Id", "MessageBody"}
            # A group of its own: no other message waits for it.
            message_id = self._append(entry["MessageBody"], f"{standard}-{self._ids}", "", standard)
            delay_seconds = entry.get("DelaySeconds", 0)
            assert 0 <= delay_seconds <= LONGEST_DELAY_SECONDS
            self.messages[-1].visible_at = self.clock.now_ms() + delay_seconds * 1_000
            return message_id
        body, group = entry["MessageBody"], entry["MessageGroupId"]
        deduplication = entry["MessageDeduplicationId"]
        assert body
        assert not _REFUSED_BY_SQS.search(body)
        assert _ID.fullmatch(group)
        assert _ID.fullmatch(deduplication)
        # Deduplication is scoped to the group, as the template's DeduplicationScope says.
        taken_at, message_id = self._seen.get((group, deduplication), (0, ""))
        if message_id and self.clock.now_ms() - taken_at < DEDUPLICATION_MS:
            return message_id
        message_id = self._append(body, group, deduplication)
        self._seen[group, deduplication] = (self.clock.now_ms(), message_id)
        return message_id

    def _append(self, body: str, group: str, deduplication: str, standard: str = "") -> str:
        self._ids += 1
        message_id = f"00000000-0000-4000-8000-{self._ids:012d}"
        now = self.clock.now_ms()
        self.messages.append(
            Queued(message_id, body, group, deduplication, sent_at=now, standard=standard)
        )
        self.accepted[message_id] = body
        return message_id

    def _bury(self, message: Queued) -> None:
        buried = Queued(
            message.message_id,
            message.body,
            message.group,
            message.message_id,
            self.clock.now_ms(),
            standard=message.standard,
        )
        self.dead_letters.append(buried)


@cache
def _redrive_policies() -> dict[str, dict[str, Any]]:
    """The redrive policies of the template, by the name of the queue."""
    queues = [
        template.properties(name, Stage="local") for name in template.resources("AWS::SQS::Queue")
    ]
    return {one["QueueName"]: one["RedrivePolicy"] for one in queues if "RedrivePolicy" in one}


def redrive_policy(url: str) -> dict[str, Any]:
    """GetQueueAttributes of a queue's redrive policy."""
    policy = _redrive_policies()[url.rpartition("/")[2]]
    return {"Attributes": {"RedrivePolicy": json.dumps(policy)}}


def is_for_dead_letters(name: str) -> bool:
    """Whether a queue is the dead-letter queue of another one."""
    targets = {policy["deadLetterTargetArn"] for policy in _redrive_policies().values()}
    return name in {arn.rpartition(":")[2] for arn in targets}
