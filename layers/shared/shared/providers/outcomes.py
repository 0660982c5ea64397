"""
The outcomes of one attempt to send: `Sent`, or one of these exceptions.

    Exception
    + Refused                  the provider refused permanently
      - OptedOut               the recipient has opted out
      - WindowClosed           only a template may be sent now
      - AddressUnusable        this channel never reaches the address
      - AddressWithdrawn       the address is another person's now
      - Misconfigured          our account, sender or settings are wrong, not the recipient
        · CredentialsRefused   a newer secret may work
    + NotSent                  certainly not sent: refused connection, unknown host; a retry cannot send twice
      - Throttled              rate limit of the provider: this sender's other messages must wait too
    + InDoubt                  lost response or internal error of the provider: it may have acted, or may act yet

No message of them contains text of the provider: an error text can repeat an address or a body.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Sent:
    """
    The provider accepted the message, which does not prove delivery: the provider's id and its own word for the state.

    *segments* is None if the provider does not count them at once.
    """

    provider_id: str
    status: str
    segments: int | None = None


class Refused(Exception):
    """
    The provider refused permanently; *code* is its own error code or HTTP status.

    *answer*: the parsed response, if the provider says in it what it did of a list. It has addresses: never log it.
    """

    def __init__(self, code: str, answer: Mapping[str, Any] | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.answer = answer


class OptedOut(Refused):
    """The provider has an opt-out on record for the recipient."""


class WindowClosed(Refused):
    """The customer service window is closed: only a template may be sent."""


class AddressUnusable(Refused):
    """The address is invalid, or does not belong to this channel. Permanent."""


class AddressWithdrawn(Refused):
    """The customer's number is another person's now, and no other address is known. Found before the call."""


class Misconfigured(Refused):
    """An operator must fix the provider account or our settings; the same message can be sent afterwards."""


class CredentialsRefused(Misconfigured):
    """The provider rejected our credentials. They may have been rotated: read the secret again, once."""


class NotSent(Exception):
    """The provider certainly did not act; *code* is the reason, *wait_ms* the provider's retry delay, if given."""

    def __init__(self, code: str, wait_ms: int | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.wait_ms = wait_ms


class Throttled(NotSent):
    """The provider accepts no more messages from this sender, or from the account, for now."""


class InDoubt(Exception):
    """It is unknown whether the provider acted; *code* is the reason."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code
