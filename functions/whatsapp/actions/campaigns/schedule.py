"""Runs each minute: starts, continues and counts campaigns. One read if none is open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shared.runtime import clock
from whatsapp.actions.campaigns import counters, job_events
from whatsapp.inbound.event import CAMPAIGN_CUT, CAMPAIGN_PAGE
from whatsapp.store.sending import campaigns as records

if TYPE_CHECKING:
    from shared.aws.dynamodb import Table
    from shared.aws.sqs_standard import StandardQueue
    from whatsapp.store.items.campaigns import Campaign

CUT_AGAIN_MINUTES = 5  # A job that reads a list runs for three.
MINUTE_MS = 60 * clock.SECOND_MS
ABANDONED_MS = clock.DAY_SECONDS * clock.SECOND_MS


def run_due(table: Table, jobs: StandardQueue, at_ms: int) -> int:
    """
    Start campaigns that are due, continue pages without a worker, and set counters; return the number of open ones.

    Safe to repeat.
    """
    ids = records.open_ids(table)
    for campaign_id in sorted(ids):
        campaign = records.get(table, campaign_id)
        if campaign is None:
            records.close(table, campaign_id)
        else:
            _look_after(table, jobs, campaign, at_ms)
    return len(ids)


def _look_after(table: Table, jobs: StandardQueue, campaign: Campaign, at_ms: int) -> None:
    if campaign.source_key is not None:
        if at_ms // MINUTE_MS % CUT_AGAIN_MINUTES == 0:
            job_events.send(table, jobs, campaign, CAMPAIGN_CUT, [0])
        return
    if campaign.total_recipients is None:
        # The call that makes it has not ended, or its caller repeats it, which opens it again.
        if at_ms - clock.from_text(campaign.created_at) > ABANDONED_MS:
            records.close(table, campaign.campaign_id)
        return
    if campaign.status == "draft":
        if campaign.auto_start:
            job_events.run(table, jobs, campaign)
        else:
            _close(table, campaign)
        return
    if campaign.status == "scheduled":
        if (campaign.scheduled_at or "") <= clock.to_text(at_ms):
            job_events.run(table, jobs, campaign)
        return
    campaign = counters.refresh(table, campaign)
    if campaign.status == "paused" or campaign.open_from > campaign.pages:
        _close(table, campaign)
    else:
        window = range(
            campaign.open_from, min(campaign.open_from + campaign.lanes, campaign.pages + 1)
        )
        free = [
            number
            for number, page in zip(
                window, records.pages(table, campaign.campaign_id, window), strict=False
            )
            if page.state == "pending"
            or (page.state == "leased" and (page.lease_until or 0) < clock.now_ms())
        ]
        job_events.send(table, jobs, campaign, CAMPAIGN_PAGE, free)


def _close(table: Table, campaign: Campaign) -> None:
    """Look after a campaign no longer, unless it was started meanwhile: a start opens it before and after."""
    records.close(table, campaign.campaign_id)
    seen = records.get(table, campaign.campaign_id)
    if seen is not None and seen.status in {"scheduled", "running"}:
        records.open_(table, campaign.campaign_id)
