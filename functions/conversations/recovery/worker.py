"""Shared by the queue workers of this context: failures, parking, dead-letter notes and reports."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from aws_lambda_powertools.metrics import MetricUnit

from conversations.configuration.projects import ConfigurationInvalid
from conversations.configuration.resources import Run
from conversations.store.items.records import ParkReason
from conversations.store.states import Gone
from shared.aws.workers.sqs_worker import Record, Worker
from shared.events.versions import NEWER
from shared.runtime.failures import Permanent, Transient
from shared.runtime.observability import describe, logger, metrics

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

    from conversations.configuration.resources import Resources
    from shared.aws.tables.attempts import Attempts
    from shared.aws.workers.fair_shares import Sharing

# Handles a record body and returns the outcome for the log, a short word.
type Handle = Callable[[str, Run], str]
# Shows the failure of a record's last attempt in its conversation. Gets body and reason.
type ShowFailure = Callable[[Resources, str, str], None]

PARKED = "parked"


def queue_worker(
    resources: Resources,
    sqs: SQSClient,
    *,
    source: str,
    queue_urls: Sequence[str],
    attempts: Attempts,
    handle: Handle,
    show_failure: ShowFailure | None = None,
    sharing: Sequence[Sharing[str]] = (),
    due_ms: Callable[[str], int] | None = None,
) -> Worker[str]:
    """
    Build the worker of a function's queues. *source* names them in parked events and dead letters.

    *sharing*: how companies share them, or some of them. *due_ms*: see `Worker`.
    """
    tables = (resources.log, resources.table)

    def handle_record(record: Record) -> str:
        run = Run(
            record.message_id,
            record.sent_at_ms,
            record.attempt,
            record.is_last,
            record.context.get_remaining_time_in_millis,
        )
        try:
            return handle(record.body, run)
        except Gone as gone:
            reason = ParkReason.ERASED if gone.is_erased else ParkReason.GONE
            raise Permanent(reason) from None
        except ConfigurationInvalid as fault:
            metrics.add_metric("ConfigurationInvalid", MetricUnit.Count, 1)
            logger.error("project settings invalid", extra={"attribute": fault.attribute})
            # An operator may fix the settings; then the dead letter can be redriven.
            raise Transient("configuration_invalid") from None

    def park(record: Record, refusal: Permanent) -> str:
        from conversations.recovery import parking  # noqa: PLC0415 - few records are parked

        parking.park(resources.log, resources.bucket, source, record.body, refusal.reason)
        return PARKED

    def report(record: Record, outcome: str) -> None:
        units = sum(table.consumed_write_units for table in tables)
        metrics.add_metric("ConsumedWRU", MetricUnit.Count, units)
        facts = {"outcome": outcome, "attempt": record.attempt, "wru": units}
        logger.info("record handled", extra=facts)

    def note_dead_letter(record: Record, reason: str) -> None:
        from conversations.recovery import parking  # noqa: PLC0415 - few records become dead letters

        try:
            parking.note_dead_letter(resources.log, source, record.body, reason, record.attempt)
        except Exception as failure:  # noqa: BLE001 - the failure must be shown even if the note cannot be stored
            logger.warning("dead-letter reason not stored", extra=describe(failure))
        # A record of a newer release cannot be read.
        if show_failure is not None and reason != NEWER:
            show_failure(resources, record.body, reason)

    return Worker(
        sqs=sqs,
        queue_urls=queue_urls,
        tables=tables,
        attempts=attempts,
        handle=_shared(sharing, handle_record) if sharing else handle_record,
        park=park,
        report=report,
        note_dead_letter=note_dead_letter,
        due_ms=due_ms,
    )


def _shared(
    sharing: Sequence[Sharing[str]], handle: Callable[[Record], str]
) -> Callable[[Record], str]:
    """Return how a function handles the records of its queues, some of which companies share."""
    by_queue = {one.runs.queue: one for one in sharing}

    def handle_record(record: Record) -> str:
        of_queue = by_queue.get(record.queue)
        return of_queue.handled(record, handle) if of_queue else handle(record)

    return handle_record
