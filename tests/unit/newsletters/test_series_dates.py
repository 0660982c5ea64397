"""The dates of a series by its rule, and their moments around summer time."""

from __future__ import annotations

from datetime import UTC, date, datetime
from itertools import pairwise
from typing import Any

from newsletters.series.calendar_dates import first_from, moment, next_after
from newsletters.store.items import SeriesRule
from tests.cases import each


def rule(unit: Any, **fields: Any) -> SeriesRule:
    return SeriesRule(unit=unit, time="09:00", **fields)


def dates(of: SeriesRule, start: str, count: int) -> list[str]:
    found = [first_from(of, date.fromisoformat(start))]
    while len(found) < count:
        found.append(next_after(of, found[-1]))
    assert all(before < after for before, after in pairwise(found))
    return [f"{one:%m-%d}" for one in found]


MONDAYS = rule("weeks", weekdays=[1])


@each(
    "of, start, expected",
    [
        (rule("days"), "2026-12-30", ["12-30", "12-31", "01-01"]),
        (rule("days", every=10), "2026-12-01", ["12-01", "12-11", "12-21"]),
        (MONDAYS, "2026-12-01", ["12-07", "12-14", "12-21"]),
        (MONDAYS, "2026-12-07", ["12-07", "12-14"]),
        (rule("weeks", weekdays=[5, 1, 0]), "2026-12-01", ["12-04", "12-06", "12-07", "12-11"]),
        (rule("weeks", every=2, weekdays=[1, 5]), "2026-12-01", ["12-04", "12-14", "12-18", "12-28"]),
        (rule("months", day_of_month=31), "2026-01-31", ["01-31", "02-28", "03-31", "04-30"]),
        (rule("months", day_of_month=31), "2028-02-01", ["02-29", "03-31"]),
        (rule("months", day_of_month=1), "2026-12-02", ["01-01", "02-01"]),
        (rule("months", every=12, day_of_month=5), "2026-12-06", ["01-05", "01-05"]),
        (rule("months", every=3, day_of_month=30), "2026-11-30", ["11-30", "02-28", "05-30"]),
    ],
)  # fmt: skip
def test_runs_are_counted_from_the_last_planned_one(
    of: SeriesRule, start: str, expected: list[str]
) -> None:
    assert dates(of, start, len(expected)) == expected


@each(
    "day, time, expected",
    [
        ("2026-03-28", "09:00", "2026-03-28T08:00"),
        ("2026-03-29", "09:00", "2026-03-29T07:00"),  # summer time has begun
        ("2026-03-29", "02:30", "2026-03-29T01:30"),  # does not exist: 03:30
        ("2026-10-25", "02:30", "2026-10-25T00:30"),  # the first of two
        ("2026-10-26", "09:00", "2026-10-26T08:00"),
    ],
)
def test_the_local_time_stays_when_summer_time_begins_and_ends(
    day: str, time: str, expected: str
) -> None:
    at_ms = moment(date.fromisoformat(day), SeriesRule(unit="days", time=time), "Europe/Berlin")
    assert f"{datetime.fromtimestamp(at_ms / 1_000, UTC):%Y-%m-%dT%H:%M}" == expected
