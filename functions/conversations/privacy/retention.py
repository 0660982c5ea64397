"""
How long a conversation is kept: `retention_days` of its project after its last turn.

Moved on where less than half of that is left, so that a turn of a busy conversation pays nothing for it. The turn moves
the item, the state, the routes and the place in the open list; the log, which may be long, is moved by a record of its
own. What a turn writes of it can be written again: until the state says so too, it is.
"""

from conversations import commands
from conversations.commands import Lengthen
from conversations.conversation import Opened
from conversations.projects import Company
from conversations.resources import Resources, Run
from conversations.store import messages, placements, routes
from conversations.store.items import identifiers
from conversations.store.items.conversation import ChannelMethod, Conversation
from conversations.store.items.log import State
from shared import clock

# One update takes a few milliseconds: what is left of the time is for the record that goes on.
SPARE_MS = 15 * clock.SECOND_MS


def moved_on(company: Company, conversation: Conversation) -> int | None:
    """The time to live (epoch seconds) that a conversation gets by a turn now; None where it keeps its own."""
    whole = company.retention_days * clock.DAY_SECONDS
    wanted = clock.expires_in(whole)
    has_enough = conversation.ttl is not None and wanted - conversation.ttl <= whole / 2
    return None if has_enough else wanted


def spread(here: Resources, opened: Opened, item: Conversation) -> dict[str, int]:
    """
    Let what a conversation is found by live as long as its item; the marks that say so in the state.

    Nothing, and no call, where the state says so already. Safe to repeat.
    """
    state, ttl = opened.state, item.ttl
    if ttl is None or not _is_shorter(state, ttl):
        return {}
    method, customer = item.channel_method, item.primary_channel
    pair = identifiers.pair(method, state.business_address, customer)
    routes.add(here.log, pair, item.created_at, opened.ref, ttl)
    for address in state.placed_from:
        _keep_placements(here, opened, address, ttl)
    wanted = Lengthen(ref=opened.ref, ttl=ttl)
    here.channels[method].send([commands.entry(wanted, opened.ref, "lengthen", str(ttl))])
    return {"ttl": ttl}


def _keep_placements(here: Resources, opened: Opened, address: str, ttl: int) -> None:
    """What leads from another address of the person lives as long as what leads from the usual one."""
    company_id, item = opened.company.company_id, opened.conversation
    for placement in placements.of_address(here.log, company_id, address):
        if placement.ref == opened.ref:
            longer = placement.model_copy(update={"ttl": ttl})
            placements.put(here.log, company_id, address, longer)
            pair = identifiers.pair(item.channel_method, placement.business_address, address)
            routes.add(here.log, pair, item.created_at, opened.ref, ttl)


def lengthen(here: Resources, wanted: Lengthen, channel: ChannelMethod, run: Run) -> None:
    """Let the log live longer; what there is no time for is another record's. Safe to repeat."""
    for sk, ttl in messages.lifetimes(here.log, wanted.ref, wanted.after):
        if (ttl or 0) < wanted.ttl:
            messages.live_until(here.log, wanted.ref, sk, wanted.ttl)
        if run.remaining_ms() < SPARE_MS:
            rest = wanted.model_copy(update={"after": sk})
            entry = commands.entry(rest, wanted.ref, "lengthen", str(wanted.ttl), sk)
            here.channels[channel].send([entry])
            return


def _is_shorter(state: State, ttl: int) -> bool:
    return state.ttl is None or state.ttl < ttl
