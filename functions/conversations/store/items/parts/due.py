"""Scheduled work of a conversation."""

from enum import StrEnum
from typing import ClassVar

from pydantic import Field

from conversations.store.items.base import sort_key
from conversations.store.items.conversation import ChannelMethod
from conversations.store.items.log import OfConversation

DUE_INDEX = "due-index"
DUE_BUCKETS = 4
OF_COMPANY = "#"  # between the time and the company in `due_at`


class DueKind(StrEnum):
    """Kinds of scheduled work. `media` was written by earlier releases; files have a separate queue since."""

    RESUME = "resume"
    IN_DOUBT = "in_doubt"
    MEDIA = "media"
    # Records that left their queue: of a channel, and of replies.
    QUEUED = "queued"
    QUEUED_REPLY = "queued_reply"
    FOLLOW_UP = "follow_up"
    SATISFACTION = "satisfaction"  # the question how satisfied the customer is


class Due(OfConversation):
    """
    Scheduled work; its index is sparse, contains keys only and is spread over four partitions.

    `due_at` is the time and, so that the index shows it, the company: `<time>#<company_id>`. Items of earlier releases
    have only the time.
    """

    item_type: ClassVar[str] = "DUE"
    sk_pattern: ClassVar[str] = "DUE#{kind}"
    ttl_note: ClassVar[str] = "until it is done"

    kind: DueKind
    due_bucket: str
    due_at: str
    first_due_at: str | None = None
    attempts: int = 0
    reason: str | None = None
    message_sk: str | None = None
    step: int | None = (
        None  # of a follow-up, from 0; `message_sk` is the message that has no answer
    )
    channel_method: ChannelMethod | None = None  # of the queue that a record left
    body: str | None = Field(default=None, repr=False)  # of this record

    @property
    def at(self) -> str:
        """The due time, without the company."""
        return self.due_at.partition(OF_COMPANY)[0]

    @property
    def company(self) -> str:
        """The company; empty in items of earlier releases."""
        return self.due_at.partition(OF_COMPANY)[2]

    @classmethod
    def sk(cls, kind: DueKind) -> str:
        """Return the sort key: one item per kind at a time."""
        return sort_key(cls.sk_pattern, kind)
