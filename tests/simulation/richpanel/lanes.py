"""A message of the help desk's queues, as Lambda gets it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.simulation.fifo import Queued

QUEUE_ARN = "arn:aws:sqs:us-east-1:123456789012"


def as_record(name: str, message: Queued) -> dict[str, Any]:
    """A message as the event source of this lane hands it to Lambda."""
    return message.as_record() | {"eventSourceARN": f"{QUEUE_ARN}:{name}"}
