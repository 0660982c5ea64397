"""
Processes one page of a campaign: every recipient once, in the order of the list.

    lease -> for each recipient: send, with an action id made of campaign and contact -> tallies and cursor, every ten

The ledger makes a repetition harmless: a page that runs twice, or again after a crash, finds its own sends. A contact
that another line of the list has finds the send of that line, and counts as a duplicate. A worker whose lease has
expired saves nothing more.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NoReturn

from shared.aws.tables import leases
from whatsapp import store
from whatsapp.actions.campaigns.pages import audiences, cutting, outcomes, recipients
from whatsapp.actions.campaigns.pages.outcomes import SPARE_MS, PageRun, Stopped
from whatsapp.actions.campaigns.progress import job_events
from whatsapp.configuration.folders import ERASED_RECIPIENT
from whatsapp.inbound.event import CAMPAIGN_CUT, Outcome
from whatsapp.store.campaigns import campaign_turns
from whatsapp.store.campaigns import campaigns as records
from whatsapp.store.items.sending.campaigns import CampaignPage

if TYPE_CHECKING:
    from collections.abc import Callable

    from whatsapp.actions.calls.call import ActionResources
    from whatsapp.actions.campaigns.pages.recipients import Row
    from whatsapp.inbound.event import Event
    from whatsapp.store.items.sending.campaigns import Campaign

EVERY = 10  # recipients between two saves
# More failures than this share of a run of a page stop the campaign, once so many of its recipients have an outcome.
# Failures of earlier runs do not stop a resumed page again.
WORST_SHARE, ENOUGH = 0.2, 50


def handle(
    resources: ActionResources, event: Event, owner: str, remaining_ms: Callable[[], int]
) -> Outcome:
    """Process an event of a campaign: a part of its list, or a page. Raises Transient."""
    campaign = job_events.campaign_of(resources.table, event)
    if campaign is None:
        return Outcome.DUPLICATE
    if event.kind != CAMPAIGN_CUT:
        return _process(resources, campaign, event, owner, remaining_ms)
    if (campaign.turn or 0) != job_events.turn_of(event):
        return Outcome.DUPLICATE
    if campaign.audience is not None:
        turn = job_events.turn_of(event)
        has_more = audiences.cut(resources, campaign, owner, turn, remaining_ms)
    else:
        has_more = cutting.cut(resources, campaign, remaining_ms)
    if has_more:
        job_events.postpone(resources, campaign, event, 0)
    return Outcome.PERSISTED


def _process(
    resources: ActionResources,
    campaign: Campaign,
    event: Event,
    owner: str,
    remaining_ms: Callable[[], int],
) -> Outcome:
    number, turn = job_events.number_of(event), job_events.turn_of(event)
    if campaign.status != "running" and not campaign.is_cancelled:
        key = CampaignPage.of(campaign.campaign_id, number)
        campaign_turns.forget(resources.table, CampaignPage, key, turn)
        return Outcome.DUPLICATE
    phone = store.phones.get(resources.table, campaign.phone)
    page = records.lease(
        resources.table,
        campaign.campaign_id,
        number,
        owner=owner,
        until=leases.expiry(remaining_ms()),
        turn=turn,
    )
    if page is None or phone is None or phone.company != campaign.company:
        return Outcome.DUPLICATE
    run = PageRun(
        resources=resources, campaign=campaign, phone=phone, page=page, number=number,
        remaining_ms=remaining_ms, cursor=page.cursor,
        tallies=Counter(page.tallies), outcomes=dict(page.outcomes), places=Counter(page.places),
    )  # fmt: skip
    if campaign.is_cancelled:
        if run.cursor < page.size:
            run.tallies["cancelled"] += page.size - run.cursor
            run.cursor = page.size
        _end(run)
        return Outcome.PERSISTED
    _send_page(run)
    return Outcome.PERSISTED


def _send_page(run: PageRun) -> None:
    """Send to the recipients of a page, until it is done, time is over, or the campaign stops."""
    try:
        if run.phone.in_use:
            for row in _rows(run):
                _take(run, row)
        else:
            _stop("number_not_in_use")
    except Stopped as stop:
        if stop.delay_ms is not None:
            _continue(run, stop.delay_ms)
            return
        _save(run, "pending")
        if stop.pause is not None:
            _pause(run, stop.pause)
        return
    _end(run)


def _continue(run: PageRun, delay_ms: int) -> None:
    """End the lease of a page that the queue delivers again after a delay, or the longest that it has."""
    delay_ms = min(delay_ms, job_events.LONGEST_DELAY_MS)
    _save(run, "pending", campaign_turns.expiry(delay_ms))
    job_events.continue_page(run.resources, run.campaign, run.number, run.page, delay_ms)


def _take(run: PageRun, row: Row) -> None:
    """Send to the next recipient and note the outcome. Raises Stopped."""
    is_erased = row.get(ERASED_RECIPIENT)
    outcome = f"refused:{ERASED_RECIPIENT}" if is_erased else outcomes.outcome_of(run, row)
    word = outcome.partition(":")[0]
    run.tallies[word] += 1
    run.tried, run.failed = run.tried + 1, run.failed + (word == "failed")
    if outcome != "sent":
        run.outcomes[str(row["line"])] = outcome
    run.cursor += 1
    if run.pause is not None:
        _stop(run.pause)
    if run.cursor % EVERY == 0 and run.cursor < run.page.size:
        _checkpoint(run)


def _stop(reason: str) -> NoReturn:
    raise Stopped(reason)


def _checkpoint(run: PageRun) -> None:
    """Save the progress, and see whether the campaign goes on. Raises Stopped."""
    _save(run, "leased")
    if run.remaining_ms() < SPARE_MS:
        raise Stopped(delay_ms=0)
    if run.tried >= ENOUGH and run.failed / run.tried > WORST_SHARE:
        raise Stopped("failures")
    campaign = records.get(run.resources.table, run.campaign.campaign_id)
    if campaign is None or campaign.status != "running":
        raise Stopped


def _save(run: PageRun, state: str, queued_until: int | None = None) -> None:
    """Save the progress. Raises Transient if another worker has taken over."""
    saved = records.save(
        run.resources.table, run.page, cursor=run.cursor, tallies=run.tallies, outcomes=run.outcomes,
        places=+run.places, state=state, queued_until=queued_until,
    )  # fmt: skip
    if saved is None:
        raise leases.LeaseLost
    run.page = saved


def _end(run: PageRun) -> None:
    """
    Finish a page, delete its recipients, and enqueue the next page of its lane.

    The progress is saved first, so that a repetition needs no recipients; done is a page only without them.
    """
    _save(run, "leased")
    campaign = run.campaign
    run.resources.bucket.delete(
        recipients.page_key(str(campaign.company), campaign.campaign_id, run.number)
    )
    _save(run, "done")
    following = run.number + campaign.lanes
    if following <= campaign.pages:
        job_events.enqueue_pages(
            run.resources.table, run.resources.campaigns, campaign, [following]
        )


def _pause(run: PageRun, reason: str) -> None:
    records.stop(run.resources.table, run.campaign.campaign_id, ["running"], reason)


def _rows(run: PageRun) -> list[Row]:
    """Return the remaining recipients; recipients of a finished page may be deleted already."""
    if run.cursor >= run.page.size:
        return []
    key = recipients.page_key(str(run.campaign.company), run.campaign.campaign_id, run.number)
    return recipients.rows_of_page(run.resources.bucket, key)[run.cursor :]
