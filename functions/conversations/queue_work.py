"""
What all workers of queues have in common: a record is handled, parked, or comes back later each time.

Visibility is what spaces the attempts: 20 s, 40 s, up to 5 minutes, or as long as the failure itself says.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.utilities.batch import SqsFifoPartialProcessor, process_partial_response
from botocore.exceptions import BotoCoreError, ClientError

from conversations import parking
from conversations.companies import ConfigurationInvalid
from conversations.items.books import ParkReason
from conversations.resources import Run
from conversations.store.states import Gone
from shared import clock
from shared.failures import Permanent, Transient
from shared.observability import describe, logger, metrics

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
    from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
    from aws_lambda_powertools.utilities.typing import LambdaContext
    from mypy_boto3_sqs import SQSClient

    from conversations.resources import Resources

FIRST_WAIT_SECONDS = 20
LONGEST_WAIT_SECONDS = 300

# What a record came to, for the log: a short word.
type Handle = Callable[[str, Run], str]
# What is left of a record that fails for the last time.
type Bury = Callable[[str, str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker:
    """A queue's worker: *handle* does the work, *bury* says visibly that it was given up."""

    source: str
    queue_url: str
    sqs: SQSClient
    here: Resources
    max_receive_count: int
    handle: Handle
    bury: Bury


def work(
    worker: Worker, event: dict[str, Any], context: LambdaContext
) -> PartialItemFailureResponse:
    """SQS batch in, the ids of what is to come back out."""
    # No exception when all records fail: Powertools would put the texts of all of them into it, for the runtime to log.
    processor = SqsFifoPartialProcessor(skip_group_on_error=True)
    processor.raise_on_entire_batch_failure = False

    def record_handler(record: SQSRecord) -> None:  # Powertools passes it by the name `record`
        tables = (worker.here.log, worker.here.table)
        for table in tables:
            table.forget_consumption()
        attempt = int(record.attributes.approximate_receive_count)
        is_last = attempt >= worker.max_receive_count
        run = Run(
            record.message_id,
            int(record.attributes.sent_timestamp),
            attempt,
            is_last,
            context.get_remaining_time_in_millis,
        )
        try:
            outcome = _handled(worker, record.body, run)
        except Exception as failure:
            metrics.add_metric("ComesBack", MetricUnit.Count, 1)
            logger.warning("record comes back", extra=describe(failure) | {"attempt": attempt})
            if is_last:
                _buried(worker, record.body, failure, attempt)
            else:
                _wait(worker, record, attempt, failure)
            raise
        units = sum(table.consumed_write_units for table in tables)
        metrics.add_metric("ConsumedWRU", MetricUnit.Count, units)
        logger.info("record handled", extra={"outcome": outcome, "attempt": attempt, "wru": units})

    return process_partial_response(event, record_handler, processor, context)


def _handled(worker: Worker, body: str, run: Run) -> str:
    """Handle a record, or park it. A fault of ours that its shape brings up parks it too, with an alarm."""
    try:
        return worker.handle(body, run)
    except Permanent as refusal:
        reason = refusal.reason
    except Gone as gone:
        reason = ParkReason.ERASED if gone.is_erased else ParkReason.GONE
    except ConfigurationInvalid as fault:
        metrics.add_metric("ConfigurationInvalid", MetricUnit.Count, 1)
        logger.error("project not set up", extra={"attribute": fault.attribute})
        raise Transient(
            "configuration_invalid"
        ) from None  # Somebody may mend it; then it can be redriven.
    except (ClientError, BotoCoreError):
        raise
    except (TypeError, ValueError, LookupError, AttributeError, RecursionError) as fault:
        logger.error("record parked for a fault of ours", extra=describe(fault))
        reason = f"fault_{type(fault).__name__}"
    parking.park(worker.here.log, worker.here.bucket, worker.source, body, reason)
    return "parked"


def _wait(worker: Worker, record: SQSRecord, attempt: int, failure: Exception) -> None:
    """Space the attempts; a failure of this changes nothing but the time."""
    seconds = min(FIRST_WAIT_SECONDS * 2 ** (attempt - 1), LONGEST_WAIT_SECONDS)
    if isinstance(failure, Transient) and failure.wait_ms is not None:
        seconds = min(max(1, -(-failure.wait_ms // clock.SECOND_MS)), LONGEST_WAIT_SECONDS)
    try:
        worker.sqs.change_message_visibility(
            QueueUrl=worker.queue_url,
            ReceiptHandle=record.receipt_handle,
            VisibilityTimeout=seconds,
        )
    except (ClientError, BotoCoreError) as also:
        logger.warning("visibility not changed", extra=describe(also))


def _buried(worker: Worker, body: str, failure: Exception, attempt: int) -> None:
    reason = failure.reason if isinstance(failure, Transient) else type(failure).__name__
    try:
        parking.note_dead_letter(worker.here.log, worker.source, body, reason, attempt)
    except (ClientError, BotoCoreError, Transient) as also:
        logger.warning("reason of a dead letter not written", extra=describe(also))
    try:
        worker.bury(body, reason)
    except Exception as also:  # noqa: BLE001 - the failure itself must fly on, into the dead letters
        logger.warning("end of a record not written", extra=describe(also))
