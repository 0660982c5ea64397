"""The dead letters of the queues: six share one dead-letter queue, downloads have another."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from conversations.recovery.destinations import Destinations
from conversations.store.recovery import unhandled
from shared.aws.dead_letters import DeadLetters, Letter
from shared.aws.dynamodb import Table
from shared.events.recovery.port import NO_ERROR_REPORTED
from shared.events.recovery.views import DeadLetter, Redriven
from shared.runtime import clock


@dataclass(slots=True, eq=False)
class ConversationsLetters:
    """Implements `DeadLetterQueue`; *log* holds the notes about last attempts."""

    letters: DeadLetters
    log: Table
    destinations: Destinations
    name: str = "conversations"

    def views(self, letters: Sequence[Letter]) -> list[DeadLetter]:
        """Show each letter with the note about its last attempt."""
        from conversations.recovery import parking  # noqa: PLC0415 - few calls list dead letters

        hashes = [parking.letter_hash(letter.body) for letter in letters]
        notes = unhandled.dead_letter_notes(self.log, hashes)
        shown = []
        for letter, body_hash in zip(letters, hashes, strict=True):
            note = notes.get(body_hash)
            view = DeadLetter(
                id=letter.id,
                queue=self.name,
                source=note.source if note else None,
                kind=parking.type_of(letter.body),
                reason=note.reason if note else NO_ERROR_REPORTED,
                attempts=note.attempts if note else None,
                dead_since=clock.to_text(letter.dead_since),
            )
            shown.append(view)
        return shown

    def send_again(self, letter: Letter, deduplication: str, by: str) -> Redriven:  # noqa: ARG002 - the caller logs it
        """Send the letter to the queue of its type. Raises NotReplayable."""
        queue, entry = self.destinations.of(letter.body)
        queue.send([replace(entry, deduplication=deduplication)])
        return Redriven(id=letter.id, queue=self.name, destination=queue.name)
