"""The dates of a series by its rule, and their moments in its time zone."""

from __future__ import annotations

import calendar
from datetime import date, timedelta
from typing import TYPE_CHECKING, Final

from newsletters.issues.local_times import moment_of

if TYPE_CHECKING:
    from newsletters.store.items.series import SeriesRule

_DAYS_OF_WEEK: Final = 7
_MONTHS_OF_YEAR: Final = 12


def moment(day: date, rule: SeriesRule, timezone: str) -> int:
    """Return when a run of a date is due (ms since 1970): see `moment_of` about gaps and overlaps of summer time."""
    return moment_of(f"{day.isoformat()}T{rule.time}", timezone)


def first_from(rule: SeriesRule, start: date) -> date:
    """Return the first date of a rule that is not before *start*."""
    if rule.unit == "days":
        return start
    if rule.unit == "weeks":
        days = (start + timedelta(days=ahead) for ahead in range(_DAYS_OF_WEEK))
        return next(one for one in days if _weekday(one) in rule.weekdays)
    of_month = _in_month(start.year, start.month, rule)
    return of_month if of_month >= start else _months_later(of_month, 1, rule)


def next_after(rule: SeriesRule, last: date) -> date:
    """Return the date that follows the last planned one."""
    if rule.unit == "days":
        return last + timedelta(days=rule.every)
    if rule.unit == "months":
        return _months_later(last, rule.every, rule)
    monday = last - timedelta(days=last.weekday())
    same_week = (last + timedelta(days=ahead) for ahead in range(1, _DAYS_OF_WEEK - last.weekday()))
    later = next((one for one in same_week if _weekday(one) in rule.weekdays), None)
    return later or first_from(rule, monday + timedelta(weeks=rule.every))


def _weekday(day: date) -> int:
    """Return the day of the week, 0 for Sunday."""
    return day.isoweekday() % _DAYS_OF_WEEK


def _months_later(day: date, months: int, rule: SeriesRule) -> date:
    year, month = divmod(day.year * _MONTHS_OF_YEAR + day.month - 1 + months, _MONTHS_OF_YEAR)
    return _in_month(year, month + 1, rule)


def _in_month(year: int, month: int, rule: SeriesRule) -> date:
    last_day = calendar.monthrange(year, month)[1]
    return date(year, month, min(rule.day_of_month or 1, last_day))
