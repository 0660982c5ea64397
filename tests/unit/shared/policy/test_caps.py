"""Frequency caps, computed from the times of earlier sends."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.aws.tables.rate_limits.frequency_cap import free_at, with_moment
from shared.aws.tables.rate_limits.limit import Limit, Rate

HOUR, DAY = 3_600_000, 86_400_000
TWO_A_DAY = (Limit(2, 86_400), Limit(5, 7 * 86_400))
NOW = 1_772_452_800_000


def sent(*moments: int) -> dict[str, int]:
    """The map after these sends, regardless of the cap."""
    counted: dict[str, int] = {}
    for moment in moments:
        counted = with_moment(counted, f"action-{moment}", TWO_A_DAY, moment)
    return counted


def test_without_earlier_sends_a_send_is_allowed() -> None:
    assert free_at({}, "a", TWO_A_DAY, NOW) is None


def test_the_third_send_waits_until_24_hours_after_the_first() -> None:
    moments = sent(NOW - 5 * HOUR, NOW - HOUR)

    assert free_at(moments, "a", TWO_A_DAY, NOW) == NOW - 5 * HOUR + DAY
    assert free_at(moments, "a", TWO_A_DAY, NOW - 5 * HOUR + DAY) is None


def test_midnight_makes_no_difference() -> None:
    midnight = NOW + 12 * HOUR
    moments = sent(midnight - 2, midnight - 1)

    assert free_at(moments, "a", TWO_A_DAY, midnight + 1) == midnight - 2 + DAY


def test_the_longest_wait_of_several_limits_applies() -> None:
    moments = sent(*(NOW - days * DAY for days in (6, 4, 3, 2, 1)))

    assert free_at(moments, "a", TWO_A_DAY, NOW) == NOW + DAY


def test_an_action_already_counted_is_allowed_and_not_counted_again() -> None:
    full = sent(NOW - 2, NOW - 1)

    assert free_at(full, f"action-{NOW - 1}", TWO_A_DAY, NOW) is None
    assert with_moment(full, f"action-{NOW - 1}", TWO_A_DAY, NOW) == full


@given(
    gaps=st.lists(st.integers(0, 3 * DAY), max_size=40),
    limits=st.lists(
        st.builds(Limit, st.integers(1, 6), st.sampled_from([60, 3_600, 86_400, 604_800])),
        min_size=1,
        max_size=3,
    ),
)
def test_sends_in_any_order_never_exceed_the_cap_and_the_map_stays_small(
    gaps: list[int], limits: list[Limit]
) -> None:
    now = NOW
    moments: dict[str, int] = {}
    passed: list[int] = []
    for number, gap in enumerate(gaps):
        now += gap
        if free_at(moments, str(number), limits, now) is None:
            moments = with_moment(moments, str(number), limits, now)
            passed.append(now)

        assert len(moments) <= max(limit.most for limit in limits)

    for limit in limits:
        for moment in passed:
            within = [one for one in passed if moment - limit.within_ms < one <= moment]
            assert len(within) <= limit.most


@given(
    gaps=st.lists(st.integers(0, 2 * DAY), min_size=1, max_size=10),
    most=st.integers(1, 3),
)
def test_the_returned_time_is_the_first_allowed_one(gaps: list[int], most: int) -> None:
    limits, now = [Limit(most, 86_400)], NOW
    moments: dict[str, int] = {}
    for number, gap in enumerate(gaps):
        now += gap
        if free_at(moments, str(number), limits, now) is None:
            moments = with_moment(moments, str(number), limits, now)

    at = free_at(moments, "next", limits, now)

    if at is None:
        return
    assert free_at(moments, "next", limits, at) is None
    assert free_at(moments, "next", limits, at - 1) is not None


@pytest.mark.parametrize(("burst", "ahead_ms"), [(1, 0), (5, 24_000)])
def test_a_burst_allows_sends_ahead_of_the_rate(burst: int, ahead_ms: int) -> None:
    assert Rate(6_000, burst).ahead_ms == ahead_ms
