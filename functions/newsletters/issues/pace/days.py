"""
The days of a domain's warm-up, in UTC: which step of the plan a day has, by what the day before was like.

    at least half of the limit was sent    the next step
    less                                   the same step
    many delays                            the same step, with the reason
    many bounces or complaints             the step before, with the reason; before the first one half of its limit

Events count for the newest day with mails when they arrive, as those of complaints often do a day later; so their share
is that of the mails of this day, or of the day before if that one has more.
"""

from __future__ import annotations

from datetime import UTC, datetime
from math import ceil
from typing import TYPE_CHECKING, Final

from newsletters.issues.pace import bounds
from shared.runtime import clock

if TYPE_CHECKING:
    from newsletters.store.items import WarmUp
    from newsletters.store.items.company import LowerLimit
    from newsletters.store.items.recipients import MailboxProvider

DAY_MS: Final = clock.DAY_SECONDS * clock.SECOND_MS
LOWEST_STEP: Final = -3  # an eighth of the first limit
_HUNDRED: Final = 100


def today() -> str:
    """Return the present UTC day, YYYY-MM-DD."""
    return f"{datetime.fromtimestamp(clock.now_ms() // clock.SECOND_MS, UTC):%Y-%m-%d}"


def day_of(warm_up: WarmUp) -> str:
    """Return the day on which a mail counts now: no day before the newest one, which a faster clock may have begun."""
    return max(today(), warm_up.day or "")


def next_day_ms() -> int:
    """Return the begin of the next UTC day (ms since 1970)."""
    return (clock.now_ms() // DAY_MS + 1) * DAY_MS


def objection(warm_up: WarmUp) -> LowerLimit | None:
    """Return what the newest day with mails was bad at, None for a good one."""
    mails = max(warm_up.total, warm_up.total_before)
    if warm_up.complained >= max(bounds.FEWEST_COMPLAINTS, bounds.COMPLAINTS * mails):
        return "complaints"
    if warm_up.bounced >= max(bounds.FEWEST_BOUNCES, bounds.BOUNCES * mails):
        return "bounces"
    if warm_up.delayed >= max(bounds.FEWEST_DELAYS, bounds.DELAYS * mails):
        return "delays"
    return None


def step_after(warm_up: WarmUp, total: int) -> int:
    """Return the step of the day after the newest one, if that one has *total* mails in the end."""
    reason = objection(warm_up)
    if reason == "delays":
        return warm_up.step
    if reason is not None:
        return max(warm_up.step - 1, LOWEST_STEP)
    return warm_up.step + (2 * total >= limit_on(warm_up, warm_up.step))


def step_on(warm_up: WarmUp, day: str) -> int:
    """
    Return the place of a day in the limits, from 0; the number of limits if the domain is warm, below 0 for a half of
    the first limit, a quarter, an eighth.
    """
    if not warm_up.limits:
        return 0  # warm, also after a bad first day
    if warm_up.day is None or warm_up.step >= len(warm_up.limits):
        return min(warm_up.step, len(warm_up.limits))
    if warm_up.day == day:
        return warm_up.step
    return step_after(warm_up, warm_up.total)


def reason_on(warm_up: WarmUp, day: str) -> LowerLimit | None:
    """Return why the limit of a day is not higher than that of the day before, None without such a reason."""
    return warm_up.reason if warm_up.day in {None, day} else objection(warm_up)


def is_warm(warm_up: WarmUp, day: str) -> bool:
    """Whether a domain has no limit on a day."""
    return step_on(warm_up, day) >= len(warm_up.limits)


def limit_on(warm_up: WarmUp, step: int, provider: MailboxProvider | None = None) -> int:
    """Return the most mails of a step: in all, or to one mailbox provider."""
    limit = warm_up.limits[step] if step >= 0 else max(1, warm_up.limits[0] >> -step)
    if provider is None or provider == "other":
        return limit
    return ceil(limit * warm_up.provider_percent / _HUNDRED)


def sent_on(warm_up: WarmUp, day: str, provider: MailboxProvider | None = None) -> int:
    """Return how many mails of a day are counted."""
    if warm_up.day != day:
        return 0
    return warm_up.total if provider is None else int(getattr(warm_up, provider))
