"""Quiet hours without automatic messages, in all possible time zones of the recipient."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from zoneinfo import ZoneInfo

_DAY = timedelta(days=1)
# Each step ends the quiet hours of one zone; zones with a common free time reach it within a day.
_STEPS = 16


@dataclass(frozen=True, slots=True)
class QuietHours:
    """
    From *start* up to *end* in the recipient's local time, usually over midnight.

    Raises ValueError if they are equal.
    """

    start: time = time(21)
    end: time = time(8)

    def __post_init__(self) -> None:
        if self.start == self.end:
            raise ValueError("start and end must differ")

    def free_at(self, now_ms: int, zones: Sequence[ZoneInfo]) -> int | None:
        """
        Return the first time from *now_ms* on that is outside the quiet hours of all *zones*; both in ms since 1970.

        *now_ms* itself if it is free; None if the zones have no common free time.
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
        """Return the end (UTC) of the quiet hours that contain a local time; None if it is outside them."""
        clock = local.time()
        over_midnight = self.start > self.end
        has_begun, has_ended = clock >= self.start, clock >= self.end
        is_quiet = has_begun or not has_ended if over_midnight else has_begun and not has_ended
        if not is_quiet:
            return None
        is_tomorrow = over_midnight and has_begun
        # When clocks are put back during the quiet hours, one local time occurs twice: use the end with the same fold.
        end = datetime.combine(
            local.date() + _DAY if is_tomorrow else local.date(), self.end, local.tzinfo
        ).replace(fold=0 if is_tomorrow else local.fold)
        return end.astimezone(UTC)
