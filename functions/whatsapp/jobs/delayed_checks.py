"""
Queues checks of records some times after they were written: unfinished sends, payments without a report.

A round covers the checks that became due between the end of the last round and now: for each delay one range of an
index, read in pages. A round that does not end in its time is continued by the next run, and the following one begins
where it ended, so no check is left out.

    since           until = at       position: since, until, step (a delay), start (the next page)
    |--- a round ---|
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shared.runtime import clock
from whatsapp.store.sending import job_positions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from shared.aws.dynamodb import Attributes, Table
    from shared.aws.sqs_fifo import Entry, FifoQueue
    from whatsapp.store.items.analytics.job_positions import JobName

# A round makes up for an outage of this length.
LONGEST_ROUND_MS = clock.DAY_SECONDS * clock.SECOND_MS


@dataclass(frozen=True, slots=True)
class Step:
    """The records of a *kind* that were written *delay_ms* ago. *name* names the check."""

    name: str
    kind: str
    delay_ms: int


@dataclass(frozen=True, slots=True)
class Range:
    """Times of records of a step, inclusive, and the key at which a page begins."""

    step: Step
    first: str
    last: str
    start: Attributes | None


type ReadPage = Callable[[Range], tuple[list[Entry], Attributes | None]]


@dataclass(frozen=True, slots=True)
class Checks:
    """The checks of a job. *page* returns the checks of a page of records, and the key of the next page."""

    job: JobName
    steps: Sequence[Step]
    page: ReadPage


def queue_due(
    table: Table, queue: FifoQueue, checks: Checks, at_ms: int, remaining_ms: Callable[[], int]
) -> tuple[int, int]:
    """
    Queue the checks due at *at_ms* (the schedule's time) until the time is over; return their number, and the lag in
    milliseconds: how long ago the round that is left unfinished was due. Safe to repeat.

    The position is saved after the queue has the checks: a crash in between queues them again.
    """
    before = job_positions.get(table, checks.job)
    at = before
    if "step" not in at:
        at = _next_round(int(at.get("until", 0)), at_ms)
    count = 0
    while at["since"] < at["until"] and remaining_ms() > 0:
        step = checks.steps[int(at["step"])]
        first, last = (int(at[end]) - step.delay_ms for end in ("since", "until"))
        entries, start = checks.page(
            Range(step, clock.to_text(first + 1), clock.to_text(last), at.get("start"))
        )
        count += queue.send(entries)
        at = _after(at, start, len(checks.steps), at_ms)
    is_left = at["since"] < at["until"]
    # Rounds that find nothing are not saved: the next one covers them, too, at the same cost.
    if count or is_left or "step" in before:
        job_positions.put(table, checks.job, at if is_left else {"until": at["until"]})
    return count, at_ms - int(at["until"]) if is_left else 0


def _next_round(since: int, at_ms: int) -> dict[str, Any]:
    return {"since": max(since, at_ms - LONGEST_ROUND_MS), "until": max(since, at_ms), "step": 0}


def _after(at: dict[str, Any], start: Attributes | None, steps: int, at_ms: int) -> dict[str, Any]:
    """Return the position after a page: its step, the next step, or the next round."""
    if start is not None:
        return {**at, "start": start}
    step = int(at["step"]) + 1
    if step < steps:
        return {"since": at["since"], "until": at["until"], "step": step}
    return _next_round(int(at["until"]), at_ms)
