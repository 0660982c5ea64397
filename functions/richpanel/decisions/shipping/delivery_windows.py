"""
Delivery estimates, in business days from the day of the customer's message. Pure: no clock.

All dates are in the shop's time zone: an order placed on Monday evening in New York has Monday's date, although it is
Tuesday in UTC.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from types import MappingProxyType
from zoneinfo import ZoneInfo

SATURDAY = 5
MOST_DAYS = 30  # a longer range in a method's title is not used as a delivery time
# "3-5 business days", "3 to 5 days". Not "1.3-5 days", and not the year of a date.
_RANGE = re.compile(r"(?<![\d.,-])(\d{1,3}) ?(?:-|to) ?(\d{1,3}) ?(?:business |working )?days?\b")
_LONGER_UNIT = re.compile(r"\b(?:weeks?|months?)\b")
_DASHES = str.maketrans("\u2010\u2011\u2012\u2013\u2014\u2212", "------")


@dataclass(frozen=True, slots=True)
class Window:
    """A range of *least* to *most* business days."""

    least: int
    most: int

    @property
    def is_late(self) -> bool:
        """Whether the last day of the window is today or past; an agent handles such an order."""
        return self.most <= 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Calendar:
    """The shop's calendar. *holidays* are dates without deliveries; weekends need not be listed."""

    timezone: ZoneInfo = field(default_factory=lambda: ZoneInfo("America/New_York"))
    holidays: frozenset[date] = frozenset()

    def day_of(self, moment: datetime) -> date:
        """Return the shop's date at *moment*, which must have a time zone. Raises ValueError."""
        if moment.tzinfo is None:
            raise ValueError("the time must have a time zone")
        return moment.astimezone(self.timezone).date()

    def business_days(self, after: date, until: date) -> int:
        """Count Monday to Friday without holidays, from the day after *after* through *until*; never negative."""
        days = (after + timedelta(n) for n in range(1, (until - after).days + 1))
        return sum(day.weekday() < SATURDAY and day not in self.holidays for day in days)


# Keyed by words of the method's title; a hyphen also matches a space or nothing ("two-day", "two day", "twoday").
DEFAULT_WINDOWS: Mapping[str, Window] = MappingProxyType(
    {
        "standard": Window(3, 5),
        "ground": Window(3, 7),
        "economy": Window(5, 7),
        "free": Window(5, 7),
        "postal": Window(5, 7),
        "expedited": Window(2, 3),
        "express": Window(1, 2),
        "rush": Window(1, 2),
        "two-day": Window(2, 2),
        "2-day": Window(2, 2),
        "2nd-day": Window(2, 2),
        "priority": Window(1, 1),
        "overnight": Window(1, 1),
        "next-day": Window(1, 1),
    }
)


@dataclass(frozen=True, slots=True)
class Method:
    """A shipping method: *bucket* is its keyword, None if the title has only days; *window* its delivery time."""

    bucket: str | None
    window: Window


def method_of(title: str, windows: Mapping[str, Window] = DEFAULT_WINDOWS) -> Method | None:
    """
    Return the shipping method for a title; None if the title has no known delivery time.

    A range of days in the title takes precedence over keywords. Of several keywords the longest applies, of equally
    long ones the slower. A title with weeks, months or more than 30 days is unknown, because its keywords would promise
    a faster delivery.
    """
    words = " ".join(title.translate(_DASHES).casefold().split())
    if _LONGER_UNIT.search(words):
        return None
    matching_keywords = [
        (len(key), window.most, key) for key, window in windows.items() if _has(words, key)
    ]
    bucket = max(matching_keywords)[2] if matching_keywords else None
    if stated_range := _RANGE.search(words):
        window = Window(int(stated_range[1]), int(stated_range[2]))
        return Method(bucket, window) if window.least <= window.most <= MOST_DAYS else None
    return Method(bucket, windows[bucket]) if bucket else None


def remaining(
    window: Window,
    *,
    ordered_at: datetime,
    message_at: datetime,
    calendar: Calendar,
    ship_by: date | None = None,
) -> Window:
    """
    Return the rest of *window* at *message_at*. *ship_by*: the verified shipping date of a pre-order, at which its
    window starts.
    """
    message_day = calendar.day_of(message_at)
    start = ship_by or calendar.day_of(ordered_at)
    if ship_by and ship_by > message_day:
        until = calendar.business_days(message_day, ship_by)
        return Window(until + window.least, until + window.most)
    elapsed = calendar.business_days(start, message_day)
    return Window(max(0, window.least - elapsed), max(0, window.most - elapsed))


def in_words(window: Window) -> str:
    """Format a window for customers: `1-3 business days`, `within 1 business day`. Raises ValueError for a late one."""
    if window.is_late:
        raise ValueError("a late order has no remaining days")
    days = "business day" if window.most == 1 else "business days"
    if window.least == window.most:
        return f"{window.most} {days}"
    if window.least == 0:
        return f"within {window.most} {days}"
    return f"{window.least}-{window.most} {days}"


def _has(title: str, key: str) -> bool:
    words = re.escape(key.casefold()).replace(r"\-", "[ -]?")
    return re.search(rf"(?<!\w){words}(?!\w)", title) is not None
