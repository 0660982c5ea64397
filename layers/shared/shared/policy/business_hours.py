"""
Business hours: weekly periods in a time zone, without holidays.

A period belongs to the day on which it begins. One of Friday from 22:00 to 06:00 ends on Saturday, also if Saturday is
a holiday. An end that is not after its start is on the next day, so that 00:00 to 00:00 is a whole day.

Hours are real ones: on the day on which clocks are put forward, a whole day has 23. A period that begins or ends in the
hour that is left out does so at the change; in the hour that comes twice it begins the first time and ends the second.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Final, Literal, get_args
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from shared.runtime import clock
from shared.runtime.validation import patterns
from shared.runtime.validation.timezones import ZoneName

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_PERIODS: Final = 20
MOST_HOLIDAYS: Final = 100
LONGEST_WEEKS: Final = 26  # of the hours of a target
# A due time further away is none. Targets of LONGEST_WEEKS end before: each holiday costs at most one week.
MOST_DAYS: Final = 7 * (LONGEST_WEEKS + MOST_HOLIDAYS + 1)
_WEEK: Final = 7
_DAY: Final = timedelta(days=1)
# Any week without a change of clocks in UTC; it measures the hours of a week.
_MEASURED_WEEK: Final = date(2026, 1, 5)

type Weekday = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_WEEKDAYS: Final[tuple[Weekday, ...]] = get_args(Weekday.__value__)


def _as_date(text: str) -> str:
    try:
        is_date = date.fromisoformat(text).isoformat() == text
    except ValueError:
        is_date = False
    if not is_date:
        raise ValueError("must be a date, as 2026-12-25")
    return text


type ClockTime = Annotated[str, Field(pattern=patterns.TIME)]
type Day = Annotated[str, AfterValidator(_as_date)]


class Period(BaseModel):
    """Hours from *start* to *end*, local times as `09:00`, that begin on each of the *days*."""

    model_config = ConfigDict(frozen=True)

    days: Annotated[list[Weekday], Field(min_length=1, max_length=_WEEK)]
    start: ClockTime
    end: ClockTime


class BusinessHours(BaseModel):
    """Weekly *periods* in a time zone; none begins on the dates of *holidays*, as `2026-12-25`."""

    model_config = ConfigDict(frozen=True)

    time_zone: ZoneName
    periods: Annotated[list[Period], Field(min_length=1, max_length=MOST_PERIODS)]
    holidays: Annotated[list[Day], Field(max_length=MOST_HOLIDAYS)] = Field(default_factory=list)

    def due_at(self, start_ms: int, seconds: int) -> int | None:
        """
        Return when so many seconds of business hours have passed since *start_ms*; both times in ms since 1970.

        The end of a day's hours comes before the begin of the next ones. None if it takes more than MOST_DAYS days.
        """
        left = seconds * clock.SECOND_MS
        for begin, end in self._spans(start_ms):
            if left <= end - begin:
                return begin + left
            left -= end - begin
        return None

    def seconds_between(self, start_ms: int, end_ms: int) -> int:
        """Return the seconds of business hours between two times (ms since 1970), at most MOST_DAYS days apart."""
        passed = 0
        for begin, end in self._spans(start_ms):
            if begin >= end_ms:
                break
            passed += min(end, end_ms) - begin
        return passed // clock.SECOND_MS

    def is_open(self, moment_ms: int) -> bool:
        """Whether a time (ms since 1970) is within the business hours."""
        return next(self._spans(moment_ms), (moment_ms + 1, 0))[0] == moment_ms

    def opens_at(self, moment_ms: int) -> int | None:
        """Return the begin of the hours at or after a time, that time if it is within them; None within MOST_DAYS."""
        begin, _ = next(self._spans(moment_ms), (None, None))
        return begin

    def seconds_of_a_week(self) -> int:
        """Return the seconds of business hours in a week without holidays and without a change of clocks."""
        usual = self.model_copy(update={"holidays": [], "time_zone": "UTC"})
        start = _moment_ms(_MEASURED_WEEK, 0, ZoneInfo("UTC"))
        return usual.seconds_between(start, start + _WEEK * clock.DAY_SECONDS * clock.SECOND_MS)

    def _spans(self, start_ms: int) -> Iterator[tuple[int, int]]:
        """Yield the times of begin and end (ms since 1970) of all hours after a time, in order, without overlaps."""
        zone = ZoneInfo(self.time_zone)
        first = datetime.fromtimestamp(start_ms / clock.SECOND_MS, zone).date() - _DAY
        closed = frozenset(self.holidays)
        reached = start_ms
        for number in range(MOST_DAYS):
            day = first + number * _DAY
            if day.isoformat() in closed:
                continue
            for begin, end in sorted(self._spans_of(day, zone)):
                if max(begin, reached) < end:
                    yield max(begin, reached), end
                    reached = end

    def _spans_of(self, day: date, zone: ZoneInfo) -> Iterator[tuple[int, int]]:
        weekday = _WEEKDAYS[day.weekday()]
        for period in self.periods:
            if weekday in period.days:
                start, end = _minutes(period.start), _minutes(period.end)
                last = day if end > start else day + _DAY
                yield _moment_ms(day, start, zone), _moment_ms(last, end, zone, fold=1)


def _minutes(text: ClockTime) -> int:
    hours, _, minutes = text.partition(":")
    return 60 * int(hours) + int(minutes)


def _moment_ms(day: date, minutes: int, zone: ZoneInfo, fold: int = 0) -> int:
    """Return a local time of a day in ms since 1970; of one that the clocks leave out, the time of their change."""
    local = datetime(day.year, day.month, day.day, minutes // 60, minutes % 60)  # noqa: DTZ001 - local time
    seconds = int(local.replace(tzinfo=zone, fold=fold).timestamp())
    if datetime.fromtimestamp(seconds, zone).replace(tzinfo=None) != local:
        seconds = _change_of_clocks(local, zone)
    return seconds * clock.SECOND_MS


def _change_of_clocks(local: datetime, zone: ZoneInfo) -> int:
    """Return the time (seconds since 1970) at which the clocks are put forward over a local time."""
    # The two readings of such a time are on the other sides of the change.
    early, late = sorted(int(local.replace(tzinfo=zone, fold=fold).timestamp()) for fold in (0, 1))
    offset = datetime.fromtimestamp(early, zone).utcoffset()
    while late - early > 1:
        middle = (early + late) // 2
        if datetime.fromtimestamp(middle, zone).utcoffset() == offset:
            early = middle
        else:
            late = middle
    return late
