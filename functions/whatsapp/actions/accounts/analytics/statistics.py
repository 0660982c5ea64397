"""Sums up the daily counters."""

from __future__ import annotations

from shared.api.auth import Scope
from shared.api.errors import InvalidInput
from whatsapp.actions.accounts.analytics import counters
from whatsapp.actions.accounts.analytics.periods import Period
from whatsapp.actions.calls import participants
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import Day, PhoneFilter
from whatsapp.actions.dispatch.registration import Group
from whatsapp.sending.views import View

UTILITY = Group("config_utility")
MOST_ACCOUNTS = 10


class StatsInput(PhoneFilter):
    """At most 93 days; without dates the last 30. Without a number or account, all of the company's accounts."""

    start_date: Day | None = None
    end_date: Day | None = None


class StatsView(View):
    """
    Messages in the period. Of a single number only *sent* is counted, and the others are absent.

    *conversations_from_ads*: chats that customers opened from an ad; other starts of conversations are not counted.
    """

    start_date: str
    end_date: str
    sent: int
    received: int | None = None
    delivered: int | None = None
    read: int | None = None
    failed: int | None = None
    conversations_from_ads: int | None = None


@UTILITY.reads("local", Scope.WHATSAPP_ANALYTICS)
def get_stats(call: Call[StatsInput]) -> StatsView:
    """Show sums of the daily counters of the company, of an account or of a number. Reads at most 93 days."""
    given = call.input
    period = Period.of(given.start_date, given.end_date)
    dates = {"start_date": period.first.isoformat(), "end_date": period.last.isoformat()}
    if given.phone is not None:
        phone = participants.filtered_phone(call)
        if phone is not None:
            days = counters.days(call, [phone.waba_meta_id], period)
            return StatsView(**dates, sent=sum(day.phones.get(phone.phone, 0) for day in days))
    days = counters.days(call, _accounts(call), period)
    totals = counters.totals(days)
    return StatsView(
        **dates,
        sent=totals.sent,
        received=totals.received,
        delivered=totals.delivered,
        read=totals.read,
        failed=totals.failed,
        conversations_from_ads=sum(counters.by_name(day.ad_sources for day in days).values()),
    )


def _accounts(call: Call[StatsInput]) -> list[str]:
    """Return the accounts that the input names. Raises NotFound and InvalidInput."""
    waba = call.input.meta_waba_id
    if waba is not None:
        participants.account_of(call, waba)
        return [waba]
    accounts = list(dict.fromkeys(phone.waba_meta_id for phone in participants.phones_of(call)))
    if len(accounts) > MOST_ACCOUNTS:
        problem = f"is required, as the company has more than {MOST_ACCOUNTS} accounts"
        raise InvalidInput([{"field": "metaWabaId", "problem": problem}])
    return accounts
