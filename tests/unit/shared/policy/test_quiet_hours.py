"""Quiet hours, in which no message is sent."""

from datetime import UTC, datetime, time
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.policy.quiet_hours import QuietHours
from shared.policy.zones import zones_of

NIGHT = QuietHours()
LONDON, BERLIN, NEW_YORK = map(ZoneInfo, ("Europe/London", "Europe/Berlin", "America/New_York"))
RUSSIA = [ZoneInfo(name) for name in ("Europe/Kaliningrad", "Europe/Moscow", "Asia/Kamchatka")]


def ms(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp() * 1_000)


def free_at(now: str, *zones: ZoneInfo, hours: QuietHours = NIGHT) -> str | None:
    moment = hours.free_at(ms(now), zones)
    return None if moment is None else datetime.fromtimestamp(moment / 1_000, UTC).isoformat()


@pytest.mark.parametrize(
    ("now", "free"),
    [
        ("2026-03-02T20:59:59+00:00", "2026-03-02T20:59:59+00:00"),
        ("2026-03-02T21:00:00+00:00", "2026-03-03T08:00:00+00:00"),
        ("2026-03-02T23:59:59+00:00", "2026-03-03T08:00:00+00:00"),
        ("2026-03-03T00:00:00+00:00", "2026-03-03T08:00:00+00:00"),
        ("2026-03-03T07:59:59+00:00", "2026-03-03T08:00:00+00:00"),
        ("2026-03-03T08:00:00+00:00", "2026-03-03T08:00:00+00:00"),
        ("2026-12-31T22:00:00+00:00", "2027-01-01T08:00:00+00:00"),
    ],
)
def test_nine_in_the_evening_to_eight_in_the_morning_is_quiet(now: str, free: str) -> None:
    assert free_at(now, LONDON) == free


def test_quiet_hours_within_a_day_end_on_that_day() -> None:
    siesta = QuietHours(time(13), time(16))

    assert free_at("2026-03-02T13:30:00+00:00", LONDON, hours=siesta) == "2026-03-02T16:00:00+00:00"
    assert free_at("2026-03-02T16:00:00+00:00", LONDON, hours=siesta) == "2026-03-02T16:00:00+00:00"
    assert free_at("2026-03-02T12:59:00+00:00", LONDON, hours=siesta) == "2026-03-02T12:59:00+00:00"


@pytest.mark.parametrize(
    ("now", "free"),
    [
        # Clocks go forward on 29 March: the night is an hour shorter.
        ("2026-03-28T22:00:00+00:00", "2026-03-29T07:00:00+00:00"),
        # They go back on 25 October: it is an hour longer.
        ("2026-10-24T22:00:00+01:00", "2026-10-25T08:00:00+00:00"),
    ],
)
def test_a_night_in_which_clocks_change_ends_by_the_new_time(now: str, free: str) -> None:
    assert free_at(now, LONDON) == free


def test_an_end_skipped_by_the_clock_change_is_the_first_moment_after_it() -> None:
    hours = QuietHours(time(21), time(1, 30))  # there is no 01:30 in London on 29 March 2026

    assert free_at("2026-03-28T23:00:00+00:00", LONDON, hours=hours) == "2026-03-29T01:30:00+00:00"


def test_of_an_end_that_occurs_twice_the_next_occurrence_counts() -> None:
    hours = QuietHours(time(21), time(1, 30))  # 01:30 comes twice in London on 25 October 2026

    assert free_at("2026-10-25T00:10:00+00:00", LONDON, hours=hours) == "2026-10-25T00:30:00+00:00"
    assert free_at("2026-10-25T01:10:00+00:00", LONDON, hours=hours) == "2026-10-25T01:30:00+00:00"


def test_all_possible_zones_must_allow_the_time() -> None:
    # 07:30 in London is 08:30 in Berlin; 20:30 in London is 21:30 there.
    assert free_at("2026-03-02T07:30:00+00:00", LONDON, BERLIN) == "2026-03-02T08:00:00+00:00"
    assert free_at("2026-03-02T20:30:00+00:00", LONDON, BERLIN) == "2026-03-03T08:00:00+00:00"


def test_the_hours_that_far_zones_have_in_common_are_found() -> None:
    # Quiet hours end at 06:00 UTC in Kaliningrad and begin at 09:00 UTC in Kamchatka.
    assert free_at("2026-03-02T10:00:00+00:00", *RUSSIA) == "2026-03-03T06:00:00+00:00"
    assert free_at("2026-03-02T08:59:00+00:00", *RUSSIA) == "2026-03-02T08:59:00+00:00"


def test_zones_without_a_common_hour_have_no_free_moment() -> None:
    office = QuietHours(time(17), time(11))

    assert free_at("2026-03-02T10:00:00+00:00", *RUSSIA, hours=office) is None


def test_quiet_hours_of_no_length_are_refused() -> None:
    with pytest.raises(ValueError, match="must differ"):
        QuietHours(time(8), time(8))


@given(
    now=st.datetimes(datetime(2026, 1, 1), datetime(2027, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001 - hypothesis adds the zone
    zones=st.lists(st.sampled_from([LONDON, BERLIN, NEW_YORK, *RUSSIA]), min_size=1, max_size=3),
)
def test_the_first_allowed_time_is_not_past_and_not_quiet_in_any_zone(
    now: datetime, zones: list[ZoneInfo]
) -> None:
    now_ms = round(now.timestamp() * 1_000)

    moment = NIGHT.free_at(now_ms, zones)

    if moment is None:
        return
    clocks = [datetime.fromtimestamp(moment / 1_000, zone).time() for zone in zones]
    assert moment >= now_ms
    assert all(time(8) <= clock < time(21) for clock in clocks)


@pytest.mark.parametrize(
    ("number", "names"),
    [
        ("+12025550123", {"America/New_York"}),
        ("+525512345678", {"America/Mexico_City"}),
        ("+34600000000", {"Europe/Madrid", "Atlantic/Canary"}),
        ("+4915112345678", {"Europe/Berlin"}),
    ],
)
def test_a_number_gives_the_possible_zones_of_its_owner(number: str, names: set[str]) -> None:
    assert {zone.key for zone in zones_of(number)} == names


def test_a_mobile_number_of_a_large_country_may_be_in_any_of_its_zones() -> None:
    zones = {zone.key for zone in zones_of("+61412345678")}

    assert {"Australia/Sydney", "Australia/Perth"} <= zones


@pytest.mark.parametrize(
    "address",
    ["+447700900123", "+881612345678", "bsuid:US.13491208655302741918", "ann@example.com"],
)
def test_reserved_numbers_satellite_numbers_and_other_addresses_have_no_zone(
    address: str,
) -> None:
    assert zones_of(address) == ()
