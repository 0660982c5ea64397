"""
The business hours of companies, and the zone of their days. Processes read them once a minute.

A change of the zone moves no day that was counted before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

from shared.inbox.items import pk
from shared.inbox.reports.items import ReportSettings
from shared.runtime import clock

if TYPE_CHECKING:
    from shared.aws.dynamodb import Table
    from shared.policy.business_hours import BusinessHours

DEFAULT_ZONE: Final = "UTC"
REREAD_MS: Final = 60 * clock.SECOND_MS
_MOST_HELD: Final = 10_000  # companies of one process

_held: WeakKeyDictionary[Table, dict[str, tuple[int, BusinessHours | None]]] = WeakKeyDictionary()


def of_company(table: Table, company: str) -> BusinessHours | None:
    """Return the hours of a company, at most a minute old; None if it has named none."""
    held, now = _held.setdefault(table.source, {}), clock.now_ms()
    read_at, hours = held.get(company, (-REREAD_MS, None))
    if now >= read_at + REREAD_MS:
        if len(held) >= _MOST_HELD:
            held.clear()
        hours = settings(table, company).hours
        held[company] = (now, hours)
    return hours


def settings(table: Table, company: str) -> ReportSettings:
    """Return the settings of a company (strongly consistent read); version 0 if it has none."""
    key = ReportSettings.key(company)
    item = table.get(pk(key))
    return ReportSettings.read(item) if item else ReportSettings(pk=key)


def zone_of(hours: BusinessHours | None) -> str:
    """Return the zone in which days are counted."""
    return hours.time_zone if hours is not None else DEFAULT_ZONE
