"""Composition root of the recovery of this context, for the API function and `operations recovery`."""

from newsletters.recovery.parked_events import NewsletterParkedEvents
from newsletters.store import parked
from newsletters.store.items import ParkedEvent
from shared.aws.dead_letters import DeadLetters
from shared.aws.dynamodb import Table
from shared.aws.sqs_fifo import FifoQueue
from shared.recovery.event_letters import EventLetters
from shared.recovery.port import Recovery


def recovery_of(
    *,
    table: Table,
    steps: FifoQueue,
    exports: FifoQueue,
    steps_dead_letters: DeadLetters,
    exports_dead_letters: DeadLetters,
) -> Recovery[ParkedEvent]:
    """Return the parked events and dead letters of `newsletter-steps.fifo` and `newsletter-exports.fifo`."""
    return Recovery(
        context="newsletters",
        parked=NewsletterParkedEvents(table, steps, exports),
        dead_letters=(
            EventLetters(steps_dead_letters, table, steps, "steps", parked),
            EventLetters(exports_dead_letters, table, exports, "exports", parked),
        ),
    )
