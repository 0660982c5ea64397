"""Business hours: due times over nights, weekends, holidays and changes of clocks."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from shared.policy.business_hours import MOST_HOLIDAYS, BusinessHours
from tests.cases import each

HOUR = 3_600
WORKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday"]
EVERY_DAY = [*WORKDAYS, "saturday", "sunday"]


def hours(
    start: str = "09:00",
    end: str = "17:00",
    *,
    days: list[str] = WORKDAYS,
    zone: str = "Europe/Berlin",
    holidays: tuple[str, ...] = (),
    more: tuple[dict[str, Any], ...] = (),
) -> BusinessHours:
    periods = [{"days": days, "start": start, "end": end}, *more]
    return BusinessHours.model_validate(
        {"time_zone": zone, "periods": periods, "holidays": list(holidays)}
    )


def ms(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp() * 1_000)


def due(given: BusinessHours, start: str, wanted: float) -> str | None:
    moment = given.due_at(ms(start), int(wanted * HOUR))
    return None if moment is None else datetime.fromtimestamp(moment / 1_000, UTC).isoformat()


@pytest.mark.parametrize(
    ("start", "wanted", "expected"),
    [
        # Monday 2026-11-02, CET
        ("2026-11-02T10:00:00+01:00", 4, "2026-11-02T13:00:00+00:00"),
        ("2026-11-02T07:00:00+01:00", 1, "2026-11-02T09:00:00+00:00"),  # before the hours
        ("2026-11-02T16:00:00+01:00", 2, "2026-11-03T09:00:00+00:00"),  # over the night
        ("2026-11-06T16:30:00+01:00", 1, "2026-11-09T08:30:00+00:00"),  # over the weekend
        ("2026-11-07T12:00:00+01:00", 8, "2026-11-09T16:00:00+00:00"),  # on a Saturday
        ("2026-11-02T09:00:00+01:00", 8, "2026-11-02T16:00:00+00:00"),  # the end, not the next day
        ("2026-11-02T09:00:00+01:00", 40, "2026-11-06T16:00:00+00:00"),  # a week
    ],
)
def test_only_business_hours_count(start: str, wanted: int, expected: str) -> None:
    assert due(hours(), start, wanted) == expected


def test_no_hours_begin_on_a_holiday() -> None:
    closed = hours(holidays=("2026-12-24", "2026-12-25"))

    assert due(closed, "2026-12-23T16:00:00+01:00", 2) == "2026-12-28T09:00:00+00:00"


def test_hours_over_midnight_belong_to_the_day_on_which_they_begin() -> None:
    night = hours("22:00", "06:00", days=["friday"], holidays=("2026-11-07",))

    assert due(night, "2026-11-06T12:00:00+01:00", 8) == "2026-11-07T05:00:00+00:00"
    assert due(night, "2026-11-07T01:00:00+01:00", 5) == "2026-11-07T05:00:00+00:00"
    closed = hours("22:00", "06:00", days=["friday"], holidays=("2026-11-06",))
    assert due(closed, "2026-11-06T12:00:00+01:00", 1) == "2026-11-13T22:00:00+00:00"


def test_several_periods_of_a_day_and_overlapping_ones_count_once() -> None:
    split = hours("09:00", "12:00", more=({"days": WORKDAYS, "start": "13:00", "end": "17:00"},))
    overlapping = hours(
        "09:00", "13:00", more=({"days": WORKDAYS, "start": "12:00", "end": "17:00"},)
    )

    assert due(split, "2026-11-02T11:00:00+01:00", 2) == "2026-11-02T13:00:00+00:00"
    assert due(overlapping, "2026-11-02T09:00:00+01:00", 8) == "2026-11-02T16:00:00+00:00"
    assert split.seconds_of_a_week() == 5 * 7 * HOUR
    assert overlapping.seconds_of_a_week() == 5 * 8 * HOUR


@pytest.mark.parametrize(
    ("day", "length"),
    [("2026-03-28", 24), ("2026-03-29", 23), ("2026-10-25", 25), ("2026-10-26", 24)],
)
def test_a_whole_day_has_the_hours_that_the_clocks_give_it(day: str, length: int) -> None:
    whole = hours("00:00", "00:00", days=EVERY_DAY)
    start = ms(f"{day}T00:00:00+0{2 if '03-30' <= day[5:] <= '10-25' else 1}:00")

    assert whole.due_at(start, length * HOUR) == start + length * HOUR * 1_000
    assert whole.seconds_between(start, start + length * HOUR * 1_000) == length * HOUR


@pytest.mark.parametrize(
    ("start", "end", "opens", "wanted", "expected"),
    [
        # Clocks go from 02:00 to 03:00 at 01:00 UTC on 29 March.
        ("02:30", "05:00", "2026-03-29T00:00:00+00:00", 2, "2026-03-29T03:00:00+00:00"),
        ("00:00", "02:30", "2026-03-29T00:00:00+00:00", 1, "2026-03-29T01:00:00+00:00"),
        # They go from 03:00 to 02:00 at 01:00 UTC on 25 October: 02:30 comes twice.
        ("02:30", "05:00", "2026-10-24T23:00:00+00:00", 1, "2026-10-25T01:30:00+00:00"),
        ("01:00", "02:30", "2026-10-24T23:00:00+00:00", 2.5, "2026-10-25T01:30:00+00:00"),
    ],
)
def test_a_period_with_a_change_of_clocks_begins_and_ends_by_the_local_time(
    start: str, end: str, opens: str, wanted: float, expected: str
) -> None:
    assert due(hours(start, end, days=EVERY_DAY), opens, wanted) == expected


def test_a_period_in_the_hour_that_is_left_out_has_no_time_on_that_day() -> None:
    short = hours("02:10", "02:50", days=["sunday"])

    assert due(short, "2026-03-29T00:00:00+00:00", 0.5) == "2026-04-05T00:40:00+00:00"


def test_a_time_is_open_within_the_hours() -> None:
    open_at = [
        text
        for text in ("08:59:59", "09:00:00", "16:59:59", "17:00:00")
        if hours().is_open(ms(f"2026-11-02T{text}+01:00"))
    ]

    assert open_at == ["09:00:00", "16:59:59"]


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        ("2026-11-02T12:00:00+01:00", "2026-11-02T12:00:00+01:00"),
        ("2026-11-02T17:00:00+01:00", "2026-11-03T09:00:00+01:00"),
        ("2026-11-02T08:00:00+01:00", "2026-11-02T09:00:00+01:00"),
    ],
)
def test_the_next_opening_is_now_or_the_begin_of_the_next_hours(at: str, expected: str) -> None:
    assert hours().opens_at(ms(at)) == ms(expected)


def test_a_due_time_is_found_however_many_holidays_there_are() -> None:
    mondays = [datetime.fromordinal(datetime(2026, 11, 2, tzinfo=UTC).toordinal() + 7 * week)
               for week in range(MOST_HOLIDAYS)]  # fmt: skip
    rare = hours(
        "09:00", "10:00", days=["monday"], holidays=tuple(f"{one:%Y-%m-%d}" for one in mondays)
    )

    assert due(rare, "2026-11-02T00:00:00+00:00", 26) is not None
    assert due(rare, "2026-11-02T00:00:00+00:00", 60) is None


@given(
    start=st.integers(min_value=ms("2026-01-01T00:00:00+00:00"), max_value=ms("2027-01-01T00:00:00+00:00")),
    seconds=st.integers(min_value=1, max_value=40 * HOUR),
    zone=st.sampled_from(["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "UTC"]),
    period=st.sampled_from([("09:00", "17:00"), ("22:00", "06:00"), ("00:00", "00:00"), ("01:30", "02:30")]),
)  # fmt: skip
def test_the_hours_until_a_due_time_are_those_of_the_target(
    start: int, seconds: int, zone: str, period: tuple[str, str]
) -> None:
    given_hours = hours(*period, zone=zone)
    start -= start % 1_000

    moment = given_hours.due_at(start, seconds)

    assert moment is not None
    assert given_hours.seconds_between(start, moment) == seconds
    assert given_hours.seconds_between(start, moment - 1_000) == seconds - 1


@each(
    "changed",
    [
        {"time_zone": "Mars/Olympus"},
        {"periods": []},
        {"periods": [{"days": [], "start": "09:00", "end": "17:00"}]},
        {"periods": [{"days": ["Monday"], "start": "09:00", "end": "17:00"}]},
        {"periods": [{"days": ["monday"], "start": "9:00", "end": "17:00"}]},
        {"periods": [{"days": ["monday"], "start": "09:00", "end": "24:00"}]},
        {"holidays": ["2026-02-30"]},
        {"holidays": ["20261225"]},
        {"holidays": ["2026-12-25"] * (MOST_HOLIDAYS + 1)},
    ],
)
def test_other_values_are_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        BusinessHours.model_validate({**hours().model_dump(), **changed})
