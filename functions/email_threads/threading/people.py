"""The outside addresses that a mail adds to its thread."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from email_threads.parsing.kinds import REPORTS
from email_threads.parsing.trust import Trust
from email_threads.store.items.thread import Direction

if TYPE_CHECKING:
    from email_threads.store.items import Mail

MOST: Final = 20  # of one mail's recipients


def added_by(mail: Mail, mailbox: str) -> list[str]:
    """
    Return the sender of a customer's mail, or the recipients of our own one.

    Nothing of a report, which a program wrote, and of a mail that failed SES's checks: its sender may be forged.
    """
    if mail.kind in REPORTS or mail.trust is Trust.FAILED:
        return []
    if mail.direction is Direction.OUTBOUND:
        added = list(dict.fromkeys([*mail.to, *mail.cc]))[:MOST]
    else:
        added = [mail.sender] if mail.sender is not None else []
    return [address for address in added if address != mailbox]
