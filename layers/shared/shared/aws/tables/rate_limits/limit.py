"""Types that all counters share, and the sliding window over known times."""

from collections.abc import Iterable
from dataclasses import dataclass

from shared.runtime import clock

# Attempts on a counter with concurrent writers before the event is returned to the queue.
ROUNDS = 8


@dataclass(frozen=True, slots=True)
class Limit:
    """At most *most* actions, one or more, within *within_seconds*."""

    most: int
    within_seconds: int

    @property
    def within_ms(self) -> int:
        """The same in milliseconds."""
        return self.within_seconds * clock.SECOND_MS

    def free_at(self, moments: Iterable[int], now_ms: int) -> int | None:
        """Return when one more is permitted, given the times of earlier ones; None for now. All ms since 1970."""
        inside = sorted(moment for moment in moments if moment > now_ms - self.within_ms)
        return inside[-self.most] + self.within_ms if len(inside) >= self.most else None


@dataclass(frozen=True, slots=True)
class Rate:
    """One per *every_ms*, and up to *burst* at once after a sufficient pause."""

    every_ms: int
    burst: int = 1

    @property
    def ahead_ms(self) -> int:
        """The most by which the stored free time may be ahead of the clock for one more send."""
        return (self.burst - 1) * self.every_ms
