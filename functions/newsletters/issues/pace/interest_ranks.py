"""
The order of an issue's readers while the sender's domain is new: who has shown interest for longest comes first.

Large mailbox providers judge a new sender by how readers treat its first mails.
"""

from __future__ import annotations

from typing import Final

from shared.runtime import clock

_DAYS: Final = (365, 90, 0)  # since the first sign of interest, by rank
LAST: Final = len(_DAYS)  # of readers without one


def rank_of(since: str | None) -> int:
    """Return the rank of a reader who has shown interest *since* a time, 0 for the first ones."""
    if since is None:
        return LAST
    days = (clock.now_ms() - clock.from_text(since)) / (clock.DAY_SECONDS * clock.SECOND_MS)
    return next((rank for rank, least in enumerate(_DAYS) if days >= least), LAST - 1)
