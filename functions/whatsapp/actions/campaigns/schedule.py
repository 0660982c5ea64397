"""Runs each minute: starts, continues and counts campaigns. One read if none is open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shared.runtime import clock
from shared.runtime.observability import describe, logger
from whatsapp.actions.campaigns.progress import counters, job_events
from whatsapp.actions.campaigns.trials import course
from whatsapp.store.campaigns import campaigns as records
from whatsapp.store.sending import job_positions

if TYPE_CHECKING:
    from collections.abc import Callable

    from shared.aws.dynamodb import Table
    from shared.aws.sqs_standard import StandardQueue
    from whatsapp.store.items.sending.campaigns import Campaign

ABANDONED_MS = clock.DAY_SECONDS * clock.SECOND_MS


def run_due(
    table: Table, queue: StandardQueue, ids: set[str], at_ms: int, remaining_ms: Callable[[], int]
) -> int:
    """
    Start campaigns that are due, enqueue pages without worker and event, and set counters, until the time is over.

    *ids*: the open campaigns. A round goes through them in this order; a later run continues it. Returns the lag in
    milliseconds: how long ago the unfinished round began. A campaign that fails does not stop the round; the error is
    raised at its end. Safe to repeat.
    """
    before = job_positions.get(table, "campaigns")
    since, after = int(before.get("since", at_ms)), str(before.get("after", ""))
    failure: Exception | None = None
    position: dict[str, Any] = {}
    for campaign_id in sorted(one for one in ids if one > after):
        if remaining_ms() <= 0:
            position = {"since": since, "after": after}
            break
        try:
            _look_after(table, queue, campaign_id, at_ms)
        except Exception as error:  # noqa: BLE001 - one campaign must not stop the others
            logger.warning("campaign failed", extra={"campaign": campaign_id, **describe(error)})
            failure = failure or error
        after = campaign_id
    if position != before:
        job_positions.put(table, "campaigns", position)
    if failure is not None:
        raise failure
    return at_ms - since if position else 0


def _look_after(table: Table, queue: StandardQueue, campaign_id: str, at_ms: int) -> None:
    campaign = records.get(table, campaign_id)
    if campaign is None:
        records.close(table, campaign_id)
    else:
        _continue(table, queue, campaign, at_ms)


def _continue(table: Table, queue: StandardQueue, campaign: Campaign, at_ms: int) -> None:
    if campaign.test is not None and campaign.is_tested:
        _test(table, queue, campaign, at_ms)
        return
    if campaign.source_key is not None or campaign.reads_audience:
        _read(table, queue, campaign, at_ms)
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
        if _is_due(campaign, at_ms):
            job_events.run(table, queue, campaign)
        return
    campaign = counters.refresh(table, campaign)
    is_waiting = campaign.status == "paused" and not campaign.is_cancelled
    if is_waiting or campaign.open_from > campaign.pages:
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


def _read(table: Table, queue: StandardQueue, campaign: Campaign, at_ms: int) -> None:
    """Let a job read a list, or the audience of a campaign that is started or due; that one starts afterwards."""
    is_started = campaign.auto_start is not None and campaign.status != "paused"
    if campaign.source_key is not None or is_started or _is_due(campaign, at_ms):
        if (campaign.queued_until or 0) < clock.now_ms():
            job_events.enqueue_cut(table, queue, campaign)
    elif campaign.status != "scheduled":
        _close(table, campaign)


def _test(table: Table, queue: StandardQueue, campaign: Campaign, at_ms: int) -> None:
    """Begin the test of a campaign that is started or due, and continue one that has begun."""
    if campaign.test is not None and campaign.test.begun_at is not None:
        if not course.look_after(table, queue, campaign, at_ms):
            _close(table, campaign)
    elif campaign.auto_start or _is_due(campaign, at_ms):
        course.begin(table, queue, campaign)
    elif campaign.status != "scheduled":
        _close(table, campaign)


def _is_due(campaign: Campaign, at_ms: int) -> bool:
    """Whether the time of a scheduled campaign has come."""
    return campaign.status == "scheduled" and (campaign.scheduled_at or "") <= clock.to_text(at_ms)


def _close(table: Table, campaign: Campaign) -> None:
    """Look after a campaign no longer, unless it was started meanwhile: a start opens it before and after."""
    records.close(table, campaign.campaign_id)
    seen = records.get(table, campaign.campaign_id)
    if seen is not None and seen.test is not None and seen.test.waits_for_person:
        return
    is_reading = seen is not None and seen.reads_audience and seen.status == "draft"
    if seen is not None and (
        seen.status in {"scheduled", "running"} or (is_reading and seen.auto_start)
    ):
        records.open_(table, campaign.campaign_id)
