"""What an operator has of a world: its parked events, its dead letters, and the queues to put them back on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import boto3

from conversations.recovery.replay import Depot
from shared.aws.dead_letters import DeadLetters
from shared.aws.dynamodb import Table
from shared.aws.s3 import Bucket
from shared.aws.sqs_fifo import FifoQueue
from tests.integration.conversations.acts import lane

if TYPE_CHECKING:
    from tests.simulation.conversations.world import World
    from tests.simulation.fifo import Queued


@dataclass
class Box:
    """The dead-letter queue of a world, as SQS answers for it. An id begins with the queue that the letter died in."""

    world: World
    held: set[str] = field(default_factory=set)

    def receive_message(self, **asked: Any) -> dict[str, Any]:
        """Letters that nobody holds."""
        free = [(name, letter) for name, letter in self._letters() if name not in self.held]
        taken = free[: asked["MaxNumberOfMessages"]]
        self.held |= {name for name, _ in taken}
        return {
            "Messages": [
                {
                    "MessageId": name,
                    "Body": letter.body,
                    "ReceiptHandle": name,
                    "Attributes": {"MessageGroupId": letter.group, "SentTimestamp": "0"},
                }
                for name, letter in taken
            ]
        }

    def change_message_visibility(self, **asked: Any) -> None:
        """A letter is put back."""
        self.held.discard(asked["ReceiptHandle"])

    def delete_message(self, **asked: Any) -> None:
        """A letter is taken away."""
        lane_name, _, message_id = asked["ReceiptHandle"].rpartition("/")
        queue = self.world.lanes.queues[lane_name]
        queue.dead_letters = [one for one in queue.dead_letters if one.message_id != message_id]

    def _letters(self) -> list[tuple[str, Queued]]:
        return [
            (f"{name}/{letter.message_id}", letter)
            for name, queue in self.world.lanes.queues.items()
            for letter in queue.dead_letters
        ]


def depot(world: World) -> Depot:
    """What the operator's command makes of a stack; its calls go through the wire."""
    desk = world.called["sweeper"].deps
    statuses = world.workers[lane(world, "statuses")].worker
    return Depot(
        log=Table(boto3.client("dynamodb"), world.tables["log"]),
        bucket=Bucket(lambda: boto3.client("s3"), world.bucket),
        inbound=desk.inbound,
        statuses=FifoQueue(lambda: statuses.sqs, statuses.queue_urls[0]),
        replies=world.workers[lane(world, "replies")].deps.resources.replies,
        channels=desk.channels,
        dead_letters=DeadLetters(cast("Any", Box(world)), "letters"),
    )
