"""Order keys: text order is time order, and ties are always broken in the same way."""

from hypothesis import given
from hypothesis import strategies as st

from shared.runtime import clock
from whatsapp.ordering import order_key, received_at_ms, time_of

NOW = 1_767_225_600_000
moments = st.integers(min_value=0, max_value=4_102_444_800_000)


@given(moments, moments, st.text(min_size=1), st.text(min_size=1))
def test_an_earlier_time_has_the_smaller_key(first: int, second: int, one: str, other: str) -> None:
    keys = (order_key(clock.to_text(first), one), order_key(clock.to_text(second), other))

    if first != second:
        assert (keys[0] < keys[1]) == (first < second)
    assert all(len(key) == 15 for key in keys)


@given(moments)
def test_a_key_contains_its_time(moment: int) -> None:
    assert time_of(order_key(clock.to_text(moment), "MSG#a")) == clock.to_text(moment)


def test_messages_of_one_second_are_ordered_by_their_place_in_the_webhook() -> None:
    times = [received_at_ms(1_767_225_600, index, NOW) for index in (0, 1, 998, 999, 5000)]

    assert [moment - NOW for moment in times] == [0, 1, 998, 999, 999]


def test_a_time_far_in_the_future_is_replaced() -> None:
    ten_minutes = 600
    assert received_at_ms(NOW // 1000 + ten_minutes, 0, NOW) == NOW + 600_000
    assert received_at_ms(NOW // 1000 + ten_minutes + 1, 0, NOW) == NOW
