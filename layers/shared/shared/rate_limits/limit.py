"""The words of all counters."""

from dataclasses import dataclass

from shared import clock

# A counter that many write at once is read again so often before its event goes back to the queue.
ROUNDS = 8


@dataclass(frozen=True, slots=True)
class Limit:
    """At most *most* things, one or more, within *within_seconds*."""

    most: int
    within_seconds: int

    @property
    def within_ms(self) -> int:
        """The same in milliseconds."""
        return self.within_seconds * clock.SECOND_MS


@dataclass(frozen=True, slots=True)
class Rate:
    """One every *every_ms*, and up to *burst* at once where nothing was sent for long enough."""

    every_ms: int
    burst: int = 1

    @property
    def ahead_ms(self) -> int:
        """How far the free moment may be ahead of the clock for one more to pass."""
        return (self.burst - 1) * self.every_ms
