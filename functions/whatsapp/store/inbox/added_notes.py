"""New notes of conversations, which people are notified of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shared.inbox.notifications.causes import WrittenNote, mentions_in
from whatsapp.store.items.conversations.agents import Note
from whatsapp.store.items.item import PARTITION_KEY

if TYPE_CHECKING:
    from shared.aws.dynamodb import Attributes, Table


@dataclass(frozen=True, slots=True)
class AddedNotes:
    """The notes of the table."""

    table: Table

    def added(self, key: Attributes) -> WrittenNote | None:
        """Return the note with this key if it mentions people or teams (strongly consistent read)."""
        item = self.table.get(key) if Note.is_key(str(key[PARTITION_KEY])) else None
        if item is None:
            return None
        note = Note.read(item)
        mentions = mentions_in(note.text)
        if not mentions:
            return None
        return WrittenNote(
            reference=note.conversation_pk.removeprefix(Note.list_of("")),
            key=note.pk,
            at=note.received_at,
            by=note.by,
            mentions=mentions,
        )
