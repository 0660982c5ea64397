"""New notes and drafts of threads, which people are notified of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from email_threads.store.items import Draft, Note
from email_threads.store.items.item import PARTITION_KEY
from email_threads.store.items.replies.draft import WAITING
from shared.inbox.notifications.causes import WaitingDraft, WrittenNote, mentions_in

if TYPE_CHECKING:
    from shared.aws.dynamodb import Attributes, Table
    from shared.inbox.notifications.causes import Added

# The middle of a key, after the id of the thread.
_NOTE, _DRAFT = (item.pattern.split("{")[1].partition("}")[2] for item in (Note, Draft))


@dataclass(frozen=True, slots=True)
class Additions:
    """The notes and drafts of the table. Each new one is read once, strongly consistent."""

    table: Table

    def added(self, key: Attributes) -> Added | None:
        """Return the note with this key if it mentions people or teams, or the draft if it waits for a person."""
        name = str(key[PARTITION_KEY])
        if _NOTE in name:
            return self._note(name, key)
        return self._draft(name, key) if _DRAFT in name else None

    def _note(self, name: str, key: Attributes) -> WrittenNote | None:
        item = self.table.get(key)
        note = Note.read(item) if item else None
        mentions = mentions_in(note.text) if note is not None else ()
        if note is None or not mentions:
            return None
        thread = name.partition(_NOTE)[0]
        return WrittenNote(reference=thread, key=name, at=note.at, by=note.by, mentions=mentions)

    def _draft(self, name: str, key: Attributes) -> WaitingDraft | None:
        item = self.table.get(key)
        draft = Draft.read(item) if item else None
        if draft is None or draft.draft_status not in WAITING:
            return None
        thread = name.partition(_DRAFT)[0]
        return WaitingDraft(reference=thread, key=name, at=draft.updated_at, by=draft.origin)
