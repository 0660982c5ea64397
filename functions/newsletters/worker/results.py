"""Results of events, their log lines and metrics."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from newsletters.configuration.resources import Run
from shared.aws.workers import event_report
from shared.runtime import clock

if TYPE_CHECKING:
    from shared.aws.workers.sqs_worker import Record


class Outcome(StrEnum):
    """The result of an event."""

    PERSISTED = "persisted"
    IGNORED = "ignored"  # its job has ended, was replaced, or another worker has it
    POSTPONED = "postponed"  # its company is above its share of a long queue
    PARKED = "parked"


@dataclass(frozen=True, slots=True)
class Handled:
    """The logged and measured result of an event. *reason* is set when it was parked."""

    outcome: Outcome
    kind: str | None = None
    code: str | None = None
    company: str | None = None
    reason: str | None = None


def run_of(record: Record) -> Run:
    """Return the run of a delivery."""
    remaining_ms = record.context.get_remaining_time_in_millis()
    return Run(
        owner=record.context.aws_request_id,
        ends_at_ms=clock.now_ms() + remaining_ms,
        is_last=record.is_last,
    )


def report(write_units: float, record: Record, handled: Handled) -> None:
    """Write one log line and a few metrics per event, with Parley's ids only."""
    event_report.write(
        record,
        handled.outcome,
        write_units,
        reason=handled.reason,
        correlation_id=handled.code,
        company=handled.company,
        kind=handled.kind,
    )
