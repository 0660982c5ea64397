"""Records clicks on ads that open a chat, and counts conversations and conversions from ads."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from shared.api.auth import Scope
from shared.identity.keyed_hashes import keyed_hash
from whatsapp.actions.accounts.analytics import counters
from whatsapp.actions.accounts.analytics.periods import Period
from whatsapp.actions.calls import participants
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import Day, Input, Text, WabaId
from whatsapp.actions.dispatch.registration import Group
from whatsapp.sending.views import View
from whatsapp.store.analytics import reported
from whatsapp.store.analytics.tallies import LONGEST_NAME

if TYPE_CHECKING:
    from whatsapp.store.items import WebhookEvent

ANALYTICS = Group("analytics")
type Name = Annotated[Text, Field(max_length=LONGEST_NAME)]
_UNNAMED = "__none"


class AdInput(Input):
    """At most 93 days; without dates the last 30. `campaignId` is the id of an ad source."""

    meta_waba_id: WabaId
    campaign_id: Name | None = None
    start_date: Day | None = None
    end_date: Day | None = None


class AdDay(View):
    """One day (UTC), each count by ad source: `__other` for the rare ones, `__none` for those without an id."""

    date: str
    conversations: dict[str, int]
    clicks: dict[str, int]
    conversions: dict[str, int]


class AdMetrics(View):
    """
    *conversations*: chats that customers opened from an ad. *clicks* and *conversions* are the reported ones, which are
    kept for 30 days; *is_complete*: False if there are more than are read at once, and the oldest are not counted.
    """

    conversations: int
    clicks: int
    conversions: int
    days: list[AdDay]
    is_complete: bool


class Click(Input):
    """A click. `clickId` is the caller's own id of it."""

    meta_waba_id: WabaId
    click_id: Name
    campaign_id: Name | None = None
    source: Name | None = None
    ad_id: Name | None = None
    user_id: Name | None = None


class ClickView(View):
    """*is_new*: False if the click was counted before."""

    click_id: str
    is_new: bool


@ANALYTICS.reads("local", Scope.WHATSAPP_ANALYTICS)
def get_ctwa_metrics(call: Call[AdInput]) -> AdMetrics:
    """
    Show the conversations that ads have started, the reported clicks and the conversions, by day and ad source.

    Conversations are counted from the provider's referral; a click is counted only if a caller has reported it.
    """
    given = call.input
    participants.account_of(call, given.meta_waba_id)
    period = Period.of(given.start_date, given.end_date)
    days = counters.days(call, [given.meta_waba_id], period)
    chats = {day.date: Counter(day.ad_sources) for day in days}
    clicks, all_clicks = counters.reported_in(call, "ctwa_click", given.meta_waba_id, period)
    sales, all_sales = counters.reported_in(call, "conversion", given.meta_waba_id, period)
    maps = [
        {day: _only(counter, given.campaign_id) for day, counter in found.items()}
        for found in (chats, _by_day(clicks), _by_day(sales))
    ]
    shown = [
        AdDay(
            date=date,
            conversations=maps[0].get(date, {}),
            clicks=maps[1].get(date, {}),
            conversions=maps[2].get(date, {}),
        )
        for date in period.dates
        if any(found.get(date) for found in maps)
    ]
    conversations, clicked, converted = (sum(map(_sum, found.values())) for found in maps)
    return AdMetrics(
        conversations=conversations,
        clicks=clicked,
        conversions=converted,
        days=shown,
        is_complete=all_clicks and all_sales,
    )


@ANALYTICS.changes("local", Scope.WHATSAPP_ANALYTICS)
def track_ctwa_click(call: Call[Click]) -> ClickView:
    """
    Record a click on an ad, once for each `clickId` of the company in 30 days; a repeated one changes nothing.

    Of `userId` only a keyed hash is stored. Clicks that lead to a chat are counted from the provider's referral without
    this action.
    """
    given = call.input
    participants.account_of(call, given.meta_waba_id)
    facts = {
        "adSource": given.ad_id or given.campaign_id,
        "campaignId": given.campaign_id,
        "source": given.source,
        "user": keyed_hash("ctwa_click", call.company, given.user_id) if given.user_id else None,
    }
    is_new = reported.add(
        call.table,
        "ctwa_click",
        company=call.company,
        waba=given.meta_waba_id,
        own_id=given.click_id,
        facts={name: value for name, value in facts.items() if value is not None},
    )
    return ClickView(click_id=given.click_id, is_new=is_new)


def _by_day(events: list[WebhookEvent]) -> dict[str, Counter[str]]:
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for event in events:
        payload = event.payload or {}
        found[event.received_at[:10]][str(payload.get("adSource") or _UNNAMED)] += 1
    return found


def _only(counter: Counter[str], name: str | None) -> dict[str, int]:
    return {key: n for key, n in counter.items() if name in {None, key}}


def _sum(counts: dict[str, int]) -> int:
    return sum(counts.values())
