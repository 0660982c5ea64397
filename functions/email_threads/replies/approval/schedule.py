"""
Queues the sends of approved drafts: at once, after a delay, or at a time.

    now                     the queue of the worker
    within 15 minutes       the queue of ingest, whose messages may be delayed; ingest passes them on
    later                   an item, which the scheduled function queues in the last ten minutes before the time

Each step may be repeated: the worker sends a draft in the version and attempt that the event names, and no other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from email_threads.inbound.events import entry
from email_threads.replies.draft_state import send_event
from email_threads.store.deadlines import scheduled_sends
from email_threads.store.items import ScheduledSend
from shared.aws.sqs_standard import LONGEST_DELAY_SECONDS
from shared.runtime import clock

if TYPE_CHECKING:
    from email_threads.inbound.events import EmailSend
    from email_threads.store.items import Draft
    from shared.aws.dynamodb import Table
    from shared.aws.sqs_fifo import FifoQueue
    from shared.aws.sqs_standard import StandardQueue

AHEAD_SECONDS: Final = 600  # The scheduled function runs every five minutes.


@dataclass(frozen=True, slots=True, kw_only=True)
class SendQueues:
    """The table, the queue of the worker, and the queue of ingest."""

    table: Table
    now: FifoQueue
    delayed: StandardQueue


def queue(queues: SendQueues, draft: Draft, *, cause: str | None) -> None:
    """Queue the send of an approved draft for its time. Idempotent. Raises NotEnqueued."""
    event = send_event(draft, cause=cause)
    if draft.send_at is None or seconds_until(draft.send_at) == 0:
        queues.now.send([entry(event)])
    elif seconds_until(draft.send_at) <= LONGEST_DELAY_SECONDS:
        delay(queues.delayed, event, draft.send_at)
    else:
        scheduled_sends.put(queues.table, ScheduledSend.of(draft, draft.send_at))


def delay(delayed: StandardQueue, event: EmailSend, send_at: str) -> None:
    """Queue a send for a time within 15 minutes. Raises NotEnqueued."""
    delayed.send([replace(entry(event), delay_seconds=seconds_until(send_at))])


def seconds_until(send_at: str) -> int:
    """Return the whole seconds until a time, 0 if it has come."""
    left = clock.from_text(send_at) - clock.now_ms()
    return max(0, -(-left // clock.SECOND_MS))
