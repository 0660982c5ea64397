"""The two queues of the help desk's events, told apart by their addresses as SQS does."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from tests.simulation.fifo import FifoQueue, Queued

QUEUE_ARN = "arn:aws:sqs:us-east-1:123456789012"


@dataclass
class Lanes:
    """Queues by name: mail, and chats, which wait behind no mail."""

    queues: dict[str, FifoQueue]

    def answer(self, request_body: bytes) -> dict[str, Any]:
        """SendMessageBatch: the request's JSON in, the answer's JSON out."""
        return self._asked(request_body)[0].answer(request_body)

    def answer_other(self, operation: str, request_body: bytes) -> dict[str, Any]:
        """The worker's only other call: to have a message back at another time."""
        assert operation == "ChangeMessageVisibility"
        queue, asked = self._asked(request_body)
        queue.hide(asked["ReceiptHandle"], asked["VisibilityTimeout"])
        return {}

    def copy(self) -> Lanes:
        """Queues of their own in the same state."""
        return Lanes({name: queue.copy() for name, queue in self.queues.items()})

    def receive(self) -> list[tuple[str, Queued]]:
        """The next message of each lane, with the lane's name: there is a worker for each, at one time."""
        return [
            (name, message) for name, queue in self.queues.items() for message in queue.receive(1)
        ]

    def delete(self, name: str, message: Queued) -> None:
        """Delete what was received, unless it has been received again or its time was over."""
        self.queues[name].delete(message.receipt)

    def next_visible_at(self) -> int | None:
        """When the next message in flight comes back, milliseconds since 1970; None when none is in flight."""
        times = [queue.next_visible_at() for queue in self.queues.values()]
        return min((at for at in times if at is not None), default=None)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left to handle; dead letters do not count."""
        return not any(queue.messages for queue in self.queues.values())

    @property
    def dead_letters(self) -> int:
        """How many messages nobody could handle."""
        return sum(len(queue.dead_letters) for queue in self.queues.values())

    def _asked(self, request_body: bytes) -> tuple[FifoQueue, dict[str, Any]]:
        asked = json.loads(request_body)
        return self.queues[asked["QueueUrl"].rpartition("/")[2]], asked


def as_record(name: str, message: Queued) -> dict[str, Any]:
    """A message as the event source of this lane hands it to Lambda."""
    return message.as_record() | {"eventSourceARN": f"{QUEUE_ARN}:{name}"}
