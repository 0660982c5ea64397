"""The thread of a Message-ID."""

from enum import StrEnum
from typing import ClassVar

from email_threads.store.items.item import ThreadItem
from shared.runtime import clock


class AliasKind(StrEnum):
    """`mail` and `sent` are held, an `erased` one was; a `phantom` was only named in References or In-Reply-To."""

    MAIL = "mail"
    SENT = "sent"
    PHANTOM = "phantom"
    ERASED = "erased"


_DAYS = {AliasKind.MAIL: 90, AliasKind.SENT: 90, AliasKind.PHANTOM: 30, AliasKind.ERASED: 90}


class Alias(ThreadItem):
    """A Message-ID of a company, as a hash, and its thread."""

    pattern: ClassVar[str] = "mid#{email_id}"

    conversation_id: str  # the item's key
    thread: str
    kind: AliasKind
    email_id: str
    n: int | None = None
    fingerprint: str | None = None
    ttl: int

    @classmethod
    def lifetime(cls, kind: AliasKind) -> int:
        """Return the `ttl` (epoch seconds) of an alias that is written now."""
        return clock.expires_in(_DAYS[kind] * clock.DAY_SECONDS)
