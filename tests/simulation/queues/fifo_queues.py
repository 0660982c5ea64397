"""Several queues, FIFO or standard, distinguished by their URLs as in SQS; some have a delivery delay."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.simulation.queues.fifo import FifoQueue, Queued, is_for_dead_letters, redrive_policy

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shared.aws.sqs_fifo import Entry

MOST_MESSAGES = 1_000_000  # of a queue


@dataclass
class FifoQueues:
    """Queues by name. `delays_ms`: the delivery delay of each queue."""

    queues: dict[str, FifoQueue]
    delays_ms: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """No two messages have the same id."""
        for number, queue in enumerate(self.queues.values()):
            queue._ids = max(queue._ids, number * MOST_MESSAGES)

    def answer(self, request_body: bytes) -> dict[str, Any]:
        """SendMessageBatch: the request's JSON in, the answer's JSON out."""
        if is_for_dead_letters(json.loads(request_body)["QueueUrl"].rpartition("/")[2]):
            return self._bury(json.loads(request_body)["Entries"])
        name, queue, _ = self._asked(request_body)
        before = {message.message_id for message in queue.messages}
        answer = queue.answer(request_body)
        for message in queue.messages:
            if message.message_id not in before:
                delayed_until = queue.clock.now_ms() + self.delays_ms.get(name, 0)
                message.visible_at = max(message.visible_at, delayed_until)
        return answer

    def answer_other(self, operation: str, request_body: bytes) -> dict[str, Any]:
        """Change the visibility of a message or count messages; all other calls are about dead letters."""
        url = json.loads(request_body)["QueueUrl"]
        if url.rpartition("/")[2] not in self.queues:
            return self._answer_about_letters(operation, json.loads(request_body))
        if json.loads(request_body).get("AttributeNames") == ["RedrivePolicy"]:
            return redrive_policy(url)
        if operation == "GetQueueAttributes":
            waiting = len(self.queues[url.rpartition("/")[2]].messages)
            return {"Attributes": {"ApproximateNumberOfMessages": str(waiting)}}
        assert operation == "ChangeMessageVisibility"
        _, queue, asked = self._asked(request_body)
        queue.hide(asked["ReceiptHandle"], asked["VisibilityTimeout"])
        return {}

    def put(self, name: str, entry: Entry) -> None:
        """Enqueue a message as another system does."""
        queue = self.queues[name]
        if queue.standard:
            queue.put_standard(name, entry.body)
        else:
            queue.put(entry)

    def copy(self) -> FifoQueues:
        """Separate queues in the same state."""
        return FifoQueues(
            {name: queue.copy() for name, queue in self.queues.items()},
            self.delays_ms,
        )

    def receive(self) -> list[tuple[str, Queued]]:
        """The next message of each queue, with its name."""
        return [
            (name, message) for name, queue in self.queues.items() for message in queue.receive(1)
        ]

    def delete(self, name: str, message: Queued) -> None:
        """Delete a received message, unless it was received again or its visibility timeout has passed."""
        self.queues[name].delete(message.receipt)

    def next_visible_at(self) -> int | None:
        """When the next hidden message becomes visible, milliseconds since 1970; None when there is none."""
        times = [queue.next_visible_at() for queue in self.queues.values()]
        return min((at for at in times if at is not None), default=None)

    def waiting(self, names: Iterable[str]) -> list[tuple[str, str, int, int]]:
        """The messages of these queues: queue, body, how often it was received, and minutes until it is visible."""
        return [
            (name, one.body, one.receives, max(0, one.visible_at - queue.clock.now_ms()) // 60_000)
            for name in names
            for queue in [self.queues[name]]
            for one in queue.messages
        ]

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left to handle; dead letters do not count."""
        return not any(queue.messages for queue in self.queues.values())

    @property
    def dead_letters(self) -> list[str]:
        """The bodies of dead letters."""
        return [letter.body for queue in self.queues.values() for letter in queue.dead_letters]

    def _bury(self, entries: list[dict[str, Any]]) -> dict[str, Any]:
        """Several queues may have the same dead-letter queue: each letter stays with the queue of its message."""
        for entry in entries:
            (queue,) = [one for one in self.queues.values() if one.in_flight(entry)]
            queue.bury([entry])
        return {"Successful": [{"Id": entry["Id"]} for entry in entries], "Failed": []}

    def _answer_about_letters(self, operation: str, asked: dict[str, Any]) -> dict[str, Any]:
        """
        A queue may have dead letters of its own, named after it; the other FIFO queues share one dead-letter queue. Ids
        there begin with the source queue of the dead letter.
        """
        url = asked["QueueUrl"]
        own = next((n for n in self.queues if url.rpartition("/")[2] == _dead_letters_of(n)), None)
        of_queue = {n: q for n, q in self.queues.items() if (n == own if own else not q.standard)}
        if operation == "GetQueueAttributes":
            letters = sum(len(queue.dead_letters) for queue in of_queue.values())
            return {"Attributes": {"ApproximateNumberOfMessages": str(letters)}}
        if operation == "ReceiveMessage":
            found: list[dict[str, Any]] = []
            for name, queue in of_queue.items():
                room = {"MaxNumberOfMessages": asked["MaxNumberOfMessages"] - len(found)}
                found += [
                    letter
                    | {part: f"{name}/{letter[part]}" for part in ("MessageId", "ReceiptHandle")}
                    for letter in queue._hand_out(queue.dead_letters, asked | room)
                ]
            return {"Messages": found}
        name, _, receipt = asked["ReceiptHandle"].rpartition("/")
        inner = json.dumps(asked | {"ReceiptHandle": receipt}).encode()
        return self.queues[name].answer_other(operation, inner)

    def _asked(self, request_body: bytes) -> tuple[str, FifoQueue, dict[str, Any]]:
        asked = json.loads(request_body)
        name = asked["QueueUrl"].rpartition("/")[2]
        return name, self.queues[name], asked


def _dead_letters_of(name: str) -> str:
    """The name of a queue's own dead letters."""
    stem = name.removesuffix(".fifo")
    return f"{stem}-dead-letters{name.removeprefix(stem)}"
