"""Additions of agents to a conversation: internal notes, and the record of their changes."""

from typing import Annotated, Any, ClassVar

from whatsapp.store.items.conversations.conversations import Conversation
from whatsapp.store.items.item import AtMost, WhatsAppItem


class Note(WhatsAppItem):
    """
    An internal note of an agent about a conversation; never sent to the customer, deleted with the conversation.

    Notes have a separate partition in gsi_conversation, so that the timeline of messages stays as it is.
    """

    item_type: ClassVar[str] = "NOTE"
    pk_pattern: ClassVar[str] = "NOTE#{noteId}"
    indexes: ClassVar[tuple[str, ...]] = ("gsi_conversation",)

    conversation_pk: str  # see `list_of`
    received_at: str  # when it was written
    text: str  # at most 4,000 characters
    by: str  # principal of the person or the API key

    @classmethod
    def list_of(cls, conversation_pk: str) -> str:
        """Return the partition of gsi_conversation that holds the notes of a conversation."""
        return f"NOTES#{conversation_pk}"

    @property
    def note_id(self) -> str:
        """The id in the key."""
        return self.pk.removeprefix(self.pk_pattern.partition("{")[0])


class ConversationChange(WhatsAppItem):
    """
    A change of a conversation by an agent: who changed what, and when. Holds no phone number and no text.

    Written just before the next change: the newest one is the head's `last_change`, written with the change itself. So
    none is missing, and none is recorded that was not made.
    """

    item_type: ClassVar[str] = "CONVERSATION_CHANGE"
    pk_pattern: ClassVar[str] = "CHANGE#{historyId}#{n}"

    revision: int
    at: str
    by: str  # principal of the person or the API key
    cause: str  # hash of the caller and the idempotency key
    changed: Annotated[dict[str, Any], AtMost(5)]  # new values; of labels only that they changed

    @classmethod
    def of(cls, history_id: str, revision: int) -> str:
        """Return the key of the change that made this *revision* of the head with this `history_id`."""
        return cls.key(history_id, f"{revision:08d}")

    @classmethod
    def last_of(cls, head: Conversation) -> "ConversationChange | None":
        """Return the newest change of a conversation; None if agents never changed it."""
        if head.last_change is None or head.history_id is None:
            return None
        key = cls.of(head.history_id, head.revision)
        return cls(pk=key, company=head.company, **head.last_change)
