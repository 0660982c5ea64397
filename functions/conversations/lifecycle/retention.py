"""
Retention: a conversation is kept for `retention_days` of its project after its last turn.

The time to live is extended when less than half of it is left, so most turns of a busy conversation write nothing. The
turn extends the item, the state, the routes and the open-list entry; the log, which may be long, is extended by a
separate queue record. These writes are idempotent and are repeated until the state has the new `ttl`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversations.store import messages, routes
from conversations.store.items import identifiers
from shared.runtime import clock

if TYPE_CHECKING:
    from conversations.configuration.projects import Company
    from conversations.configuration.resources import Resources, Run
    from conversations.lifecycle.conversation import OpenConversation
    from conversations.lifecycle.records.commands import Lengthen
    from conversations.store.items.conversation import ChannelMethod, Conversation
    from conversations.store.items.parts.state import State

# One update takes a few milliseconds; this reserve is for enqueueing the record that continues.
SPARE_MS = 15 * clock.SECOND_MS


def moved_on(company: Company, conversation: Conversation) -> int | None:
    """Return the extended time to live (epoch seconds) for a turn that happens now; None if it is not extended."""
    whole = company.retention_days * clock.DAY_SECONDS
    expires_at = clock.expires_in(whole)
    has_enough = conversation.ttl is not None and expires_at - conversation.ttl <= whole / 2
    return None if has_enough else expires_at


def spread(resources: Resources, opened: OpenConversation, item: Conversation) -> dict[str, int]:
    """
    Extend routes, placements and log to the `ttl` of *item*; return the state fields that record this.

    Returns {} without any call if the state has this `ttl` already. Idempotent.
    """
    state, ttl = opened.state, item.ttl
    if ttl is None or not _is_shorter(state, ttl):
        return {}
    method, customer = item.channel_method, item.primary_channel
    pair = identifiers.pair(method, state.business_address, customer)
    routes.add(resources.log, pair, item.created_at, opened.ref, ttl)
    for address in state.placed_from:
        _keep_placements(resources, opened, address, ttl)
    from conversations.lifecycle.records import commands  # noqa: PLC0415 - few turns extend the log

    command = commands.Lengthen(ref=opened.ref, ttl=ttl)
    resources.channels[method].send([commands.entry(command, opened.ref, "lengthen", str(ttl))])
    return {"ttl": ttl}


def _keep_placements(
    resources: Resources, opened: OpenConversation, address: str, ttl: int
) -> None:
    """Extend the placements and routes that lead from another address of the person to this conversation."""
    company_id, item = opened.company.company_id, opened.conversation
    for placement in routes.placements(resources.log, company_id, address):
        if placement.ref == opened.ref:
            longer = placement.model_copy(update={"ttl": ttl})
            routes.put_placement(resources.log, company_id, address, longer)
            pair = identifiers.pair(item.channel_method, placement.business_address, address)
            routes.add(resources.log, pair, item.created_at, opened.ref, ttl)


def lengthen(resources: Resources, command: Lengthen, channel: ChannelMethod, run: Run) -> None:
    """Extend the `ttl` of the log items; enqueues a record for the rest when time runs short. Idempotent."""
    from conversations.lifecycle.records import commands  # noqa: PLC0415 - as above

    for sk, ttl in messages.lifetimes(resources.log, command.ref, command.after):
        if (ttl or 0) < command.ttl:
            messages.live_until(resources.log, command.ref, sk, command.ttl)
        if run.remaining_ms() < SPARE_MS:
            rest = command.model_copy(update={"after": sk})
            entry = commands.entry(rest, command.ref, "lengthen", str(command.ttl), sk)
            resources.channels[channel].send([entry])
            return


def _is_shorter(state: State, ttl: int) -> bool:
    return state.ttl is None or state.ttl < ttl
