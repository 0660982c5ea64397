"""A person of a thread beside its primary correspondent."""

from typing import ClassVar

from pydantic import Field

from email_threads.store.items.thread import PARTITION_KEY
from shared.aws.items import Item


class Participant(Item):
    """The row of ParticipantIndex for another outside address of a thread. Without `status`: see the head."""

    partition_key: ClassVar[str] = PARTITION_KEY
    pattern: ClassVar[str] = "{thread}#participant#{address_hash}"

    conversation_id: str  # the item's key
    participant: str = Field(repr=False)
    updated_at: str
    subject: str = Field(repr=False)
    last_seq: int
