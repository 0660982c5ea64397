"""Periods of whole days, UTC. Both dates belong to the period."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING

from shared.api.errors import InvalidInput
from shared.runtime import clock

if TYPE_CHECKING:
    from typing import Self

MOST_DAYS = 93  # of our counters, in one call
LOOK_BACK_DAYS = 366  # of the provider's analytics
DEFAULT_DAYS = 30
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Period:
    """The days from *first* to *last*."""

    first: date
    last: date

    @classmethod
    def of(cls, first: date | None, last: date | None, *, most_days: int = MOST_DAYS) -> Self:
        """
        Return the period of an input; without `endDate` it ends today, without `startDate` it has 30 days.

        Raises InvalidInput.
        """
        end = last or today()
        period = cls(first or end - (DEFAULT_DAYS - 1) * _DAY, end)
        if period.first > period.last:
            raise _invalid("endDate", "must not be before startDate")
        if len(period.dates) > most_days:
            raise _invalid("endDate", f"must be at most {most_days - 1} days after startDate")
        return period

    @classmethod
    def at_the_provider(cls, first: date, last: date, *, most_days: int = LOOK_BACK_DAYS) -> Self:
        """Return a period within the provider's look-back of a year. Raises InvalidInput."""
        period = cls.of(first, last, most_days=most_days)
        if first < today() - LOOK_BACK_DAYS * _DAY:
            raise _invalid("startDate", f"must be at most {LOOK_BACK_DAYS} days ago")
        return period

    @property
    def dates(self) -> list[str]:
        """All days as YYYY-MM-DD, oldest first."""
        span = range((self.last - self.first).days + 1)
        return [(self.first + ahead * _DAY).isoformat() for ahead in span]

    @property
    def start(self) -> int:
        """Midnight before the first day, in seconds since 1970."""
        return _midnight(self.first)

    @property
    def end(self) -> int:
        """Midnight after the last day, in seconds since 1970."""
        return _midnight(self.last + _DAY)

    @property
    def bounds(self) -> tuple[str, str]:
        """The first and the last moment in the format of items."""
        return f"{self.first}T00:00:00.000Z", f"{self.last}T23:59:59.999Z"


def today() -> date:
    """Return the current day, UTC."""
    return datetime.fromtimestamp(clock.now_ms() / clock.SECOND_MS, UTC).date()


def _midnight(day: date) -> int:
    return int(datetime.combine(day, time(), UTC).timestamp())


def _invalid(field: str, problem: str) -> InvalidInput:
    return InvalidInput([{"field": field, "problem": problem}])
