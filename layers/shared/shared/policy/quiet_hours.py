"""Hours in which nobody is to be woken, by the clocks of wherever the recipient may be."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from zoneinfo import ZoneInfo

_DAY = timedelta(days=1)
# Each step ends the quiet of one zone; zones that agree at all do so within a day.
_STEPS = 16


@dataclass(frozen=True, slots=True)
class QuietHours:
    """
    From *start* up to *end* on the recipient's clock, usually over midnight.

    Raises ValueError where they are equal.
    """

    start: time = time(21)
    end: time = time(8)

    def __post_init__(self) -> None:
        if self.start == self.end:
            raise ValueError("quiet hours that never begin, or never end")

    def free_at(self, now_ms: int, zones: Sequence[ZoneInfo]) -> int | None:
        """
        The first moment from *now_ms* on that is quiet in none of *zones*; both in ms since 1970.

        *now_ms* itself where it is free now; None where the zones have no such moment in common.
        """
        moment = datetime.fromtimestamp(now_ms / 1_000, UTC)
        for _ in range(_STEPS):
            ends = [
                end for zone in zones if (end := self._end(moment.astimezone(zone))) is not None
            ]
            if not ends:
                return max(now_ms, round(moment.timestamp() * 1_000))
            moment = max(ends)
        return None

    def _end(self, local: datetime) -> datetime | None:
        """The end (UTC) of the quiet that lies over a local time; None where there is none."""
        clock = local.time()
        over_midnight = self.start > self.end
        has_begun, has_ended = clock >= self.start, clock >= self.end
        is_quiet = has_begun or not has_ended if over_midnight else has_begun and not has_ended
        if not is_quiet:
            return None
        is_tomorrow = over_midnight and has_begun
        # Where clocks are put back within the quiet hours, the same time comes twice: the end is that of this turn.
        end = datetime.combine(
            local.date() + _DAY if is_tomorrow else local.date(), self.end, local.tzinfo
        ).replace(fold=0 if is_tomorrow else local.fold)
        return end.astimezone(UTC)
