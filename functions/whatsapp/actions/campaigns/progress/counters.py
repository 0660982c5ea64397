"""Sets the counters of a campaign, from its pages and from the hours that the schedule counts."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from shared.runtime import clock
from whatsapp import store
from whatsapp.store.campaigns import campaigns as records
from whatsapp.store.items.analytics.counts import Hour
from whatsapp.store.items.sending.campaigns import NO_VALID_RECIPIENTS

if TYPE_CHECKING:
    from shared.aws.dynamodb import Table
    from whatsapp.store.items.sending.campaigns import Campaign, CampaignPage

PAGES_PER_READ = 100
COUNTED_MS = 8 * clock.DAY_SECONDS * clock.SECOND_MS  # Each hour is counted for so long.
LONGEST_MS = 31 * clock.DAY_SECONDS * clock.SECOND_MS


def refresh(table: Table, campaign: Campaign) -> Campaign:
    """
    Sum up the pages that are done, complete the campaign when all are, and set its counters. Safe to repeat, and to run
    at the same time as workers: a page is summed up once, in order.
    """
    return _refreshed(table, campaign)[0]


def current(table: Table, campaign: Campaign) -> Campaign:
    """
    As `refresh`, and return the campaign with the tallies of pages in work, too, as their last save has them: at most
    ten recipients of each are missing. For views: it is not to be refreshed again, which would sum those up twice.
    """
    refreshed, in_work = _refreshed(table, campaign)
    return refreshed.model_copy(update={"tallies": in_work + Counter(refreshed.tallies)})


def _refreshed(table: Table, campaign: Campaign) -> tuple[Campaign, Counter[str]]:
    """Return the campaign, and the tallies of the read pages that are not summed up in it."""
    found: dict[int, CampaignPage] = {}
    while campaign.open_from <= campaign.pages:
        done = []
        numbers = range(
            campaign.open_from, min(campaign.open_from + PAGES_PER_READ, campaign.pages + 1)
        )
        found = dict(
            zip(numbers, records.pages(table, campaign.campaign_id, numbers), strict=False)
        )
        for page in found.values():
            if page.state != "done":
                break
            done.append(page)
        if not done:
            break
        tallies = Counter(campaign.tallies)
        for page in done:
            tallies.update(page.tallies)
        records.fold(table, campaign, campaign.open_from + len(done), tallies)
        campaign = records.get(table, campaign.campaign_id) or campaign
        if len(done) < PAGES_PER_READ:
            break
    if campaign.total_recipients is not None and campaign.open_from > campaign.pages:
        campaign = _completed(table, campaign)
    in_work = Counter[str]()
    for number, page in found.items():
        if number >= campaign.open_from:  # Another call may have summed up more of them meanwhile.
            in_work.update(page.tallies)
    return _counted(table, campaign), in_work


def hours_of(table: Table, campaign: Campaign) -> list[Hour]:
    """Return the counted hours of a campaign. Reads as many items as `hour_names` returns."""
    names = hour_names(campaign)
    found = store.counts.hours(table, [Hour.of(campaign.campaign_id, name) for name in names])
    return [hour for hour in found.values() if hour.company == campaign.company]


def hour_names(campaign: Campaign) -> list[str]:
    """
    Return the hours of a campaign, from its start to eight days after its end: replies count until then.

    At most 31 days, so that a campaign that is paused for long costs no more.
    """
    if campaign.started_at is None:
        return []
    now, first = clock.now_ms(), clock.from_text(campaign.started_at)
    ended = clock.from_text(campaign.completed_at) if campaign.completed_at else now
    last = min(now, ended + COUNTED_MS, first + LONGEST_MS)
    return [_name(at) for at in range(first - first % clock.HOUR_MS, last + 1, clock.HOUR_MS)]


def _completed(table: Table, campaign: Campaign) -> Campaign:
    if campaign.status != "running":
        return campaign
    if campaign.is_all_invalid:
        ended = records.stop(table, campaign.campaign_id, ["running"], NO_VALID_RECIPIENTS)
    else:
        ended = records.change(
            table, campaign.campaign_id, ["running"], status="completed",
            completed_at=clock.to_text(clock.now_ms()),
        )  # fmt: skip
    return ended or campaign


def _counted(table: Table, campaign: Campaign) -> Campaign:
    counts = Counter[str]()
    for hour in hours_of(table, campaign):
        counts.update(hour.counts)
    found = {
        "sent_count": campaign.tallies.get("sent", 0),
        "failed_count": campaign.tallies.get("failed", 0),
        "delivered_count": counts["delivered"],
        "read_count": counts["read"],
    }
    records.count(table, campaign, **found)
    return campaign.model_copy(update=found)


def _name(at_ms: int) -> str:
    text = clock.to_text(at_ms)
    return text[:13].replace("-", "").replace("T", "")
