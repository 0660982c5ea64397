"""
Batch processing for SQS FIFO queues: handles records in order and reports the failed ones for redelivery.

Implements Lambda's `ReportBatchItemFailures` (AWS, "Handling errors for an SQS event source in Lambda"). Powertools'
batch processor does the same; the README's decision log has its cost at every cold start.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from aws_lambda_powertools.metrics import MetricUnit

from shared.runtime import trace_header, tracing
from shared.runtime.observability import describe, logger, metrics

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

type Answer = dict[str, list[dict[str, str]]]


@dataclass(frozen=True, slots=True)
class Record:
    """
    One delivery of a queue message.

    *attempt* is 1 at the first delivery. *sent_at_ms* (since 1970) and *message_id* are the same at every delivery,
    *receipt* is unique to this one. *queue* is the queue's name. *trace* is the sender's trace header, if it sent one.
    """

    message_id: str
    body: str = field(repr=False)
    group: str
    attempt: int
    sent_at_ms: int
    receipt: str = field(repr=False)
    queue: str
    trace: str | None = None

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Self:
        """Parse a record of a Lambda event. Raises KeyError if it is not from a FIFO queue."""
        attributes = told["attributes"]
        return cls(
            message_id=told["messageId"],
            body=told["body"],
            group=attributes["MessageGroupId"],
            attempt=int(attributes["ApproximateReceiveCount"]),
            sent_at_ms=int(attributes["SentTimestamp"]),
            receipt=told["receiptHandle"],
            queue=told["eventSourceARN"].rpartition(":")[2],
            trace=attributes.get(trace_header.ATTRIBUTE),
        )


def handle_each[T](
    event: Mapping[str, Any],
    *,
    handle: Callable[[Record], T],
    report: Callable[[Record, T], None],
    on_retry: Callable[[Record, Exception], None],
) -> Answer:
    """
    Handle each record of a batch and pass the result to *report*; an exception from *handle* returns the record to the
    queue.

    Later records of the same group are returned unhandled to keep their order; other groups continue. Exceptions from
    *report* and *on_retry* (called before a retry) are only logged: they change neither result nor retry.
    """
    failed: list[str] = []
    failed_groups: set[str] = set()
    for record in [Record.of(told) for told in event["Records"]]:
        if record.group in failed_groups:
            failed.append(record.message_id)
            continue
        with tracing.record(record.trace, conversation=record.group, attempt=record.attempt):
            try:
                handled = handle(record)
            except Exception as failure:  # noqa: BLE001 - after any failure, other groups must continue
                failed.append(record.message_id)
                failed_groups.add(record.group)
                tracing.failed(failure)
                with _logged("retry hook failed"):
                    metrics.add_metric("ComesBack", MetricUnit.Count, 1)
                    said = describe(failure) | {"attempt": record.attempt}
                    logger.warning("retry scheduled", extra=said)
                    on_retry(record, failure)
            else:
                # A worker returns its outcome, or a result that has one.
                tracing.annotate(outcome=str(getattr(handled, "outcome", handled)))
                with _logged("report hook failed"):
                    report(record, handled)
    return {"batchItemFailures": [{"itemIdentifier": message_id} for message_id in failed]}


@contextmanager
def _logged(what: str) -> Iterator[None]:
    try:
        yield
    except Exception as failure:  # noqa: BLE001 - a failure in this block must not change the outcome of a record
        logger.error(what, extra=describe(failure))
