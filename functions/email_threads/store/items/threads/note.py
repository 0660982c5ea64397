"""Internal notes of a thread, and the record of its changes."""

from typing import ClassVar

from email_threads.store.items.item import ThreadItem
from email_threads.store.items.threads.thread import AuditEntry, NoteEntry
from shared.aws.dynamodb import Attributes


class Note(ThreadItem, NoteEntry):
    """A whole note: at most 10,000 characters."""

    pattern: ClassVar[str] = "{conversation_id}#note#{k}"

    conversation_id: str  # the item's key
    company_id: str

    @classmethod
    def number(cls, conversation_id: str, k: int) -> Attributes:
        """Return the key of a thread's note number *k*."""
        return cls.key(conversation_id, f"{k:08d}")


class Audit(ThreadItem, AuditEntry):
    """A change of a thread."""

    pattern: ClassVar[str] = "{conversation_id}#audit#{k}"

    conversation_id: str  # the item's key
    k: int
    company_id: str

    @classmethod
    def number(cls, conversation_id: str, k: int) -> Attributes:
        """Return the key of a thread's change number *k*."""
        return cls.key(conversation_id, f"{k:08d}")
