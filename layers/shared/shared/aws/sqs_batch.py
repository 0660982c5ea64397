"""
Batches of SQS FIFO queues: record after record, and an answer that names those that must come back.

Lambda asks for it as `ReportBatchItemFailures` (AWS, "Handling errors for an SQS event source in Lambda"). Powertools'
batch processor would do the same; the README's decision log has what it costs at every start.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from aws_lambda_powertools.metrics import MetricUnit

from shared.runtime.observability import describe, logger, metrics

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

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


def handle_each[T](
    event: Mapping[str, Any],
    *,
    handle: Callable[[Record], T],
    report: Callable[[Record, T], None],
    before_it_comes_back: Callable[[Record, Exception], None],
) -> Answer:
    """
    Handle each record of a batch, and report what came of it; what *handle* raises sends the record back to the queue.

    The records behind it in its group go back unhandled, so that none overtakes it; other groups go on. What the other
    two raise is logged, and changes nothing: what is done is done, and what comes back does so anyway.
    """
    failed: list[str] = []
    failed_groups: set[str] = set()
    for record in [Record.of(told) for told in event["Records"]]:
        if record.group in failed_groups:
            failed.append(record.message_id)
            continue
        try:
            handled = handle(record)
        except Exception as failure:  # noqa: BLE001 - whatever it is, other groups must go on
            failed.append(record.message_id)
            failed_groups.add(record.group)
            with _logged("record comes back unprepared"):
                metrics.add_metric("ComesBack", MetricUnit.Count, 1)
                said = describe(failure) | {"attempt": record.attempt}
                logger.warning("record comes back", extra=said)
                before_it_comes_back(record, failure)
        else:
            with _logged("record not reported"):
                report(record, handled)
    return {"batchItemFailures": [{"itemIdentifier": message_id} for message_id in failed]}


@contextmanager
def _logged(what: str) -> Iterator[None]:
    try:
        yield
    except Exception as failure:  # noqa: BLE001 - nothing in here may change what becomes of a record
        logger.error(what, extra=describe(failure))
