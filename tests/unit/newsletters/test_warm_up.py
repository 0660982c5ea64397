"""The days of a warm-up, and when an issue ends that takes several."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from newsletters.issues.pace import days, warm_up
from newsletters.store.items import WarmUp
from newsletters.store.items.company import DEFAULT_LIMITS
from tests.cases import each

DAY = "2026-12-01"


def of(*limits: int, **fields: Any) -> WarmUp:
    given: dict[str, Any] = {"limits": [*limits], "company_id": "acme", "domain": "shop.example"}
    return WarmUp(**WarmUp.key("acme", "shop.example"), **given, **fields)


@each(
    "fields, step",
    [
        ({}, 0),
        ({"day": DAY, "step": 1, "total": 99}, 1),  # of today
        ({"day": "2026-11-30", "step": 0, "total": 10}, 1),
        ({"day": "2026-11-30", "step": 0, "total": 5}, 1),  # half of the limit
        ({"day": "2026-11-30", "step": 0, "total": 4}, 0),
        ({"day": "2026-11-30", "step": 1, "total": 20}, 2),  # warm
        ({"day": "2026-06-01", "step": 3, "total": 0}, 2),  # the plan has become shorter
    ],
)
def test_a_day_counts_if_at_least_half_of_its_limit_was_sent(
    fields: dict[str, Any], step: int
) -> None:
    assert days.step_on(of(10, 20, **fields), DAY) == step


def test_a_domain_without_limits_is_warm() -> None:
    assert days.is_warm(of(), DAY)
    assert days.is_warm(of(day="2026-11-30", step=-1, total=3), DAY)  # after a bad first day
    assert not days.is_warm(of(1), DAY)


def test_one_mailbox_provider_has_its_share_and_other_domains_have_the_whole_day() -> None:
    found = of(5)
    assert days.limit_on(found, 0, "google") == 3  # rounded up
    assert days.limit_on(found, 0, "other") == days.limit_on(found, 0) == 5


@each(
    "found, waiting, end",
    [
        (of(10, 20), {"other": 10}, DAY),
        (of(10, 20), {"other": 11}, "2026-12-02"),
        (of(10, 20), {"other": 31}, "2026-12-03"),
        (of(10, 20), {"google": 6}, "2026-12-02"),  # five a day
        (of(10, 20), {"google": 5, "yahoo": 5}, DAY),
        (of(10, 20), {"google": 16}, "2026-12-03"),  # five, ten, then without limit
        (of(10, 20, day=DAY, step=0, total=10, other=10), {"other": 1}, "2026-12-02"),
        (of(10, 20, day=DAY, step=1, total=19, other=19), {"other": 1}, DAY),
        (of(), {"other": 1_000_000}, DAY),
        (of(10), {}, DAY),
    ],
)
def test_the_end_of_an_issue_follows_from_the_days_of_the_plan(
    found: WarmUp, waiting: dict[Any, int], end: str
) -> None:
    assert warm_up.end_of(found, DAY, waiting) == end


def test_no_day_of_the_default_plan_has_more_than_twice_the_mails_of_the_day_before() -> None:
    days = pairwise(DEFAULT_LIMITS)
    assert all(before < after <= 2 * before for before, after in days)
    assert warm_up.end_of(of(*DEFAULT_LIMITS), DAY, {"other": 100_000}) == "2026-12-08"


def test_a_clock_that_is_behind_does_not_begin_an_earlier_day_again() -> None:
    assert days.day_of(of(10, day="2999-01-01", step=0)) == "2999-01-01"
