"""A send that waits for its time."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from email_threads.store.items.item import ThreadItem
from shared.runtime import clock

if TYPE_CHECKING:
    from email_threads.store.items.replies.draft import Draft

_KEPT_SECONDS: Final = (
    3 * clock.DAY_SECONDS
)  # after its time, should the scheduled function not run


class ScheduledSend(ThreadItem):
    """
    Names an approved draft, in its version and attempt, that is sent at *send_at*.

    TTLIndex lists all of them in one partition by time.
    """

    pattern: ClassVar[str] = "{conversation_id}#send#{reply_id}"
    PARTITION: ClassVar[str] = "send"

    conversation_id: str  # the item's key
    reply_id: str
    version: int
    attempt: int
    send_at: str
    ttl: int
    ttl_date: str

    @classmethod
    def of(cls, draft: Draft, send_at: str) -> ScheduledSend:
        """Return the item of a draft."""
        return cls(
            conversation_id=cls.key(draft.thread, draft.reply_id)["conversation_id"],
            reply_id=draft.reply_id,
            version=draft.version,
            attempt=draft.attempt,
            send_at=send_at,
            ttl=cls.lifetime_at(clock.from_text(send_at) // clock.SECOND_MS),
            ttl_date=cls.PARTITION,
        )

    @staticmethod
    def lifetime_at(seconds: int) -> int:
        """Return the `ttl` (epoch seconds) of a send at this time (the same)."""
        return seconds + _KEPT_SECONDS

    @property
    def thread(self) -> str:
        """The id of the draft's thread, from its key."""
        return self.conversation_id.partition("#")[0]
