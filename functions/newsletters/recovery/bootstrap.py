"""Composition root of the recovery of this context, for the API function and `operations recovery`."""

from typing import Final

from newsletters.store import parked
from newsletters.store.items import ParkedEvent
from shared.aws.dead_letters import DeadLetters
from shared.aws.dynamodb import Table
from shared.aws.sqs_fifo import FifoQueue
from shared.events.recovery.event_letters import EventLetters
from shared.events.recovery.event_replays import EventReplays
from shared.events.recovery.port import Recovery

EXPORT: Final = "newsletter.export"


def recovery_of(
    *,
    table: Table,
    steps: FifoQueue,
    exports: FifoQueue,
    steps_dead_letters: DeadLetters,
    exports_dead_letters: DeadLetters,
) -> Recovery[ParkedEvent]:
    """Return the parked events and dead letters of `newsletter-steps.fifo` and `newsletter-exports.fifo`."""
    events = parked.events_of(table)
    return Recovery(
        context="newsletters",
        parked=EventReplays(
            store=events, queue_of=lambda event: exports if event.kind == EXPORT else steps
        ),
        dead_letters=(
            EventLetters(steps_dead_letters, steps, "steps", events),
            EventLetters(exports_dead_letters, exports, "exports", events),
        ),
    )
