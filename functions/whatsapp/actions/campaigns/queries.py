"""Reads campaigns, their sums and their recipients."""

from collections import Counter
from typing import Any

from shared.api.auth import Scope
from shared.api.cursors import Page
from shared.identity.addresses import displayed
from whatsapp.actions.calls import paging, participants
from whatsapp.actions.calls.call import Call
from whatsapp.actions.campaigns import audience
from whatsapp.actions.campaigns.control import CONTROL, own
from whatsapp.actions.campaigns.costs import estimates
from whatsapp.actions.campaigns.creation import LEGACY
from whatsapp.actions.campaigns.inputs import (
    CampaignStats,
    ListCampaigns,
    ListRecipients,
    OfCampaign,
)
from whatsapp.actions.campaigns.progress import counters
from whatsapp.actions.campaigns.views import (
    TALLIES,
    CampaignStatsView,
    CampaignsView,
    CampaignView,
    RecipientsView,
    RecipientView,
    campaign_view,
)
from whatsapp.api.queries import NotFound
from whatsapp.store.campaigns import campaigns as records
from whatsapp.store.items import Message
from whatsapp.store.items.sending.campaigns import Campaign

OF_MESSAGES = frozenset({"sent", "delivered", "read", "failed"})
MOST_CAMPAIGNS = 500  # of one account, summed up or sorted in a call
MOST_PAGES = 50  # of recipients, read in a call
MOST_HOURS = 5_000  # of all campaigns, read to sum them up
_PAGE = "page"


@LEGACY.reads("local", Scope.WHATSAPP_CAMPAIGNS)
def get_campaigns(call: Call[ListCampaigns]) -> Page[CampaignsView]:
    """List the campaigns of an account, the newest first; of 500 at most, in no order beyond."""
    participants.account_of(call, call.input.meta_waba_id)
    found = [
        campaign
        for campaign in _of_account(call, call.input.meta_waba_id)
        if call.input.status in {None, campaign.status}
    ]
    found.sort(key=lambda campaign: (campaign.created_at, campaign.campaign_id), reverse=True)
    shown, cursor = paging.slice_of(call, found)
    return Page(CampaignsView(campaigns=[campaign_view(campaign) for campaign in shown]), cursor)


@LEGACY.reads("local", Scope.WHATSAPP_CAMPAIGNS)
def get_campaign(call: Call[OfCampaign]) -> CampaignView:
    """
    Show a campaign with its counters as of now, an estimate of its cost, and the reason if it stopped by itself.

    The cost is that of all recipients who are in pages, also after the end; absent if their countries were not counted.
    """
    campaign = own(call, call.input.campaign_id)
    campaign = counters.current(call.table, campaign)
    view = campaign_view(campaign)
    if estimates.is_known(campaign):
        cost = estimates.of_campaign(call.table, campaign, campaign.countries)
        view = view.model_copy(update={"cost": cost})
    return view


@LEGACY.reads("local", Scope.WHATSAPP_CAMPAIGNS)
def get_campaign_stats(call: Call[CampaignStats]) -> CampaignStatsView:
    """
    Sum up campaigns of an account: recipients by outcome, replies, and billable messages by category.

    `complete` is false if there are more campaigns than a call sums up: 500, and 5,000 hours of counts.
    """
    given = call.input
    participants.account_of(call, given.meta_waba_id)
    one = given.campaign_id
    found = [own(call, one)] if one is not None else _of_account(call, given.meta_waba_id)
    if one is not None and found[0].waba_meta_id != given.meta_waba_id:
        raise NotFound("campaignId: is no campaign of the account")
    first, last = given.start_date or "", given.end_date or "9"
    chosen = [c for c in found if first <= c.created_at[:10] <= last]
    tallies, hours, billable = Counter[str](), Counter[str](), Counter[str]()
    summed, left = 0, MOST_HOURS
    for campaign in chosen:
        left -= len(counters.hour_names(campaign))
        if left < 0 and summed:
            break
        summed += 1
        tallies.update(campaign.tallies)
        tallies["invalid"] += campaign.invalid_count
        for hour in counters.hours_of(call.table, campaign):
            hours.update(hour.counts)
            billable.update(hour.billable)
    return CampaignStatsView(
        campaigns=summed,
        recipients=sum(campaign.total_recipients or 0 for campaign in chosen[:summed]),
        delivered=hours["delivered"],
        read=hours["read"],
        replied=hours["replied"],
        billable=dict(billable),
        complete=len(found) < MOST_CAMPAIGNS and summed == len(chosen),
        **{name: tallies[name] for name in TALLIES},
    )


@CONTROL.reads("local", Scope.WHATSAPP_CAMPAIGNS)
def get_campaign_recipients(call: Call[ListRecipients]) -> Page[RecipientsView]:
    """
    List the recipients of a campaign by outcome: recipients with a message by it, the newest first; the others by their
    line in the list, as their numbers are deleted. Without an outcome: all that have none but `sent`. Reads 50 pages of
    a hundred recipients at most, so a page may be short.

    Before a campaign reads its audience this is a dry run: whom it would reach now, and who would be left out and why.
    It reads `limit` contacts, and needs the scope `contacts:read`, too; people may join or leave until the start.
    """
    campaign = own(call, call.input.campaign_id)
    if campaign.reads_audience:
        return audience.planned(call, campaign)
    if call.input.outcome in OF_MESSAGES:
        return _with_messages(call, campaign)
    return _without_messages(call, campaign)


def _with_messages(call: Call[ListRecipients], campaign: Campaign) -> Page[RecipientsView]:
    found, last = records.messages_of(
        call.table, campaign.campaign_id, limit=call.input.limit, start=paging.start_of(call)
    )
    wanted = call.input.outcome
    views = [
        RecipientView(
            outcome=str(message.delivery_status),
            message_id=Message.id_of(message.pk),
            to=message.to,
            to_text=displayed(message.to) if message.to else None,
        )
        for message in found
        if message.company == call.company and wanted in {"sent", message.delivery_status}
    ]
    return Page(RecipientsView(recipients=views), paging.cursor_of(call, last))


def _without_messages(call: Call[ListRecipients], campaign: Campaign) -> Page[RecipientsView]:
    number = int((paging.start_of(call) or {_PAGE: "1"})[_PAGE])
    end = min(number + MOST_PAGES, campaign.pages + 1)
    views: list[RecipientView] = []
    while number < end and len(views) < call.input.limit:
        for page in records.pages(call.table, campaign.campaign_id, [number]):
            for line, outcome in page.outcomes.items():
                word, _, reason = outcome.partition(":")
                if call.input.outcome in {None, word}:
                    views.append(RecipientView(outcome=word, line=int(line), reason=reason or None))
        number += 1
    following = {_PAGE: str(number)} if number <= campaign.pages else None
    return Page(RecipientsView(recipients=views), paging.cursor_of(call, following))


def _of_account(call: Call[Any], waba: str) -> list[Campaign]:
    """Return the company's campaigns of an account, at most 500."""
    found: list[Campaign] = []
    start = None
    while len(found) < MOST_CAMPAIGNS:
        page, start = records.of_account(call.table, waba, limit=100, start=start)
        found += [campaign for campaign in page if campaign.company == call.company]
        if start is None:
            break
    return found[:MOST_CAMPAIGNS]
