"""
Turns of campaigns: the events that are on the queue.

    free --queue--> queued --lease--> in work --save as pending, or postpone--> queued, in the next turn
      ^                |
      +--- queued_until passes: the event was lost, or waits for long

A page, or a campaign whose list is read, has one event on the queue: the schedule and a second start find
`queued_until` and enqueue no copy. An event carries its turn. If the schedule replaces an event that was only late, the
first of the two to arrive is processed, which ends their turn, and the other does nothing.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from shared.aws.dynamodb import ConditionFailed
from shared.runtime import clock
from whatsapp.store.items import pk
from whatsapp.store.items.sending.campaigns import Campaign, CampaignPage

if TYPE_CHECKING:
    from boto3.dynamodb.conditions import ConditionBase

    from shared.aws.dynamodb import Attributes, Table

# Longer than the queue hides the event of a killed worker.
QUEUED_MS = 20 * 60 * clock.SECOND_MS
_page = CampaignPage.attr


def queue_page(table: Table, campaign: str, number: int) -> CampaignPage | None:
    """Note that an event of a page is enqueued; None if a worker or an event has the page, or it is done."""
    when = without_worker() & _is_unqueued(CampaignPage)
    put = CampaignPage.named(queued_until=expiry())
    return _changed(table, CampaignPage.of(campaign, number), CampaignPage, put, when)


def queue_list(table: Table, campaign: str) -> Campaign | None:
    """Note that the event that reads a campaign's list or audience is enqueued; None if it is, or need not be."""
    when = _is_read() & _is_unqueued(Campaign)
    put = Campaign.named(queued_until=expiry())
    return _changed(table, Campaign.key(campaign), Campaign, put, when)


def postpone_page(
    table: Table, campaign: str, number: int, turn: int, delay_ms: int
) -> CampaignPage | None:
    """Begin the next turn of a page without a worker, with an event that is delayed; None if *turn* is over."""
    key = CampaignPage.of(campaign, number)
    when = without_worker() & is_turn(CampaignPage, turn)
    return _changed(table, key, CampaignPage, _next(CampaignPage, turn, delay_ms), when)


def postpone_list(table: Table, campaign: str, turn: int, delay_ms: int) -> Campaign | None:
    """The same of a campaign whose list is read."""
    when = _is_read() & is_turn(Campaign, turn)
    return _changed(table, Campaign.key(campaign), Campaign, _next(Campaign, turn, delay_ms), when)


def forget(table: Table, item: type[Campaign | CampaignPage], key: str, turn: int) -> None:
    """Note that the event of a *turn* is not on the queue: the schedule enqueues another one. Safe to repeat."""
    when = is_turn(item, turn) & item.attr("queued_until").exists()
    with suppress(ConditionFailed):
        table.update(pk(key), drop=[item.name_of("queued_until")], when=when)


def expiry(delay_ms: int = 0) -> int:
    """Return until when an event counts as queued that is enqueued now."""
    return clock.now_ms() + delay_ms + QUEUED_MS


def without_worker() -> ConditionBase:
    """Return the condition that a page is not done and no worker has it."""
    expired = _page("state").eq("leased") & _page("lease_until").lt(clock.now_ms())
    return _page("state").eq("pending") | expired


def is_turn(item: type[Campaign | CampaignPage], turn: int) -> ConditionBase:
    """Return the condition that the turn of a page, or of a campaign's list, is *turn*."""
    same = item.attr("turn").eq(turn)
    return same if turn else same | item.attr("turn").not_exists()


def _is_read() -> ConditionBase:
    of_audience = (
        Campaign.attr("audience").exists() & Campaign.attr("total_recipients").not_exists()
    )
    return Campaign.attr("source_key").exists() | of_audience


def _is_unqueued(item: type[Campaign | CampaignPage]) -> ConditionBase:
    queued = item.attr("queued_until")
    return queued.not_exists() | queued.lt(clock.now_ms())


def _next(item: type[Campaign | CampaignPage], turn: int, delay_ms: int) -> Attributes:
    return item.named(turn=turn + 1, queued_until=expiry(delay_ms))


def _changed[T: (Campaign, CampaignPage)](
    table: Table, key: str, item: type[T], put: Attributes, when: ConditionBase
) -> T | None:
    try:
        return item.read(table.update(pk(key), put=put, when=when))
    except ConditionFailed as refusal:
        stored = refusal.existing or {}
        # Our own write, whose response was lost.
        is_own = all(stored.get(name) == value for name, value in put.items())
        return item.read(stored) if is_own else None
