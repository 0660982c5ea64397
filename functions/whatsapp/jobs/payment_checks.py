"""
Queues look-ups of payments that no report settled: 15 minutes, 2 hours and 24 hours after the order, then daily.

The worker settles each by its look-up, and fails an order that was not paid in time. An order is not checked any more
31 days after it was sent: by then each has expired.
"""

from collections.abc import Iterator

from shared.aws.dynamodb import Table
from shared.aws.sqs_fifo import Entry, FifoQueue
from shared.runtime import clock
from whatsapp import store
from whatsapp.inbound import payment_claims

MINUTE_MS = 60 * clock.SECOND_MS
AFTER_MINUTES = (15, 120, 24 * 60)
# A check is queued in each of these minutes, and the queue takes it once: a missed minute of the schedule does no harm.
WINDOW_MINUTES = 4
LAST_DAY = 31
OPEN = ("pending", "authorized")
PAGE, MOST_PAGES = 100, 20


def check_due(table: Table, queue: FifoQueue, at_ms: int) -> int:
    """
    Queue the checks due at *at_ms* (the schedule's time); return their number. Safe to repeat.

    At most 2,000 orders of a status for each delay.
    """
    count = 0
    for status in OPEN:
        for minutes in AFTER_MINUTES:
            last = at_ms - minutes * MINUTE_MS
            found = _orders(table, status, last - WINDOW_MINUTES * MINUTE_MS, last)
            count += queue.send(_entries(found, f"{minutes} minutes", at_ms))
        if at_ms // MINUTE_MS % 60 == 0:
            count += queue.send(_daily(table, status, at_ms))
    return count


def _daily(table: Table, status: str, at_ms: int) -> list[Entry]:
    """Return the checks of orders that became another day old within the last hour."""
    entries: list[Entry] = []
    for day in range(2, LAST_DAY + 1):
        last = at_ms - day * 24 * clock.HOUR_MS
        found = _orders(table, status, last - clock.HOUR_MS + 1, last)
        entries += _entries(found, f"{day} days", at_ms)
    return entries


def _entries(found: Iterator[tuple[str, str]], check: str, at_ms: int) -> list[Entry]:
    return [
        payment_claims.check_of(company, reference, check, at_ms) for company, reference in found
    ]


def _orders(table: Table, status: str, first_ms: int, last_ms: int) -> Iterator[tuple[str, str]]:
    """Yield company and reference of orders created in a time, within MOST_PAGES pages."""
    start = None
    for _ in range(MOST_PAGES):
        page, start = store.payments.created_between(
            table,
            status,
            clock.to_text(first_ms),
            clock.to_text(last_ms),
            limit=PAGE,
            start=start,
        )
        yield from page
        if start is None:
            return
