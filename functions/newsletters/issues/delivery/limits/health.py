"""The rules by which an issue pauses itself: too many bounces, complaints or refusals. Going on takes a person."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from newsletters.issues.pace.bounds import BOUNCES, COMPLAINTS, FEWEST_COMPLAINTS

if TYPE_CHECKING:
    from newsletters.store.items import IssueStats

FEWEST_SENT: Final = 100
FEWEST_FAILED: Final = 20
FAILURES: Final = 0.2


def objection(stats: IssueStats) -> str | None:
    """Return the reason to pause, None without one."""
    tried = stats.sent + stats.failed
    if stats.sent >= FEWEST_SENT and stats.bounced >= BOUNCES * stats.sent:
        return "bounce_rate"
    if stats.complained >= FEWEST_COMPLAINTS and stats.complained >= COMPLAINTS * stats.delivered:
        return "complaint_rate"
    if stats.failed >= FEWEST_FAILED and stats.failed >= FAILURES * tried:
        return "refusal_rate"
    return None
