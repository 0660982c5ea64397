"""
Decides whether the sender of a mail may join the thread that its headers name. A known Message-ID is no evidence; the
name of a person in To or Cc of a mail that a verified participant wrote is.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from email_threads.parsing import answer_rules
from email_threads.parsing.trust import Trust
from email_threads.store.items.threads.mail import Evidence
from email_threads.store.items.threads.thread import Direction
from shared.identity.addresses import without_label
from shared.identity.public_domains import PUBLIC_DOMAINS

if TYPE_CHECKING:
    from collections.abc import Collection

    from email_threads.store.items import Mail


class Entry(StrEnum):
    """The admission of a mail: of a verified participant or an invited person, on weak evidence, or in a new thread."""

    JOIN = "join"
    INVITED = "invited"
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


def invites(mail: Mail, address: str) -> bool:
    """
    Whether a stored mail names a person's *address*, with any label, in To or Cc, and a verified participant of its
    thread wrote it.

    A service is no person: its mail to a customer, as a code, would be read as one of the thread.
    """
    is_of_participant = (
        mail.evidence is Evidence.ADMITTED
        or mail.is_by_participant
        # It opened the thread, or was stored by a version that only knew `needs_review`.
        or (mail.is_by_participant is None and not mail.needs_review)
    )
    return (
        without_label(address) in map(without_label, (*mail.to, *mail.cc))
        and not answer_rules.is_service(address)
        and mail.counts
        and mail.direction is Direction.INBOUND
        and mail.trust is Trust.VERIFIED
        and bool(is_of_participant)
    )


def _is_of_same_domain(sender: str, participants: Collection[str]) -> bool:
    domain = sender.rpartition("@")[2]
    return (
        bool(domain)
        and domain not in PUBLIC_DOMAINS
        and any(participant.endswith(f"@{domain}") for participant in participants)
    )
