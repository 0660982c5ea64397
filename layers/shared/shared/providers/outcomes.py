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
      - Unrecognised           an answer that the provider does not document

No message of them contains text of the provider: an error text can repeat an address or a body. What the provider says
besides its code is in `details`, for the response to the caller only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from shared.runtime.redaction import redact

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Sent:
    """
    The provider accepted the message, which does not prove delivery: the provider's id and its own word for the state.

    *segments* is None if the provider does not count them at once.
    """

    provider_id: str
    status: str
    segments: int | None = None


_LONGEST_TEXT = 1_000  # characters
_TRACE_ID = r"[A-Za-z0-9_=:/+.-]{1,128}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorDetails:
    """
    A provider's error besides its code. *trace_id* names the request in the provider's logs (Meta's `fbtrace_id`, AWS's
    request id). *is_transient*: the provider says that the same request can succeed later.

    The texts have no numbers, addresses of mail or secrets, but may repeat a body: never log them, and store them only
    sealed.
    """

    subcode: str | None = None
    title: str | None = field(default=None, repr=False)
    message: str | None = field(default=None, repr=False)
    trace_id: str | None = None
    is_transient: bool = False

    @classmethod
    def parsed(
        cls,
        *,
        subcode: object,
        title: object,
        message: object,
        trace_id: object,
        is_transient: bool,
    ) -> ErrorDetails:
        """Return the details of values as a provider sent them; values of another type are absent."""
        is_trace = isinstance(trace_id, str) and re.fullmatch(_TRACE_ID, trace_id)
        is_subcode = isinstance(subcode, int) and not isinstance(subcode, bool)
        return cls(
            subcode=str(subcode) if is_subcode else None,
            title=_text(title),
            message=_text(message),
            trace_id=str(trace_id) if is_trace else None,
            is_transient=is_transient,
        )

    def without_texts(self) -> dict[str, str | bool]:
        """Return the part that may be stored, as fields of the ledger's item."""
        kept = {"error_subcode": self.subcode, "error_trace_id": self.trace_id}
        present = {name: value for name, value in kept.items() if value is not None}
        return {**present, "is_error_transient": self.is_transient}


def _text(value: object) -> str | None:
    """Return a text without personal data; it is cut afterwards, so that no part of a number stays."""
    if not isinstance(value, str) or not value:
        return None
    return redact(value[: 2 * _LONGEST_TEXT])[:_LONGEST_TEXT]


class Refused(Exception):
    """
    The provider refused permanently; *code* is its own error code or HTTP status.

    *answer*: the parsed response, if the provider says in it what it did of a list. It has addresses: never log it.
    """

    def __init__(
        self,
        code: str,
        answer: Mapping[str, Any] | None = None,
        details: ErrorDetails | None = None,
    ) -> None:
        super().__init__(code)
        self.code = code
        self.answer = answer
        self.details = details


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

    def __init__(
        self, code: str, wait_ms: int | None = None, details: ErrorDetails | None = None
    ) -> None:
        super().__init__(code)
        self.code = code
        self.wait_ms = wait_ms
        self.details = details


class Throttled(NotSent):
    """The provider accepts no more messages from this sender, or from the account, for now."""


class InDoubt(Exception):
    """It is unknown whether the provider acted; *code* is the reason."""

    def __init__(self, code: str, details: ErrorDetails | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.details = details


class Unrecognised(InDoubt):
    """The provider has answered in a way that it does not document: a person has to look before more is sent."""
