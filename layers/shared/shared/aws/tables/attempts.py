"""
Counts how often a redelivered queue message was really attempted.

SQS counts receives. A message is also received without an attempt: while all concurrent executions of the account are
in use, Lambda tries to start the function until the visibility timeout ends, then leaves the message to its next
receive. A function that dies looks the same. So each run that begins with a redelivered message adds one to an item
before it does anything else. A message that succeeds at once, which nearly all do, costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, Protocol, Self

import boto3
from botocore.config import Config

from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Callable

    from mypy_boto3_dynamodb import DynamoDBClient

    from shared.aws.dynamodb import Table

KEY: Final = "message_id"
REDELIVERIES: Final = "redeliveries"
TTL: Final = "ttl"
# A message is deleted 14 days after it was sent.
KEPT_DAYS: Final = 15
_quick = Config(connect_timeout=2, read_timeout=3, retries={"total_max_attempts": 3})


class AttemptSettings(Protocol):
    """The environment of a function that takes messages from queues."""

    @property
    def attempts_table_name(self) -> str:
        """The table that counts attempts."""
        ...

    @property
    def max_attempts(self) -> int:
        """After so many failed attempts a message becomes a dead letter."""
        ...


@dataclass(eq=False)
class Attempts:
    """
    The attempts of the messages of all queues; its client is created at the first redelivery.

    *most*: after so many failed attempts a message becomes a dead letter.
    """

    make_client: Callable[[], DynamoDBClient]
    table_name: str
    most: int

    @classmethod
    def of(cls, settings: AttemptSettings) -> Self:
        """Return the attempts of a function with these settings."""
        return cls(
            lambda: boto3.client("dynamodb", config=_quick),
            settings.attempts_table_name,
            settings.max_attempts,
        )

    @cached_property
    def table(self) -> Table:
        """The table."""
        from shared.aws.dynamodb import Table  # noqa: PLC0415 - few messages are delivered again

        return Table(self.make_client(), self.table_name)

    def begin(self, message_id: str, receives: int) -> int:
        """
        Return the number of the attempt that begins now, at the message's *receives*-th receive.

        The first receive counts as an attempt, whether or not the function ran.
        """
        if receives == 1:
            return 1
        counted = self.table.update(
            {KEY: message_id},
            put={TTL: clock.expires_in(KEPT_DAYS * clock.DAY_SECONDS)},
            add={REDELIVERIES: 1},
        )
        return 1 + int(counted[REDELIVERIES])

    def take_back(self, message_id: str) -> None:
        """Let the receive that has begun count as no attempt, also the first one. One write."""
        self.table.update(
            {KEY: message_id},
            put={TTL: clock.expires_in(KEPT_DAYS * clock.DAY_SECONDS)},
            add={REDELIVERIES: -1},
        )
