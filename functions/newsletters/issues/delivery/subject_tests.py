"""
Subject tests: a sample of the recipients gets the subjects in equal parts, and decides which one all others get.

    snapshot   who is in the sample, and which variant, follows from the hash of issue and recipient
    dispatch   the sample has its mails --wait--> the winner by clicks per mail, or a person's choice --> all others

Without a clear winner, with no click or two equal rates, the issue pauses until a person chooses.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

from newsletters.issues.delivery import ends
from newsletters.store import issues
from newsletters.store.items import IssueState
from newsletters.store.items.issues import VARIANTS
from newsletters.store.readers import recipients
from shared.runtime import clock

if TYPE_CHECKING:
    from newsletters.configuration.resources import SendingResources
    from newsletters.store.items import Issue, VariantStats
    from newsletters.store.items.issues import Variant

NO_WINNER, CHOICE = "no_winner", "choice_of_subject"
PAUSES: Final = frozenset({NO_WINNER, CHOICE})
_HUNDRED: Final = 100


def variant_of(issue: Issue, recipient: str) -> Variant | None:
    """Return the variant of a recipient, None for one outside the sample."""
    if issue.subject_test is None:
        return None
    hashed = hashlib.sha256(f"{issue.issue_id} {recipient}".encode()).digest()
    if int.from_bytes(hashed[:8]) % _HUNDRED >= issue.subject_test.sample_percent:
        return None
    return VARIANTS[int.from_bytes(hashed[8:16]) % len(issue.subjects)]


def is_open(issue: Issue) -> bool:
    """Whether only the sample may have its mails yet."""
    return issue.subject_test is not None and issue.winner is None


def decided(resources: SendingResources, issue: Issue) -> Issue:
    """
    Return an issue whose wait is over with its winner, or paused until a person chooses. Safe to repeat. Raises
    LeaseLost.
    """
    test = issue.subject_test if is_open(issue) else None
    if test is None or issue.decide_at is None or clock.now_ms() < issue.decide_at:
        return issue
    if test.decided_by == "person":
        return ends.end(resources, issue, IssueState.PAUSED, pause_reason=CHOICE)
    winner = _winner(recipients.variant_stats(resources.store.table, issue))
    if winner is None:
        return ends.end(resources, issue, IssueState.PAUSED, pause_reason=NO_WINNER)
    return issues.advance(resources.store.table, issue, winner=winner)


def _winner(found: dict[Variant, VariantStats]) -> Variant | None:
    rates = {name: one.clicked / one.sent for name, one in found.items() if one.sent}
    best = max(rates.values(), default=0.0)
    leading = [name for name, rate in rates.items() if rate == best]
    return leading[0] if best and len(leading) == 1 else None
