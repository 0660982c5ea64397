"""The tombstone of an erased address."""

from typing import ClassVar, Self

from email_threads.store.items.item import ThreadItem
from shared.privacy.tombstones import Tombstone
from shared.runtime import clock


class ErasedAddress(Tombstone, ThreadItem):
    """
    No mail of an address that was received up to `until` is stored again. The key holds a keyed hash of company and
    address.

    It outlives dead letters (14 days), raw mails and parked events (30 days).
    """

    pattern: ClassVar[str] = "erased#{subject}"
    ttl_days: ClassVar[int] = 120

    conversation_id: str  # the item's key

    @classmethod
    def of(cls, subject: str, until: str) -> Self:
        """Return the tombstone of a subject."""
        return cls(
            conversation_id=cls.key(subject)["conversation_id"],
            until=until,
            ttl=clock.expires_in(cls.ttl_days * clock.DAY_SECONDS),
        )
