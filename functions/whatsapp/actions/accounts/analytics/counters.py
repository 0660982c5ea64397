"""Reads the daily counters and the reported clicks and conversions of the caller's company."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from whatsapp import store
from whatsapp.sending.views import View
from whatsapp.store.analytics import reported
from whatsapp.store.items.analytics.counts import Analytics, Hour

if TYPE_CHECKING:
    from collections.abc import Iterable

    from whatsapp.actions.accounts.analytics.periods import Period
    from whatsapp.actions.calls.call import Call
    from whatsapp.store.items import WebhookEvent


class Totals(View):
    """
    Messages sent in the period, by state: read ones are delivered too. *replied*: messages from customers that answer a
    template or campaign.
    """

    sent: int = 0
    delivered: int = 0
    read: int = 0
    failed: int = 0
    received: int = 0
    replied: int = 0


def days(call: Call[Any], wabas: Iterable[str], period: Period) -> list[Analytics]:
    """Return the counted days of accounts, oldest first. Days without messages are absent."""
    keys = [Analytics.key(waba, day) for waba in wabas for day in period.dates]
    found = store.counts.days(call.table, keys)
    own = [day for day in found if day.company == call.company]
    return sorted(own, key=lambda day: (day.date, day.waba_meta_id))


def totals(found: Iterable[Analytics]) -> Totals:
    """Return the sum of days."""
    counts: Counter[str] = Counter()
    for day in found:
        counts.update(
            sent=day.messages_sent,
            delivered=day.messages_delivered,
            read=day.messages_read,
            failed=day.messages_failed,
            received=day.messages_received,
            replied=day.messages_replied,
        )
    return Totals(**counts)


def by_name(maps: Iterable[dict[str, int]]) -> dict[str, int]:
    """Return the sum of counts by name."""
    counts: Counter[str] = Counter()
    for one in maps:
        counts.update(one)
    return dict(counts)


def of_campaign(call: Call[Any], campaign_id: str, period: Period) -> Totals:
    """Return the sum of a campaign's hours: campaigns have no days."""
    names = [f"{day.replace('-', '')}{hour:02d}" for day in period.dates for hour in range(24)]
    hours = store.counts.hours(call.table, [Hour.of(campaign_id, name) for name in names])
    return Totals(**by_name(hour.counts for hour in hours.values() if hour.company == call.company))


def reported_in(
    call: Call[Any], kind: reported.Kind, waba: str, period: Period
) -> tuple[list[WebhookEvent], bool]:
    """Return the clicks or conversions of an account, newest first, and whether these are all."""
    first, last = period.bounds
    events, is_complete = reported.between(call.table, kind, call.company, first, last)
    return [event for event in events if event.waba_meta_id == waba], is_complete
