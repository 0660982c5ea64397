"""Runs each minute: starts, continues and counts campaigns. One read if none is open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shared.runtime import clock
from whatsapp.actions.campaigns import counters, job_events
from whatsapp.store.sending import campaigns as records

if TYPE_CHECKING:
    from shared.aws.dynamodb import Table
    from shared.aws.sqs_standard import StandardQueue
    from whatsapp.store.items.campaigns import Campaign

ABANDONED_MS = clock.DAY_SECONDS * clock.SECOND_MS


def run_due(table: Table, queue: StandardQueue, at_ms: int) -> int:
    """
    Start campaigns that are due, enqueue pages without worker and event, and set counters; return the number of open
    campaigns.

    Safe to repeat.
    """
    ids = records.open_ids(table)
    for campaign_id in sorted(ids):
        campaign = records.get(table, campaign_id)
        if campaign is None:
            records.close(table, campaign_id)
        else:
            _look_after(table, queue, campaign, at_ms)
    return len(ids)


def _look_after(table: Table, queue: StandardQueue, campaign: Campaign, at_ms: int) -> None:
    if campaign.source_key is not None:
        if (campaign.queued_until or 0) < clock.now_ms():
            job_events.enqueue_cut(table, queue, campaign)
        return
    if campaign.total_recipients is None:
        # The call that makes it has not ended, or its caller repeats it, which opens it again.
        if at_ms - clock.from_text(campaign.created_at) > ABANDONED_MS:
            records.close(table, campaign.campaign_id)
        return
    if campaign.status == "draft":
        if campaign.auto_start:
            job_events.run(table, queue, campaign)
        else:
            _close(table, campaign)
        return
    if campaign.status == "scheduled":
        if (campaign.scheduled_at or "") <= clock.to_text(at_ms):
            job_events.run(table, queue, campaign)
        return
    campaign = counters.refresh(table, campaign)
    if campaign.status == "paused" or campaign.open_from > campaign.pages:
        _close(table, campaign)
    else:
        pages = records.pages(table, campaign.campaign_id, campaign.window)
        now = clock.now_ms()
        free = [
            number
            for number, page in zip(campaign.window, pages, strict=False)
            if page.is_free(now)
        ]
        job_events.enqueue_pages(table, queue, campaign, free)


def _close(table: Table, campaign: Campaign) -> None:
    """Look after a campaign no longer, unless it was started meanwhile: a start opens it before and after."""
    records.close(table, campaign.campaign_id)
    seen = records.get(table, campaign.campaign_id)
    if seen is not None and seen.status in {"scheduled", "running"}:
        records.open_(table, campaign.campaign_id)
