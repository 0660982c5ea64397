"""The outside addresses that a mail adds to its thread."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from email_threads.parsing.kinds import REPORTS
from email_threads.parsing.trust import Trust
from email_threads.store.items.threads.mail import Evidence
from email_threads.store.items.threads.thread import Direction

if TYPE_CHECKING:
    from email_threads.store.items import Mail

MOST: Final = 50  # of one mail's recipients, as many as SES takes


def added_by(mail: Mail, mailbox: str) -> list[str]:
    """
    Return the sender of a received mail, or the recipients of a sent one.

    Returns none for a report, which a program wrote, for a mail that failed SES's checks, whose sender may be forged,
    and for a mail with weak evidence.
    """
    if mail.kind in REPORTS or mail.trust is Trust.FAILED or mail.evidence is Evidence.WEAK:
        return []
    if mail.direction is Direction.OUTBOUND:
        added = list(dict.fromkeys([*mail.to, *mail.cc]))[:MOST]
    else:
        added = [mail.sender] if mail.sender is not None else []
    return [address for address in added if address != mailbox]


def listed_by(mail: Mail, mailbox: str) -> list[str]:
    """Return the addresses that a mail lists its thread for: also the author of one with weak evidence."""
    weak = weak_author(mail)
    return [*added_by(mail, mailbox), *([weak] if weak is not None else [])]


def weak_author(mail: Mail) -> str | None:
    """Return the author of a mail with weak evidence, unless the address may be forged."""
    is_listed = mail.evidence is Evidence.WEAK and mail.trust is not Trust.FAILED
    return mail.sender if is_listed else None
