"""
Finds sends whose function died, or whose outcome is in doubt: their intents still exist minutes after the attempt.

Each is queued for the worker 3, 6, 12, 24 ... minutes after the attempt, until its intent expires: the worker may fail.
By the third minute the deadline of the attempt has passed.
"""

from collections.abc import Callable, Iterator

from shared.aws.dynamodb import Attributes, Table
from shared.aws.sqs_fifo import Entry, FifoQueue, digest
from shared.runtime import clock
from whatsapp import store
from whatsapp.inbound.event import UNFINISHED_SEND, Event
from whatsapp.jobs import delayed_checks
from whatsapp.jobs.delayed_checks import Checks, Range, Step
from whatsapp.store.items import Intent, Phone

MINUTE_MS = 60 * clock.SECOND_MS
FIRST_MINUTES = 3
_DELAYS = [FIRST_MINUTES << times for times in range(15)]  # the last one 34 days
STEPS = [Step(f"{minutes} minutes", "intent", minutes * MINUTE_MS) for minutes in _DELAYS]
PAGE = 100


def queue_due(
    table: Table, queue: FifoQueue, at_ms: int, remaining_ms: Callable[[], int]
) -> tuple[int, int]:
    """
    Queue the unfinished sends due at *at_ms* (the schedule's time) until the time is over; return their number, and
    the lag in milliseconds. One read of each partition if none exist.
    """
    until = clock.to_text(at_ms - FIRST_MINUTES * MINUTE_MS)
    if not store.intents.exist(table, until):
        return 0, 0

    def page(due: Range) -> tuple[list[Entry], Attributes | None]:
        intents, start = store.intents.attempted_between(
            table, due.first, due.last, limit=PAGE, start=due.start
        )
        return list(_entries(table, intents, at_ms)), start

    checks = Checks("sends", STEPS, page)
    return delayed_checks.queue_due(table, queue, checks, at_ms, remaining_ms)


def _entries(table: Table, intents: list[Intent], at_ms: int) -> Iterator[Entry]:
    for intent in intents:
        phone = store.phones.get(table, intent.phone or "")
        if phone is None:
            continue  # No longer registered: it belongs to no inbox.
        event = event_of(intent, phone, at_ms)
        yield event.entry(group=(UNFINISHED_SEND, event.id), deduplication=(event.id, str(at_ms)))


def event_of(intent: Intent, phone: Phone, at_ms: int) -> Event:
    """Return the event with which the worker finishes a send."""
    action_id = Intent.action_of(intent.pk)
    return Event(
        kind=UNFINISHED_SEND, id=action_id, source="parley", app=phone.app_id or "",
        accepted_at=at_ms, waba=phone.waba_meta_id, phone=phone.phone,
        display_phone=phone.display_phone, field=UNFINISHED_SEND, at=at_ms // clock.SECOND_MS,
        index=0, contact=None, payload={"writtenAt": intent.received_at},
        hash=digest(action_id, str(intent.received_at)),
    )  # fmt: skip
