"""Composition root of the recovery of this context, for the API function and `operations recovery`."""

from email_threads.recovery.parked_events import MailParkedEvents
from email_threads.store import parked
from email_threads.store.items import ParkedEvent
from shared.aws.dead_letters import DeadLetters
from shared.aws.dynamodb import Table
from shared.aws.sqs_fifo import FifoQueue
from shared.aws.sqs_standard import StandardQueue
from shared.recovery.event_letters import EventLetters
from shared.recovery.port import Recovery


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
    return Recovery(
        context="email-threads",
        parked=MailParkedEvents(table, queue),
        dead_letters=(
            EventLetters(dead_letters, table, queue, "events", parked),
            EventLetters(inbound_dead_letters, table, inbound, "inbound", parked),
        ),
    )
