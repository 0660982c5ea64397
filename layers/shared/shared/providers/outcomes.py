"""
How one attempt to send can end: `Sent`, or one of these exceptions.

    Exception
    + Refused                  the provider said no, for good
      - OptedOut               the recipient wants no more messages
      - WindowClosed           only a template may go out now
      - AddressUnusable        this channel never reaches the address
      - Misconfigured          our account, sender or settings; no fault of the recipient
        · CredentialsRefused   a newer secret may do
    + NotSent                  certainly not sent: refused connection, unknown host; trying again cannot double anything
      - Throttled              too fast for the provider: whatever else this sender has to send waits as well
    + InDoubt                  the answer is lost or the provider failed inside: it may have acted, or may act yet

None of them carries what the provider wrote: an error text can repeat an address or a body.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sent:
    """
    The provider took the message, which is no delivery yet: its id for it, and its own word for the state.

    *segments* is None where the provider does not count them at once.
    """

    provider_id: str
    status: str
    segments: int | None = None


class Refused(Exception):
    """The provider refused for good; *code* is its own error code or HTTP status."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class OptedOut(Refused):
    """The provider knows that the recipient said stop."""


class WindowClosed(Refused):
    """The customer has not written for too long: only a template may be sent."""


class AddressUnusable(Refused):
    """The address is none, or not one of this channel. It stays so."""


class Misconfigured(Refused):
    """People have to change something at the provider or in our settings first; the same message can go out then."""


class CredentialsRefused(Misconfigured):
    """The provider does not know our credentials. They may have been rotated: read the secret again, once."""


class NotSent(Exception):
    """The provider certainly did not act; *code* says why, *wait_ms* when it may, where the provider says so."""

    def __init__(self, code: str, wait_ms: int | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.wait_ms = wait_ms


class Throttled(NotSent):
    """The provider takes no more of this sender, or of the account, just now."""


class InDoubt(Exception):
    """Nobody knows whether the provider acted; *code* says why."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code
