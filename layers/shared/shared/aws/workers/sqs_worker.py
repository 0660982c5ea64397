"""
The queue worker of every context: handles each record of an SQS batch, or parks it, or schedules its retry.

    handle -> a result               the record is done; the result is reported
           -> NotDue, OverShare      hidden until its time: neither an attempt nor a failure
           -> Permanent              parked with its reason: no retry can succeed
           -> a bug (TypeError ...)  retried; at the last attempt parked as `internal_error`
           -> any other exception    retried; after the last attempt moved to the dead-letter queue

Attempts are runs, not receives (`shared.aws.tables.attempts`): a message that Lambda could not hand over, because all
concurrent executions were in use, has not failed. So the worker moves dead letters itself; the queue's own limit of
receives is high, for functions that cannot even start.

A retry waits 20 s, 1, 3 and then 9 minutes, or as long as the failure asks for (`Transient.wait_ms`). Powertools'
`SqsFifoPartialProcessor` runs the loop: after a failure it returns the later records of the same message group
unhandled, which keeps their order, and continues with the other groups.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.utilities.batch import SqsFifoPartialProcessor, process_partial_response
from aws_lambda_powertools.utilities.batch.exceptions import SQSFifoMessageGroupCircuitBreakerError
from botocore.exceptions import BotoCoreError, ClientError

from shared.aws import dead_letters
from shared.runtime import clock, tracing
from shared.runtime.failures import NotDue, OverShare, Permanent, Transient
from shared.runtime.observability import describe, logger, metrics

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from aws_lambda_powertools.utilities.batch import ExceptionInfo, FailureResponse
    from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
    from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
    from aws_lambda_powertools.utilities.typing import LambdaContext
    from mypy_boto3_sqs import SQSClient

    from shared.aws.dynamodb import Table
    from shared.aws.tables.attempts import Attempts

FIRST_WAIT_SECONDS, WAIT_FACTOR = 20, 3
LONGEST_WAIT_SECONDS = 3_600
# A hanging table uses about this much time; the same again is needed to record the reason of a dead letter.
NOTE_MS = 30 * clock.SECOND_MS
INTERNAL_ERROR = "internal_error"

# Exceptions of code that met an unexpected shape. Errors of AWS and of the network have other types.
_BUGS = (TypeError, ValueError, LookupError, AttributeError, RecursionError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """
    One delivery of a queue message.

    *attempt* is 1 at the first delivery; *is_last*: a failure of this one makes it a dead letter. *message_id* and
    *sent_at_ms* (since 1970) are the same at every delivery. *queue* is the queue's name, *receives* includes this one.
    """

    message_id: str
    body: str = field(repr=False)
    queue: str
    attempt: int
    is_last: bool
    sent_at_ms: int
    context: LambdaContext
    receives: int = 1

    @property
    def has_time_for_note(self) -> bool:
        """Whether the reason of a dead letter can be recorded even if the table hangs. For functions of minutes."""
        return self.context.get_remaining_time_in_millis() > NOTE_MS


@dataclass(slots=True, kw_only=True, eq=False)
class Worker[T]:
    """
    The handling of records in one function's queues.

    *handle* processes a record. *park* stores a record that can never be processed, with the reason. Both return the
    result for *report*, which logs and counts it. *note_dead_letter* stores why the last attempt failed.

    *tables* count their write units per record; *queue_urls* are the queues that invoke the function. *attempts* counts
    the attempts of redelivered messages. *due_ms* returns when the record with a body is due (ms since 1970), or 0.
    """

    sqs: SQSClient
    queue_urls: Collection[str]
    tables: Sequence[Table]
    attempts: Attempts
    handle: Callable[[Record], T]
    park: Callable[[Record, Permanent], T]
    report: Callable[[Record, T], None]
    note_dead_letter: Callable[[Record, str], None] | None = None
    due_ms: Callable[[str], int] | None = None


def process[T](
    worker: Worker[T], event: dict[str, Any], context: LambdaContext
) -> PartialItemFailureResponse:
    """Handle an SQS batch and return the ids of the records to retry (Lambda's `ReportBatchItemFailures`)."""
    processor = _Processor(worker)

    def handle(record: SQSRecord) -> None:
        try:
            attempt = worker.attempts.begin(record.message_id, _receives_when_due(worker, record))
        except Exception as failure:
            logger.warning("attempt not counted", extra=describe(failure))
            raise
        processor.attempts[record.message_id] = attempt
        delivery = _record_of(worker, record, attempt, context)
        try:
            _process_record(worker, delivery, record)
        except OverShare:
            with _logged("attempt not taken back"):
                worker.attempts.take_back(record.message_id)
            raise
        except NotDue:
            raise
        except Exception:
            if not delivery.is_last:
                raise
            dead_letters.add(worker.sqs, _url_of(worker, record), record)

    return process_partial_response(event, handle, processor, context)


class _Processor[T](SqsFifoPartialProcessor):
    """
    Makes the records skipped after a failure of their group visible together with the failed one.

    SQS delivers nothing of a group while one of its messages is in flight: left alone, the skipped ones would keep the
    failed record back for the queue's whole visibility timeout.
    """

    def __init__(self, worker: Worker[T]) -> None:
        super().__init__(skip_group_on_error=True)
        # The function itself did not fail, even if every record of its batch did.
        self.raise_on_entire_batch_failure = False
        self._worker = worker
        self._wait_seconds: dict[str, int] = {}  # by message group
        self.attempts: dict[str, int] = {}  # by message id, as far as they have begun

    def failure_handler(self, record: SQSRecord, exception: ExceptionInfo) -> FailureResponse:
        """Schedule the next attempt of a failed or skipped record."""
        group, failure = str(record.attributes.message_group_id), exception[1]
        is_skipped = isinstance(failure, SQSFifoMessageGroupCircuitBreakerError)
        if isinstance(failure, Exception) and not is_skipped:
            most = self._worker.attempts.most
            # One that could not be counted is no attempt, and waits as if it were one.
            attempt = self.attempts.get(record.message_id, min(_receives(record), most - 1))
            # A last attempt fails here only if its dead letter could not be stored.
            is_over = attempt >= most and not isinstance(failure, NotDue)
            wait = FIRST_WAIT_SECONDS if is_over else wait_seconds(attempt, failure)
            self._wait_seconds[group] = wait
        with _logged("retry not scheduled"):
            # If this call fails, the queue's own visibility timeout applies.
            self._worker.sqs.change_message_visibility(
                QueueUrl=_url_of(self._worker, record),
                ReceiptHandle=record.receipt_handle,
                VisibilityTimeout=self._wait_seconds[group],
            )
        return super().failure_handler(record, exception)


def _receives(received: SQSRecord) -> int:
    return int(received.attributes.approximate_receive_count)


def _receives_when_due[T](worker: Worker[T], received: SQSRecord) -> int:
    """Return how often a record was received, without a first receive before its time: that one is no attempt."""
    receives = _receives(received)
    if worker.due_ms is None or receives == 1:
        return receives
    first_ms = int(received.attributes.approximate_first_receive_timestamp)
    return receives - 1 if first_ms < worker.due_ms(received.body) else receives


def _url_of[T](worker: Worker[T], received: SQSRecord) -> str:
    queue = received.event_source_arn.rpartition(":")[2]
    return next(url for url in worker.queue_urls if url.rpartition("/")[2] == queue)


def _record_of[T](
    worker: Worker[T], received: SQSRecord, attempt: int, context: LambdaContext
) -> Record:
    return Record(
        message_id=received.message_id,
        body=received.body,
        queue=received.event_source_arn.rpartition(":")[2],
        attempt=attempt,
        is_last=attempt >= worker.attempts.most,
        sent_at_ms=int(received.attributes.sent_timestamp),
        context=context,
        receives=_receives(received),
    )


def _process_record[T](worker: Worker[T], record: Record, received: SQSRecord) -> None:
    for table in worker.tables:
        table.forget_consumption()
    attributes = received.attributes
    with tracing.record(
        attributes.aws_trace_header,
        conversation=attributes.message_group_id,
        attempt=record.attempt,
    ):
        try:
            result = _handled(worker, record)
        except NotDue:
            tracing.annotate(outcome="not_due")
            raise
        except Exception as failure:
            with _logged("retry hook failed"):
                _on_failure(worker, record, failure)
            raise
        # A worker returns its outcome, or a result that has one.
        tracing.annotate(outcome=str(getattr(result, "outcome", result)))
        with _logged("report hook failed"):
            worker.report(record, result)


def _handled[T](worker: Worker[T], record: Record) -> T:
    if record.attempt > worker.attempts.most:
        # Earlier runs have died, or have not stored the dead letter.
        raise Transient("no_attempt_left")
    try:
        return worker.handle(record)
    except Permanent as refusal:
        return worker.park(record, refusal)
    except (ClientError, BotoCoreError):  # Some of them are ValueErrors.
        raise
    except _BUGS as bug:
        logger.error("internal error", extra=describe(bug) | {"attempt": record.attempt})
        if not record.is_last:
            raise
        return worker.park(record, Permanent(INTERNAL_ERROR))


def _on_failure[T](worker: Worker[T], record: Record, failure: Exception) -> None:
    facts = describe(failure) | {"attempt": record.attempt}
    if record.is_last:
        logger.warning("retries exhausted", extra=facts)
        metrics.add_metric("RetriesExhausted", MetricUnit.Count, 1)
        # The reason of the last attempt stays: a further run only moves the record.
        is_noted = record.attempt > worker.attempts.most
        if worker.note_dead_letter is not None and not is_noted:
            worker.note_dead_letter(record, _code(failure))
        return
    logger.warning("retry scheduled", extra=facts)
    metrics.add_metric("RetryScheduled", MetricUnit.Count, 1)


def _code(failure: Exception) -> str:
    """Return the stored code of a failure: our own reason code, AWS's operation and code, or the exception's type."""
    facts = describe(failure)
    return str(facts.get("reason", facts["error"]))


def wait_seconds(attempt: int, failure: Exception) -> int:
    """Return the time until the next attempt: the failure's own wait, or one that grows with the attempts."""
    seconds: int = FIRST_WAIT_SECONDS * WAIT_FACTOR ** (attempt - 1)
    if isinstance(failure, Transient) and failure.wait_ms is not None:
        seconds = max(1, -(-failure.wait_ms // clock.SECOND_MS))
    return min(seconds, LONGEST_WAIT_SECONDS)


@contextmanager
def _logged(message: str) -> Iterator[None]:
    try:
        yield
    except Exception as failure:  # noqa: BLE001 - a failure in this block must not change the outcome of a record
        logger.error(message, extra=describe(failure))
