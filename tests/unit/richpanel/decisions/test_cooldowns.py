"""Rate limits of automatic replies, per ticket and per customer."""

from datetime import datetime

import pytest

from richpanel.decisions.facts import Memory
from tests.cases import each
from tests.unit.richpanel.situations import about, ago, auto_reply, outcome, pending_request, turn


def times(*minutes: float) -> tuple[datetime, ...]:
    return tuple(ago(minutes=each) for each in minutes)


@each(
    ("ticket", "customer", "reason"),
    [
        (times(9.99), (), "rate_limited"),
        (times(10), (), "followup"),
        (times(-1), (), "rate_limited"),  # another worker's clock runs ahead
        (times(60, 120, 1439), (), "rate_limited"),
        (times(60, 120, 1440), (), "followup"),
        ((), times(1, 2, 3, 4, 5), "rate_limited"),
        ((), times(1, 2, 3, 4), "tier1_safe_assist"),
        ((), times(1, 2, 3, 4, 1440), "tier1_safe_assist"),
        ((), (), "tier1_safe_assist"),
    ],
)
def test_replies_are_counted_over_ten_minutes_and_a_day(
    ticket: tuple[datetime, ...], customer: tuple[datetime, ...], reason: str
) -> None:
    decision = outcome(turn(), Memory(auto_reply_times=ticket, customer_reply_times=customer))

    assert decision.reason == reason
    assert ("mw-auto-rate-limited" in decision.tags) == (reason == "rate_limited")


@pytest.mark.parametrize(
    ("ticket", "customer", "reason"),
    [
        (times(1), (), "tier1_safe_assist"),
        (times(1, 2, 3), (), "rate_limited"),
        (times(1), times(1, 2, 3, 4, 5), "rate_limited"),
    ],
)
def test_a_flow_waives_the_ten_minutes_only(
    ticket: tuple[datetime, ...], customer: tuple[datetime, ...], reason: str
) -> None:
    memory = Memory(
        pending_flow=pending_request(minutes=1),
        auto_reply_times=ticket,
        customer_reply_times=customer,
    )

    assert outcome(about(), memory).reason == reason


def test_the_last_reply_counts_even_if_its_time_is_not_in_the_list() -> None:
    assert outcome(turn(), Memory(last_auto_reply=auto_reply(minutes=5))).reason == "rate_limited"
    assert outcome(turn(), Memory(last_auto_reply=auto_reply(minutes=50))).reason == "followup"


def test_a_redelivery_is_not_limited_by_the_reservation_of_its_first_run() -> None:
    mine = auto_reply("m-1", minutes=1)
    memory = Memory(
        last_auto_reply=mine,
        auto_reply_times=(mine.sent_at,),
        customer_reply_times=(mine.sent_at, *times(2, 3, 4, 5)),
    )

    assert outcome(turn(), memory).reason == "tier1_safe_assist"


def test_a_redelivery_counts_the_replies_before_its_own() -> None:
    mine = auto_reply("m-1", minutes=1)

    memory = Memory(last_auto_reply=mine, auto_reply_times=(mine.sent_at, *times(30)))

    assert outcome(turn(), memory).reason == "followup"
