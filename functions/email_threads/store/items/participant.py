"""A person of a thread beside its primary correspondent."""

from typing import ClassVar

from pydantic import Field

from email_threads.store.items.item import ThreadItem


class Participant(ThreadItem):
    """The row of ParticipantIndex for another outside address of a thread. Without `status`: see the head."""

    pattern: ClassVar[str] = "{thread}#participant#{address_hash}"

    conversation_id: str  # the item's key
    participant: str = Field(repr=False)
    updated_at: str
    subject: str = Field(repr=False)
    last_seq: int
