"""Decides whether the sender of a mail may join the thread that its headers name. A known Message-ID is no evidence."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from email_threads.parsing.addresses import PUBLIC_DOMAINS
from email_threads.parsing.trust import Trust

if TYPE_CHECKING:
    from collections.abc import Collection


class Entry(StrEnum):
    """The admission of a mail: as a verified participant's, on weak evidence, or in a new thread."""

    JOIN = "join"
    REVIEW = "review"
    OWN_THREAD = "own_thread"


def entry(
    sender: str | None, trust: Trust, participants: Collection[str], *, has_token: bool = False
) -> Entry:
    """
    Return how a mail of *sender* enters a thread with these participants.

    *has_token*: the mail was sent to an address that names this thread with a proof.
    """
    if sender in participants:
        return Entry.JOIN if trust is Trust.VERIFIED else Entry.REVIEW
    if trust is Trust.VERIFIED and (has_token or _is_of_same_domain(sender or "", participants)):
        return Entry.REVIEW
    return Entry.OWN_THREAD


def _is_of_same_domain(sender: str, participants: Collection[str]) -> bool:
    domain = sender.rpartition("@")[2]
    return (
        bool(domain)
        and domain not in PUBLIC_DOMAINS
        and any(participant.endswith(f"@{domain}") for participant in participants)
    )
