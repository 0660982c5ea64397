"""New notes of conversations, which people are notified of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from conversations.store.items.base import PARTITION_KEY, SORT_KEY
from conversations.store.items.log import OfConversation
from conversations.store.items.parts.note import Note
from shared.inbox.notifications.causes import WrittenNote, mentions_in

if TYPE_CHECKING:
    from shared.aws.dynamodb import Attributes, Table

_FIRST = OfConversation.pk_pattern.partition("{")[0]


@dataclass(frozen=True, slots=True)
class AddedNotes:
    """The notes of the log."""

    log: Table

    def added(self, key: Attributes) -> WrittenNote | None:
        """Return the note with this key if it mentions people or teams (strongly consistent read)."""
        sk = str(key.get(SORT_KEY, ""))
        item = self.log.get(key) if sk.startswith(Note.first_sk) else None
        if item is None:
            return None
        note = Note.read(item)
        mentions = mentions_in(note.text)
        if not mentions:
            return None
        return WrittenNote(
            reference=str(key[PARTITION_KEY]).removeprefix(_FIRST),
            key=sk,
            at=sk.split("#")[1],
            by=note.by,
            mentions=mentions,
        )
