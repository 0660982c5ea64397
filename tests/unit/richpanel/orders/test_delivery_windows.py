"""Delivery estimates: business days, holidays, the shop's time zone."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from richpanel.decisions.shipping.delivery_windows import (
    DEFAULT_WINDOWS,
    Calendar,
    Method,
    Window,
    in_words,
    method_of,
    remaining,
)
from tests.cases import each

NEW_YORK = ZoneInfo("America/New_York")


def local(month: int, day: int, hour: int = 12) -> datetime:
    return datetime(2026, month, day, hour, tzinfo=NEW_YORK)


@each(
    ("ordered", "asked", "method", "holidays", "words"),
    [
        (local(3, 3), local(3, 5), "Standard", set(), "1-3 business days"),
        (local(3, 3), local(3, 5), "Standard", {date(2026, 3, 5)}, "2-4 business days"),
        (local(3, 7), local(3, 9), "Express", set(), "within 1 business day"),
        (
            datetime(2026, 3, 3, 3, 30, tzinfo=UTC),
            local(3, 4),
            "Standard",
            set(),
            "1-3 business days",
        ),
        (local(3, 3), local(3, 3), "Overnight", set(), "1 business day"),
        (local(3, 3), local(3, 3), "Two-day", set(), "2 business days"),
        (local(3, 3), local(3, 4), "Two-day", set(), "1 business day"),
        (local(3, 3), local(3, 6), "Standard", set(), "within 2 business days"),
        # An order later than the question (a clock that runs ahead) has its whole window left.
        (local(3, 6), local(3, 5), "Standard", set(), "3-5 business days"),
    ],
)
def test_the_remaining_days_count_from_the_order_to_the_question(
    ordered: datetime, asked: datetime, method: str, holidays: set[date], words: str
) -> None:
    known = method_of(method)
    assert known is not None
    calendar = Calendar(holidays=frozenset(holidays))

    left = remaining(known.window, ordered_at=ordered, message_at=asked, calendar=calendar)

    assert in_words(left) == words


def test_an_order_is_late_on_its_last_day() -> None:
    left = remaining(
        Window(3, 5), ordered_at=local(3, 2), message_at=local(3, 9), calendar=Calendar()
    )

    assert left == Window(0, 0)
    assert left.is_late
    with pytest.raises(ValueError, match="late"):
        in_words(left)


def test_the_day_before_the_last_one_is_not_late() -> None:
    left = remaining(
        Window(3, 5), ordered_at=local(3, 2), message_at=local(3, 6), calendar=Calendar()
    )

    assert in_words(left) == "within 1 business day"


@pytest.mark.parametrize(
    ("asked", "left"),
    [
        (local(3, 9), Window(12, 14)),  # nine days until Friday the 20th
        (local(3, 19), Window(4, 6)),
        (local(3, 20), Window(3, 5)),
        (local(3, 23), Window(2, 4)),  # shipped on Friday
        (local(3, 27), Window(0, 0)),
    ],
)
def test_a_pre_order_counts_from_its_shipping_date(asked: datetime, left: Window) -> None:
    assert (
        remaining(
            Window(3, 5),
            ordered_at=local(1, 5),
            message_at=asked,
            calendar=Calendar(),
            ship_by=date(2026, 3, 20),
        )
        == left
    )


def test_business_days_follow_the_shops_time_zone() -> None:
    ordered, asked = datetime(2026, 3, 3, 3, 30, tzinfo=UTC), datetime(2026, 3, 4, 12, tzinfo=UTC)

    in_utc = remaining(
        Window(3, 5),
        ordered_at=ordered,
        message_at=asked,
        calendar=Calendar(timezone=ZoneInfo("UTC")),
    )

    assert in_utc == Window(2, 4)


def test_a_weekend_and_a_holiday_on_it_count_once() -> None:
    calendar = Calendar(holidays=frozenset({date(2026, 7, 3), date(2026, 7, 4)}))

    assert calendar.business_days(date(2026, 7, 1), date(2026, 7, 6)) == 2


def test_a_moment_without_time_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="time zone"):
        Calendar().day_of(datetime(2026, 3, 3))  # noqa: DTZ001 - the tested case


@each(
    ("title", "bucket", "window"),
    [
        ("Standard Shipping", "standard", (3, 5)),
        ("USPS Ground Advantage", "ground", (3, 7)),
        ("Economy", "economy", (5, 7)),
        ("FREE shipping", "free", (5, 7)),
        ("Postal service", "postal", (5, 7)),
        ("Expedited", "expedited", (2, 3)),
        ("DHL Express Worldwide", "express", (1, 2)),
        ("Rush", "rush", (1, 2)),
        ("Two-Day", "two-day", (2, 2)),
        ("UPS Two Day Air", "two-day", (2, 2)),
        ("FedEx 2Day", "2-day", (2, 2)),
        ("UPS 2nd Day Air", "2nd-day", (2, 2)),
        ("Priority Mail", "priority", (1, 1)),
        ("Overnight", "overnight", (1, 1)),
        ("Next Day Air", "next-day", (1, 1)),
        # The longest word counts.
        ("Free Standard", "standard", (3, 5)),
        ("Free Express", "express", (1, 2)),
        ("Standard Overnight", "overnight", (1, 1)),
        # Equally long words: the slower.
        ("Postal Ground", "postal", (5, 7)),
        # Days in the title come first.
        ("Standard (5-8 business days)", "standard", (5, 8)),
        ("Express 2 to 4 days", "express", (2, 4)),
        ("International 7\u201310 working days", None, (7, 10)),
        ("Courier 0-30 days", None, (0, 30)),
        ("Courier 2-2 days", None, (2, 2)),
    ],
)
def test_a_methods_title_gives_its_delivery_time(
    title: str, bucket: str | None, window: tuple[int, int]
) -> None:
    assert method_of(title) == Method(bucket, Window(*window))


@pytest.mark.parametrize(
    "title",
    [
        "",
        "Local pickup",
        "Expressly yours",  # whole words only
        "Carefree courier",
        "Standard 3-5 weeks",
        "Standard 5-31 days",
        "Standard 6-4 days",
    ],
)
def test_a_title_without_a_reliable_time_is_unknown(title: str) -> None:
    assert method_of(title) is None


def test_a_shop_may_have_methods_of_its_own() -> None:
    windows = {**DEFAULT_WINDOWS, "bike courier": Window(0, 1)}

    assert method_of("By bike courier", windows) == Method("bike courier", Window(0, 1))
