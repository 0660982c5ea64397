"""How often the messages of an hour are read by the counts."""

from __future__ import annotations

import pytest

from shared.runtime import clock
from whatsapp.jobs import counting_plan
from whatsapp.store.analytics.changed_hours import hour_of

RUN_MS = 5 * counting_plan.MINUTE_MS
NOON_MS = clock.from_text("2026-01-01T12:00:00.000Z")
HOUR = "2026010112"


def counts_of_the_hour(*, is_large: bool, changes_until_ms: int) -> list[int]:
    """The ages, in minutes, at which runs over ten days count the hour after noon; it changes in each later hour."""
    last: str | None = hour_of(NOON_MS - 3 * clock.HOUR_MS)
    changed: set[str] = set()
    ages = []
    for at_ms in range(NOON_MS, NOON_MS + 10 * 24 * clock.HOUR_MS, RUN_MS):
        closed = counting_plan.closed_hours(last, at_ms)
        last = closed[-1] if closed else last
        ends = clock.to_text(NOON_MS + changes_until_ms)[:13].replace("-", "").replace("T", "")
        noted = {hour: {HOUR} for hour in closed if HOUR < hour < ends}
        due, changed = counting_plan.recounts(changed, closed, noted)
        if counting_plan.counts_current_hour(at_ms, is_large=is_large):
            due.add(hour_of(at_ms))
        if HOUR in due:
            ages.append((at_ms - NOON_MS) // counting_plan.MINUTE_MS)
    return ages


@pytest.mark.long
def test_an_hour_in_which_nothing_changes_is_counted_once_after_its_end() -> None:
    assert counts_of_the_hour(is_large=False, changes_until_ms=0) == [*range(0, 60, 5), 65]


@pytest.mark.long
def test_a_message_of_a_large_hour_that_changes_all_the_time_is_read_seven_times_at_most() -> None:
    ages = counts_of_the_hour(is_large=True, changes_until_ms=192 * clock.HOUR_MS)
    hours = [2, 8, 32, 192]

    assert ages == [10, 20, 40, 65, *(60 * hour + 5 for hour in hours)]
    # While the hour lasts, a count reads only the part that is over.
    assert sum(min(age, 60) / 60 for age in ages) < 6.2


@pytest.mark.long
def test_a_change_is_counted_at_the_next_age_of_the_hour() -> None:
    six_hours = 6 * clock.HOUR_MS

    assert counts_of_the_hour(is_large=True, changes_until_ms=six_hours)[4:] == [125, 485]


@pytest.mark.parametrize(
    ("minute", "is_over"), [("13:04:59", False), ("13:05:00", True), ("13:59:59", True)]
)
def test_an_hour_is_closed_five_minutes_after_its_end(minute: str, is_over: bool) -> None:
    closed = counting_plan.closed_hours(None, clock.from_text(f"2026-01-01T{minute}.000Z"))

    assert (HOUR in closed) is is_over
    assert len(closed) == 191


def test_after_an_outage_all_hours_since_the_last_run_are_counted() -> None:
    at_ms = NOON_MS + 30 * clock.HOUR_MS
    closed = counting_plan.closed_hours(HOUR, at_ms)
    due, later = counting_plan.recounts({HOUR}, closed, {closed[2]: {HOUR}})

    assert due == {*closed, HOUR}
    assert len(closed) == 28
    assert later == set()
