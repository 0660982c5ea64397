"""
Batches of SQS FIFO queues: record after record, and an answer that names those that must come back.

Lambda asks for it as `ReportBatchItemFailures` (AWS, "Handling errors for an SQS event source in Lambda"). Powertools'
batch processor would do the same; the README's decision log has what it costs at every start.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from aws_lambda_powertools.metrics import MetricUnit

from shared.observability import describe, logger, metrics

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

type Answer = dict[str, list[dict[str, str]]]


@dataclass(frozen=True, slots=True)
class Record:
    """
    A message of a queue at one of its deliveries.

    *attempt* is 1 at the first one. *sent_at_ms* (since 1970) and *message_id* are the same at every one, *receipt* is
    this one's own. *queue* is the queue's name.
    """

    message_id: str
    body: str = field(repr=False)
    group: str
    attempt: int
    sent_at_ms: int
    receipt: str = field(repr=False)
    queue: str

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Self:
        """A record as Lambda writes it. Raises KeyError for one that is of no FIFO queue."""
        attributes = told["attributes"]
        return cls(
            message_id=told["messageId"],
            body=told["body"],
            group=attributes["MessageGroupId"],
            attempt=int(attributes["ApproximateReceiveCount"]),
            sent_at_ms=int(attributes["SentTimestamp"]),
            receipt=told["receiptHandle"],
            queue=told["eventSourceARN"].rpartition(":")[2],
        )


def handle_each(
    event: Mapping[str, Any],
    handle: Callable[[Record], None],
    before_it_comes_back: Callable[[Record, Exception], None],
) -> Answer:
    """
    Handle each record of a batch; what *handle* raises sends the record back to the queue.

    The records behind it in its group go back unhandled, so that none overtakes it; other groups go on. Only what
    *before_it_comes_back* raises gets out, and brings the whole batch back.
    """
    failed: list[str] = []
    failed_groups: set[str] = set()
    for record in [Record.of(told) for told in event["Records"]]:
        if record.group not in failed_groups:
            try:
                handle(record)
            except Exception as failure:  # noqa: BLE001 - whatever it is, other groups must go on
                metrics.add_metric("ComesBack", MetricUnit.Count, 1)
                said = describe(failure) | {"attempt": record.attempt}
                logger.warning("record comes back", extra=said)
                before_it_comes_back(record, failure)
                failed_groups.add(record.group)
            else:
                continue
        failed.append(record.message_id)
    return {"batchItemFailures": [{"itemIdentifier": message_id} for message_id in failed]}
