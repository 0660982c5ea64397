"""
Queues look-ups of payments that no report settled: 15 minutes, 2 hours and 24 hours after the order, then daily.

The worker settles each by its look-up, and fails an order that was not paid in time. An order is not checked any more
31 days after it was sent: by then each has expired.
"""

from collections.abc import Callable

from shared.aws.dynamodb import Attributes, Table
from shared.aws.sqs_fifo import Entry, FifoQueue
from shared.runtime import clock
from whatsapp import store
from whatsapp.inbound.payments import claims
from whatsapp.jobs import delayed_checks
from whatsapp.jobs.delayed_checks import Checks, Range, ReadPage, Step

MINUTE_MS = 60 * clock.SECOND_MS
DAY_MS = clock.DAY_SECONDS * clock.SECOND_MS
AFTER_MINUTES = (15, 120, 24 * 60)
LAST_DAY = 31
OPEN = ("pending", "authorized")
STEPS = [
    Step(f"{minutes} minutes", status, minutes * MINUTE_MS)
    for status in OPEN
    for minutes in AFTER_MINUTES
]
DAILY_STEPS = [
    Step(f"{day} days", status, day * DAY_MS) for status in OPEN for day in range(2, LAST_DAY + 1)
]
PAGE = 100


def check_due(
    table: Table, queue: FifoQueue, at_ms: int, remaining_ms: Callable[[], int]
) -> tuple[int, int]:
    """
    Queue the first checks due at *at_ms* (the schedule's time) until the time is over; return their number, and the
    lag in milliseconds. Safe to repeat.
    """
    checks = Checks("payments", STEPS, _page(table, at_ms))
    return delayed_checks.queue_due(table, queue, checks, at_ms, remaining_ms)


def check_daily(
    table: Table, queue: FifoQueue, at_ms: int, remaining_ms: Callable[[], int]
) -> tuple[int, int]:
    """The same for the later ones, one a day."""
    checks = Checks("daily_payments", DAILY_STEPS, _page(table, at_ms))
    return delayed_checks.queue_due(table, queue, checks, at_ms, remaining_ms)


def _page(table: Table, at_ms: int) -> ReadPage:
    def page(due: Range) -> tuple[list[Entry], Attributes | None]:
        found, start = store.payments.created_between(
            table, due.step.kind, due.first, due.last, limit=PAGE, start=due.start
        )
        name = due.step.name
        checks = [claims.check_of(company, reference, name, at_ms) for company, reference in found]
        return checks, start

    return page
