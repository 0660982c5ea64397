"""Composition root of the recovery of this context, for the API function and `operations recovery`."""

from email_threads.inbound.events import RECEIVED
from email_threads.store import parked
from email_threads.store.items import ParkedEvent
from email_threads.store.items.parked import ParkReason
from shared.aws.dead_letters import DeadLetters
from shared.aws.dynamodb import Attributes, Table
from shared.aws.sqs_fifo import FifoQueue
from shared.aws.sqs_standard import StandardQueue
from shared.events.recovery.event_letters import EventLetters
from shared.events.recovery.event_replays import EventReplays
from shared.events.recovery.port import Recovery


def recovery_of(
    *,
    table: Table,
    queue: FifoQueue,
    inbound: StandardQueue,
    dead_letters: DeadLetters,
    inbound_dead_letters: DeadLetters,
) -> Recovery[ParkedEvent]:
    """
    Return the parked events and dead letters of e-mail.

    *queue* is `email-threads.fifo`, *inbound* the queue of S3's notifications.
    """
    events = parked.events_of(table)
    return Recovery(
        context="email-threads",
        parked=EventReplays(store=events, queue_of=lambda _: queue, added=_accepted),
        dead_letters=(
            EventLetters(dead_letters, queue, "events", events),
            EventLetters(inbound_dead_letters, inbound, "inbound", events),
        ),
    )


def _accepted(event: ParkedEvent) -> Attributes:
    """Accept a mail whose Message-ID another mail has: its replay stores it under another id."""
    is_reused = event.kind == RECEIVED and event.reason == ParkReason.MESSAGE_ID_REUSED
    return {"is_released": True} if is_reused else {}
