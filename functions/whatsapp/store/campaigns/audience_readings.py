"""The reading of a campaign's audience: one worker at a time has it, in its turn, and a person may end it."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from shared.aws.dynamodb import ConditionFailed
from shared.runtime import clock
from whatsapp.store.campaigns import campaign_turns
from whatsapp.store.items import pk
from whatsapp.store.items.sending.campaigns import Campaign

if TYPE_CHECKING:
    from shared.aws.dynamodb import Table

_of = Campaign.attr


def lease(table: Table, seen: Campaign, *, owner: str, turn: int, until: int) -> Campaign | None:
    """
    Give the reading of an audience to a worker in its *turn*; None if another one has it, or all is read.

    The first lease says when the reading began. Safe to repeat with the same *owner*.
    """
    audience, now = seen.audience, clock.now_ms()
    if audience is None or seen.total_recipients is not None:
        return None
    is_held = audience.reader_turn == turn and (audience.reader_until or 0) >= now
    if is_held and audience.reader != owner:
        return None
    mine = {"reader": owner, "reader_turn": turn, "reader_until": until}
    leased = audience.model_copy(
        update={**mine, "at": audience.at or clock.to_text(now)}
    ).as_stored()
    try:
        item = table.update(
            pk(seen.pk),
            put=Campaign.named(audience=leased),
            when=_of("audience").eq(audience.as_stored())
            & _of("total_recipients").not_exists()
            & campaign_turns.is_turn(Campaign, turn),
        )
    except ConditionFailed as refusal:
        existing = refusal.existing or {}
        is_own = existing.get(Campaign.name_of("audience")) == leased  # its response was lost
        return Campaign.read(existing) if is_own else None
    return Campaign.read(item)


def release(table: Table, campaign: str, owner: str) -> None:
    """Let the next attempt have the reading of a worker that has failed, in the same turn."""
    item = table.get(pk(Campaign.key(campaign)))
    audience = Campaign.read(item).audience if item else None
    if audience is None or audience.reader != owner:
        return
    freed = audience.model_copy(update={"reader_until": 0}).as_stored()
    with suppress(ConditionFailed):
        when = _of("audience").eq(audience.as_stored())
        table.update(pk(Campaign.key(campaign)), put=Campaign.named(audience=freed), when=when)


def end(table: Table, seen: Campaign, reason: str | None, by: str) -> Campaign | None:
    """
    Cancel a campaign whose audience is not read, or not to its end; None if more of it was read meanwhile.

    The people who are in its pages are its recipients. *by*: the principal who cancels it. Safe to repeat.
    """
    facts = {
        "total_recipients": seen.rows,
        "status": "completed",
        "outcome": "cancelled",
        "pause_reason": reason,
        "completed_at": seen.completed_at or clock.to_text(clock.now_ms()),
        "cancelled_by": seen.cancelled_by or by,
    }
    try:
        item = table.update(
            pk(seen.pk),
            put=Campaign.named(**{name: one for name, one in facts.items() if one is not None}),
            when=_of("pages").eq(seen.pages)
            & _of("position").eq(seen.position)
            & _of("total_recipients").not_exists()
            & _of("status").is_in(["draft", "scheduled", "paused"]),
        )
    except ConditionFailed:
        return None
    return Campaign.read(item)
