"""Subjects without the prefixes of replies and forwards."""

from __future__ import annotations

import re
from typing import Final

NONE: Final = "(no subject)"
SHORTEST: Final = 5  # characters of a subject by which a thread may be found

_REPLY: Final = "re|aw|sv|vs|vb|antw|odp|ynt|res|回复|答复"
_FORWARD: Final = "fw|fwd|wg|doorst|rv|enc|tr|转发"
_PREFIX: Final = re.compile(
    rf"\s*(?:{_REPLY}|{_FORWARD})\s*(?:\[\d+\])?\s*[:\uff1a]", re.IGNORECASE
)
_IS_REPLY: Final = re.compile(rf"\s*(?:{_REPLY})\s*(?:\[\d+\])?\s*[:\uff1a]", re.IGNORECASE)
_SPACES: Final = re.compile(r"\s+")


def cleaned(subject: str) -> str:
    """Return the subject without prefixes, `(no subject)` if nothing is left."""
    while found := _PREFIX.match(subject):
        subject = subject[found.end() :]
    return _SPACES.sub(" ", subject).strip() or NONE


def is_reply(subject: str) -> bool:
    """Whether the subject starts with the prefix of a reply."""
    return bool(_IS_REPLY.match(subject))
