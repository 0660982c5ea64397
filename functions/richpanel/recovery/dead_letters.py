"""The dead letters of both queues, which share one dead-letter queue."""

from collections.abc import Sequence
from dataclasses import dataclass

from richpanel.inbound.channels import Channel
from richpanel.inbound.event import RichpanelEvent
from richpanel.inbound.queued_events import parse_event
from richpanel.inbound.webhook import EventQueues
from richpanel.store import audits, events
from richpanel.store.items import DeadLetter as Note
from shared.aws.dead_letters import DeadLetters, Letter
from shared.aws.dynamodb import Table
from shared.aws.sqs_fifo import Entry
from shared.events.recovery.port import NO_ERROR_REPORTED
from shared.events.recovery.views import DeadLetter, Redriven
from shared.events.versions import NewerVersion
from shared.runtime import clock
from shared.runtime.failures import Permanent


@dataclass(slots=True, eq=False)
class HelpDeskLetters:
    """Implements `DeadLetterQueue`; *idempotency* holds the notes about last attempts."""

    letters: DeadLetters
    idempotency: Table
    audit: Table
    queues: EventQueues
    name: str = "richpanel"

    def views(self, letters: Sequence[Letter]) -> list[DeadLetter]:
        """Show each letter with the note about its last attempt."""
        notes = events.dead_letter_notes(self.idempotency, [letter.body for letter in letters])
        return [self._view(letter, notes.get(letter.body)) for letter in letters]

    def send_again(self, letter: Letter, deduplication: str, by: str) -> Redriven:
        """Write the audit row, and send the letter to its queue; the worker parks a text that is no event."""
        event = _event_in(letter)
        queue = self.queues.of(event.channel if event else Channel.UNKNOWN)
        conversation_id = event.conversation_id if event else None
        facts = {"change": "redrive", "letter": letter.id, "conversation": conversation_id}
        # Before the change: an untraceable change is worse than a trace of a change that failed.
        audits.add_change(self.audit, by, f"redrive:{letter.id}", facts)
        queue.send([Entry(letter.body, letter.group, deduplication)])
        return Redriven(
            id=letter.id,
            queue=self.name,
            destination=queue.name,
            correlation_id=conversation_id,
        )

    def _view(self, letter: Letter, note: Note | None) -> DeadLetter:
        event = _event_in(letter)
        return DeadLetter(
            id=letter.id,
            queue=self.name,
            kind=event.source if event else "unreadable",
            reason=note.reason if note else NO_ERROR_REPORTED,
            attempts=note.attempts if note else None,
            correlation_id=event.conversation_id if event else None,
            received_at=clock.to_text(event.received_at) if event else None,
            dead_since=clock.to_text(letter.dead_since),
        )


def _event_in(letter: Letter) -> RichpanelEvent | None:
    try:
        return parse_event(letter.body)
    except (Permanent, NewerVersion):
        return None
