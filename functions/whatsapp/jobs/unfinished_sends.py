"""
Finds sends whose function died, or whose outcome is in doubt: their intents still exist minutes after the attempt.

Each is queued for the worker 3, 6, 12, 24 ... minutes after the attempt, until its intent expires: the worker may fail,
and the schedule may miss a minute. By the third minute the deadline of the attempt has passed.
"""

from collections.abc import Iterator

from shared.aws.dynamodb import Table
from shared.aws.sqs_fifo import Entry, FifoQueue, digest
from shared.runtime import clock
from whatsapp import store
from whatsapp.inbound.event import UNFINISHED_SEND, Event
from whatsapp.store.items import Intent, Phone

MINUTE_MS = 60 * clock.SECOND_MS
FIRST_MINUTES = 3
PAGE = 100


def queue_due(table: Table, queue: FifoQueue, at_ms: int) -> int:
    """Queue the unfinished sends due at *at_ms* (the schedule's time); return their number. One read of each list."""
    until = clock.to_text(at_ms - (FIRST_MINUTES - 1) * MINUTE_MS)
    count, start = 0, None
    while True:
        intents, start = store.intents.unfinished(table, until, limit=PAGE, start=start)
        count += queue.send(list(_entries(table, intents, at_ms)))
        if start is None:
            return count


def is_due(received_at: str, at_ms: int) -> bool:
    """Whether an attempt is checked in this minute: 3, 6, 12, 24 ... minutes after its own minute."""
    minutes = at_ms // MINUTE_MS - clock.from_text(received_at) // MINUTE_MS
    checks, rest = divmod(minutes, FIRST_MINUTES)
    return rest == 0 and checks > 0 and checks & (checks - 1) == 0


def _entries(table: Table, intents: list[Intent], at_ms: int) -> Iterator[Entry]:
    for intent in intents:
        if intent.received_at is None or not is_due(intent.received_at, at_ms):
            continue
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
