"""Order keys: the same order as `receivedAt`, which is second, then acceptance, then position in the webhook."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.runtime import clock
from whatsapp.store.ordering import (
    is_key,
    moment_of,
    order_key,
    received_at,
    received_at_ms,
    second_of,
    time_of,
)

NOW = 1_767_225_600_000
moments = st.integers(min_value=0, max_value=4_102_444_800_000)
YEAR_MS = 366 * clock.DAY_SECONDS * 1_000
accepted = st.tuples(
    st.integers(min_value=1_700_000_000, max_value=1_700_000_002),
    st.integers(min_value=1_699_999_500_000, max_value=1_700_000_000_000 + YEAR_MS),
    st.integers(min_value=0, max_value=5_000),
)


@given(accepted, accepted)
def test_the_order_is_second_then_acceptance_then_position(
    one: tuple[int, int, int], other: tuple[int, int, int]
) -> None:
    times = [received_at(*one), received_at(*other)]
    keys = [order_key(time, "MSG#a") for time in times]

    if one[0] * 1_000 <= one[1] + 600_000 and other[0] * 1_000 <= other[1] + 600_000:
        assert (times[0] < times[1]) == (one < other)
    assert (times[0] < times[1]) == (keys[0] < keys[1])
    assert len(times[0]) == len(times[1])
    assert all(len(key) <= 22 for key in keys)


@given(moments, accepted)
def test_a_key_has_the_order_of_its_text_even_for_a_time_of_our_own(
    moment: int, webhook: tuple[int, int, int]
) -> None:
    own = clock.to_text(moment)
    near = clock.to_text(webhook[0] * 1_000 + moment % 1_000)
    theirs = received_at(*webhook)

    for time in (own, near):
        assert (time < theirs) == (order_key(time, "MSG#a") < order_key(theirs, "MSG#a"))


@given(accepted, moments)
def test_every_key_has_the_form_of_a_key(webhook: tuple[int, int, int], moment: int) -> None:
    assert is_key(order_key(received_at(*webhook), "MSG#a"))
    assert is_key(order_key(clock.to_text(moment), "MSG#a"))


@pytest.mark.parametrize("text", ["", "short", "z" * 16, "!" * 16, "-" * 10 + "\n"])
def test_other_texts_are_no_keys(text: str) -> None:
    assert not is_key(text)


@given(accepted)
def test_a_key_contains_its_second(webhook: tuple[int, int, int]) -> None:
    time = received_at(*webhook)

    key = order_key(time, "MSG#a")
    assert (second_of(key), time_of(key)) == (time[:19], time)


def test_the_key_of_a_message_breaks_ties_in_the_same_way() -> None:
    time = received_at(1_767_225_600, NOW, 0)

    assert order_key(time, "MSG#a") != order_key(time, "MSG#b")


def test_a_key_of_a_webhook_that_arrives_soon_is_short() -> None:
    """A head holds up to 25 of them in 1 KB."""
    assert len(order_key(received_at(NOW // 1_000, NOW + 60_000, 12), "MSG#a")) == 16


def test_the_milliseconds_are_those_of_the_acceptance_within_the_second() -> None:
    second = NOW // 1_000

    assert received_at(second, NOW + 250, 3) == "2026-01-01T00:00:00.2500000006002500003Z"
    assert moment_of(received_at(second, NOW + 5_000, 0)) == "2026-01-01T00:00:00.999Z"
    assert moment_of(received_at(second + 5, NOW, 0)) == "2026-01-01T00:00:05.000Z"


def test_a_time_far_in_the_future_is_replaced() -> None:
    ten_minutes = 600
    assert received_at_ms(NOW // 1000 + ten_minutes, 0, NOW) == NOW + 600_000
    assert received_at_ms(NOW // 1000 + ten_minutes + 1, 0, NOW) == NOW
    assert moment_of(received_at(NOW // 1000 + 601, NOW + 7, 0)) == "2026-01-01T00:00:00.007Z"
