"""
Common loop of all queue workers: a record is handled, parked, or retried with backoff.

The visibility timeout sets the backoff: 20 s, 40 s, up to 5 minutes, or the wait that the failure specifies.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aws_lambda_powertools.metrics import MetricUnit
from botocore.exceptions import BotoCoreError, ClientError

from conversations.projects import ConfigurationInvalid
from conversations.recovery import parking
from conversations.resources import Run
from conversations.store.items.records import ParkReason
from conversations.store.states import Gone
from shared import clock
from shared.aws.sqs_batch import Answer, Record, handle_each
from shared.failures import Permanent, Transient
from shared.runtime.observability import describe, logger, metrics

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext
    from mypy_boto3_sqs import SQSClient

    from conversations.resources import Resources

FIRST_WAIT_SECONDS = 20
LONGEST_WAIT_SECONDS = 300

# Handles a record body and returns the outcome for the log, a short word.
type Handle = Callable[[str, Run], str]
# Called with body and reason of a record that failed at its last attempt.
type Bury = Callable[[str, str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker:
    """A queue's worker. *handle* processes a record, *bury* makes the failure of the last attempt visible."""

    source: str
    queue_url: str
    sqs: SQSClient
    resources: Resources
    max_receive_count: int
    handle: Handle
    bury: Bury


def work(worker: Worker, event: dict[str, Any], context: LambdaContext) -> Answer:
    """Handle an SQS batch and return the ids of the records to retry."""
    tables = (worker.resources.log, worker.resources.table)

    def is_last(record: Record) -> bool:
        return record.attempt >= worker.max_receive_count

    def handle(record: Record) -> str:
        for table in tables:
            table.forget_consumption()
        run = Run(
            record.message_id,
            record.sent_at_ms,
            record.attempt,
            is_last(record),
            context.get_remaining_time_in_millis,
        )
        return _handled(worker, record.body, run)

    def report(record: Record, outcome: str) -> None:
        units = sum(table.consumed_write_units for table in tables)
        metrics.add_metric("ConsumedWRU", MetricUnit.Count, units)
        facts = {"outcome": outcome, "attempt": record.attempt, "wru": units}
        logger.info("record handled", extra=facts)

    def bury_or_wait(record: Record, failure: Exception) -> None:
        if is_last(record):
            _bury(worker, record, failure)
        else:
            _wait(worker, record, failure)

    return handle_each(event, handle=handle, report=report, on_retry=bury_or_wait)


def _handled(worker: Worker, body: str, run: Run) -> str:
    """Handle a record or park it. A bug that the record's shape triggers also parks it, with an alarm."""
    try:
        return worker.handle(body, run)
    except Permanent as refusal:
        reason = refusal.reason
    except Gone as gone:
        reason = ParkReason.ERASED if gone.is_erased else ParkReason.GONE
    except ConfigurationInvalid as fault:
        metrics.add_metric("ConfigurationInvalid", MetricUnit.Count, 1)
        logger.error("project settings invalid", extra={"attribute": fault.attribute})
        raise Transient(
            "configuration_invalid"
        ) from None  # An operator may fix the settings; then the record can be redriven.
    except (ClientError, BotoCoreError):
        raise
    except (TypeError, ValueError, LookupError, AttributeError, RecursionError) as fault:
        logger.error("record parked: internal error", extra=describe(fault))
        reason = f"fault_{type(fault).__name__}"
    parking.park(worker.resources.log, worker.resources.bucket, worker.source, body, reason)
    return "parked"


def _wait(worker: Worker, record: Record, failure: Exception) -> None:
    """Set the visibility timeout for the next attempt. If that fails, the queue's default timeout applies."""
    seconds = min(FIRST_WAIT_SECONDS * 2 ** (record.attempt - 1), LONGEST_WAIT_SECONDS)
    if isinstance(failure, Transient) and failure.wait_ms is not None:
        seconds = min(max(1, -(-failure.wait_ms // clock.SECOND_MS)), LONGEST_WAIT_SECONDS)
    worker.sqs.change_message_visibility(
        QueueUrl=worker.queue_url,
        ReceiptHandle=record.receipt,
        VisibilityTimeout=seconds,
    )


def _bury(worker: Worker, record: Record, failure: Exception) -> None:
    """Store the reason of the last failure and call `bury`."""
    reason = failure.reason if isinstance(failure, Transient) else type(failure).__name__
    try:
        parking.note_dead_letter(
            worker.resources.log, worker.source, record.body, reason, record.attempt
        )
    except Exception as also:  # noqa: BLE001 - `bury` must be called even if the note fails
        logger.warning("dead-letter reason not stored", extra=describe(also))
    worker.bury(record.body, reason)
