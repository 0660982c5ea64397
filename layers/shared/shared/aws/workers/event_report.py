"""The log line and the metrics of a handled queue record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aws_lambda_powertools.metrics import MetricUnit

from shared.runtime import clock
from shared.runtime.observability import logger, metrics

if TYPE_CHECKING:
    from enum import StrEnum

    from shared.aws.workers.sqs_worker import Record


def write(record: Record, outcome: StrEnum, write_units: float, **named: str | None) -> None:
    """Write one log line and a few metrics. *named* has ids of ours, a reason, a kind; None is left out."""
    metrics.add_metric(outcome.value.capitalize(), MetricUnit.Count, 1)
    metrics.add_metric("ConsumedWRU", MetricUnit.Count, write_units)
    facts: dict[str, Any] = {
        "outcome": outcome.value,
        "wru": write_units,
        "attempt": record.attempt,
        "age_ms": clock.now_ms() - record.sent_at_ms,
    }
    present = {name: value for name, value in named.items() if value is not None}
    logger.info("event handled", extra=facts | present)
