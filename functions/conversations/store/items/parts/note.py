"""Internal notes of agents in the conversation log."""

from typing import ClassVar

from pydantic import Field

from conversations.store.items.base import sort_key
from conversations.store.items.log import OfConversation


class Note(OfConversation):
    """
    An internal note of an agent; never sent to the customer or shown to the model, deleted with the conversation.

    The id in the key is a hash of the call that wrote it.
    """

    item_type: ClassVar[str] = "NOTE"
    sk_pattern: ClassVar[str] = "NOTE#{time}#{id}"
    first_sk: ClassVar[str] = "NOTE#"

    text: str = Field(repr=False)  # at most 4,000 characters
    by: str  # principal of the person or the API key

    @classmethod
    def sk(cls, time: str, note_id: str) -> str:
        """Return the sort key of a note; text order is time order."""
        return sort_key(cls.sk_pattern, time, note_id)
