"""
Reply tokens: the address to which a customer answers names the thread and proves that Parley wrote it.

    support+1a2b3c4d5e6f7a8b-0123456789abcdef@shop.example
            thread           HMAC of company and thread
"""

from __future__ import annotations

import hashlib
import hmac
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_DIGITS: Final = 16
_TOKEN: Final = re.compile(
    r"(?P<name>[^@]+)\+(?P<thread>[0-9a-f]{16})-(?P<proof>[0-9a-f]{16})@(?P<domain>.+)"
)
_MARK: Final = re.compile(r"(?P<thread>[0-9a-f]{16})-(?P<proof>[0-9a-f]{16})")


def address(mailbox: str, company_id: str, conversation_id: str, secret: bytes) -> str:
    """Return the address of a mailbox that names a thread."""
    name, _, domain = mailbox.partition("@")
    return f"{name}+{conversation_id}-{_proof(company_id, conversation_id, secret)}@{domain}"


def mark_of(company_id: str, conversation_id: str, secret: bytes) -> str:
    """Return the value of the header by which a copy of a sent mail is recognised."""
    return f"{conversation_id}-{_proof(company_id, conversation_id, secret)}"


def is_mark(text: str, company_id: str, secrets: Sequence[bytes]) -> bool:
    """Whether a header has a mark of this company, with a proof of one of the active *secrets*."""
    found = _MARK.fullmatch(text.strip())
    return found is not None and any(
        hmac.compare_digest(found["proof"], _proof(company_id, found["thread"], secret))
        for secret in secrets
    )


def thread_of(
    recipients: Iterable[str], mailbox: str, company_id: str, secrets: Sequence[bytes]
) -> str | None:
    """Return the thread that a recipient names with a valid proof of one of the active *secrets*; else None."""
    for recipient in recipients:
        found = _TOKEN.fullmatch(recipient)
        if found is None or f"{found['name']}@{found['domain']}" != mailbox:
            continue
        for secret in secrets:
            if hmac.compare_digest(found["proof"], _proof(company_id, found["thread"], secret)):
                return found["thread"]
    return None


def _proof(company_id: str, conversation_id: str, secret: bytes) -> str:
    text = f"{company_id}\n{conversation_id}".encode()
    return hmac.digest(secret, text, hashlib.sha256).hex()[:_DIGITS]
