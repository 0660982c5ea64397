"""
Runs the jobs of a minute: each has a slice of the time and its own failures, and starts first in its turn.

A job that hangs until the function is ended stops those after it. Their order moves on by one every two minutes,
because some jobs run in even minutes only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aws_lambda_powertools import single_metric
from aws_lambda_powertools.metrics import MetricUnit

from shared.runtime import clock
from shared.runtime.observability import count_condition, describe, logger

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MINUTE_MS = 60 * clock.SECOND_MS
LATE_MS = 15 * MINUTE_MS
COUNT_MS = 230 * clock.SECOND_MS  # of five minutes


@dataclass(frozen=True, slots=True)
class Job:
    """A job of the schedule. *work* gets a function of the remaining milliseconds, and returns the job's lag."""

    name: str
    slice_ms: int
    work: Callable[[Callable[[], int]], int]


def run(
    jobs: Sequence[Job], last: Sequence[Job], at_ms: int, remaining_ms: Callable[[], int]
) -> None:
    """
    Run each job within its slice, the *last* ones after all others, and report the lags.

    Raises the first failure after all have run.
    """
    turn = at_ms // (2 * MINUTE_MS) % len(jobs)
    lags: dict[str, int] = {}
    failure: Exception | None = None
    for job in (*jobs[turn:], *jobs[:turn], *last):
        try:
            lags[job.name] = job.work(_slice(job.slice_ms, remaining_ms))
        except Exception as error:  # noqa: BLE001 - one job must not stop the others
            logger.error("job failed", extra={"job": job.name, **describe(error)})
            failure = failure or error
    report(lags)
    if failure is not None:
        raise failure


def report(lags: dict[str, int]) -> None:
    """
    Write the largest lag of the jobs, if there is any, as one metric, and count a lag over LATE_MS for the alarm.

    The line has the lag of each job. A metric without data costs nothing.
    """
    late = {name: lag // clock.SECOND_MS for name, lag in lags.items() if lag > 0}
    if not late:
        return
    shared = {"service": "whatsapp"}
    longest = max(late.values())
    with single_metric(
        "ScheduleLag", MetricUnit.Seconds, longest, default_dimensions=shared
    ) as line:
        line.add_metadata("jobs", late)
    if longest * clock.SECOND_MS > LATE_MS:
        count_condition("ScheduleLate")


def _slice(slice_ms: int, remaining_ms: Callable[[], int]) -> Callable[[], int]:
    """Return the remaining time of a slice that begins now."""
    ends_at = remaining_ms() - slice_ms
    return lambda: remaining_ms() - max(ends_at, 0)
