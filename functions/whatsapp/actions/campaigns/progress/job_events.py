"""Queues the work of campaigns as events on their queue, and starts campaigns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shared.aws.sqs_fifo import digest
from shared.aws.sqs_standard import LONGEST_DELAY_SECONDS
from shared.runtime import clock
from whatsapp import store
from whatsapp.inbound.event import CAMPAIGN_CUT, CAMPAIGN_PAGE, Event
from whatsapp.store.campaigns import campaign_turns
from whatsapp.store.campaigns import campaigns as records
from whatsapp.store.items.sending.campaigns import NO_VALID_RECIPIENTS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shared.aws.dynamodb import Table
    from shared.aws.sqs_standard import StandardQueue
    from whatsapp.actions.calls.call import ActionResources
    from whatsapp.store.items import Phone
    from whatsapp.store.items.sending.campaigns import Campaign, CampaignPage

LONGEST_DELAY_MS = LONGEST_DELAY_SECONDS * clock.SECOND_MS


def enqueue_cut(table: Table, queue: StandardQueue, campaign: Campaign) -> None:
    """Let a job read the next part of a campaign's list, unless its event is on the queue."""
    queued = campaign_turns.queue_list(table, campaign.campaign_id)
    if queued is not None:
        _send(table, queue, campaign, [(0, queued)])


def enqueue_pages(
    table: Table, queue: StandardQueue, campaign: Campaign, numbers: Iterable[int]
) -> None:
    """Let jobs process pages, except those that are done, in work, or on the queue."""
    queued = [
        (number, campaign_turns.queue_page(table, campaign.campaign_id, number))
        for number in numbers
    ]
    _send(table, queue, campaign, [(number, page) for number, page in queued if page is not None])


def continue_page(
    resources: ActionResources, campaign: Campaign, number: int, page: CampaignPage, delay_ms: int
) -> None:
    """Enqueue the event of a page's turn that has just begun, after a delay of at most LONGEST_DELAY_MS."""
    _send(resources.table, resources.campaigns, campaign, [(number, page)], delay_ms)


def postpone(resources: ActionResources, campaign: Campaign, event: Event, delay_ms: int) -> None:
    """Enqueue an event again in the next turn, after a delay; nothing if its turn is over."""
    table, number, turn = resources.table, number_of(event), turn_of(event)
    item: Campaign | CampaignPage | None
    if event.kind == CAMPAIGN_CUT:
        item = campaign_turns.postpone_list(table, campaign.campaign_id, turn, delay_ms)
    else:
        item = campaign_turns.postpone_page(table, campaign.campaign_id, number, turn, delay_ms)
    if item is not None:
        _send(table, resources.campaigns, campaign, [(number, item)], delay_ms)


def campaign_of(table: Table, event: Event) -> Campaign | None:
    """Return the campaign of an event, None without one of its number: an id in an event proves no ownership."""
    campaign = records.get(table, str((event.payload or {}).get("campaign")))
    return campaign if campaign is not None and campaign.phone == event.phone else None


def number_of(event: Event) -> int:
    """Return the number of the page that an event is about, 0 for the list."""
    return int((event.payload or {}).get("page", 0))


def turn_of(event: Event) -> int:
    """Return the turn of an event; an event of an earlier release has none, and belongs to the first one."""
    return int((event.payload or {}).get("turn", 0))


def start(resources: ActionResources, campaign: Campaign) -> Campaign | None:
    """
    Start a campaign whose recipients are in pages, or continue a paused one; None if its state forbids it. One without
    a valid recipient is paused instead.

    Safe to repeat: a second start enqueues no page that has an event or a worker.
    """
    return run(resources.table, resources.campaigns, campaign)


def run(table: Table, queue: StandardQueue, campaign: Campaign) -> Campaign | None:
    """As `start`, for the schedule."""
    if campaign.is_all_invalid:
        records.stop(
            table, campaign.campaign_id, ["draft", "scheduled", "paused"], NO_VALID_RECIPIENTS
        )
        return None
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
        stopped_at=None,
    )
    if running is not None:
        # The schedule may have closed it before the change.
        records.open_(table, campaign.campaign_id)
        enqueue_pages(table, queue, running, running.window)
    return running


def _send(
    table: Table,
    queue: StandardQueue,
    campaign: Campaign,
    items: list[tuple[int, Campaign | CampaignPage]],
    delay_ms: int = 0,
) -> None:
    """Enqueue an event for the list, or for each page, by number. After a failure they count as not queued."""
    phone = store.phones.get(table, campaign.phone) if items else None
    if phone is None:
        return
    delay_seconds = -(-delay_ms // clock.SECOND_MS)
    due_ms = clock.now_ms() + delay_seconds * clock.SECOND_MS
    events = [_event(phone, campaign, number, item.turn or 0, due_ms) for number, item in items]
    try:
        queue.send(
            event.entry(
                group=(event.kind, event.id), deduplication=(event.id,), delay_seconds=delay_seconds
            )
            for event in events
        )
    except Exception:
        for _, item in items:
            campaign_turns.forget(table, type(item), item.pk, item.turn or 0)
        raise


def _event(phone: Phone, campaign: Campaign, number: int, turn: int, due_ms: int) -> Event:
    """Return the event of a page, or of the list for 0. It is accepted when its delay ends."""
    kind = CAMPAIGN_PAGE if number else CAMPAIGN_CUT
    return Event(
        kind=kind, id=f"{campaign.campaign_id}#{number}", source="parley", app=phone.app_id or "",
        accepted_at=due_ms, waba=phone.waba_meta_id, phone=phone.phone,
        display_phone=phone.display_phone, field=kind, at=due_ms // clock.SECOND_MS, index=0,
        contact=None, payload={"campaign": campaign.campaign_id, "page": number, "turn": turn},
        hash=digest(campaign.campaign_id, kind, str(number)),
    )  # fmt: skip
