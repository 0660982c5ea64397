"""Queues the work of campaigns as events on the queue of jobs, and starts campaigns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shared.aws.sqs_fifo import digest
from shared.runtime import clock
from whatsapp import store
from whatsapp.inbound.event import CAMPAIGN_CUT, CAMPAIGN_PAGE, Event
from whatsapp.store.sending import campaigns as records

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shared.aws.dynamodb import Table
    from shared.aws.sqs_standard import StandardQueue
    from whatsapp.actions.calls.call import ActionResources
    from whatsapp.store.items import Phone
    from whatsapp.store.items.campaigns import Campaign


def enqueue_cut(resources: ActionResources, campaign: Campaign) -> None:
    """Let a job read the next part of a campaign's list."""
    send(resources.table, resources.jobs, campaign, CAMPAIGN_CUT, [0])


def enqueue_pages(resources: ActionResources, campaign: Campaign, numbers: Iterable[int]) -> None:
    """Let jobs process pages; a page that is done, or in work, is left as it is."""
    send(resources.table, resources.jobs, campaign, CAMPAIGN_PAGE, numbers)


def start(resources: ActionResources, campaign: Campaign) -> Campaign | None:
    """
    Start a campaign whose recipients are in pages, or continue a paused one; None if its state forbids it.

    Safe to repeat: a second start enqueues pages that are already in work.
    """
    return run(resources.table, resources.jobs, campaign)


def run(table: Table, jobs: StandardQueue, campaign: Campaign) -> Campaign | None:
    """As `start`, for the schedule."""
    records.open_(table, campaign.campaign_id)
    now = clock.to_text(clock.now_ms())
    goes_on = campaign.status == "running"
    running = records.change(
        table,
        campaign.campaign_id,
        ["draft", "scheduled", "paused", "running"],
        status="running",
        started_at=campaign.started_at or now,
        running_since=(campaign.running_since if goes_on else None) or now,
        pause_reason=None,
    )
    if running is not None:
        records.open_(
            table, campaign.campaign_id
        )  # The schedule may have closed it before the change.
        first = running.open_from
        send(
            table,
            jobs,
            running,
            CAMPAIGN_PAGE,
            range(first, min(first + running.lanes, running.pages + 1)),
        )
    return running


def send(
    table: Table, jobs: StandardQueue, campaign: Campaign, kind: str, numbers: Iterable[int]
) -> None:
    """Enqueue one event per page."""
    phone = store.phones.get(table, campaign.phone)
    if phone is None:
        return
    events = [_event(phone, campaign, kind, number) for number in numbers]
    if events:
        jobs.send(
            [event.entry(group=(kind, event.id), deduplication=(event.id,)) for event in events]
        )


def _event(phone: Phone, campaign: Campaign, kind: str, number: int) -> Event:
    now_ms = clock.now_ms()
    return Event(
        kind=kind, id=f"{campaign.campaign_id}#{number}", source="parley", app=phone.app_id or "",
        accepted_at=now_ms, waba=phone.waba_meta_id, phone=phone.phone,
        display_phone=phone.display_phone, field=kind, at=now_ms // clock.SECOND_MS, index=0,
        contact=None, payload={"campaign": campaign.campaign_id, "page": number},
        hash=digest(campaign.campaign_id, kind, str(number)),
    )  # fmt: skip
