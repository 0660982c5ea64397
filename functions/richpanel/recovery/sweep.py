"""
Finds open tickets whose changes were missed, as the help desk sends each webhook at most once.

    list of open tickets, last changed first --> changed after it was last processed, and over two minutes ago?
        --> a wake-up event on the queue --> the worker reads the ticket and decides on messages not handled yet

A pass goes back to the start of the last complete pass, and a quarter of an hour further. A run reads ten pages; a pass
that needs more continues in the next run, so that the backlog after an outage is worked off too. Progress is recorded
only after the wake-up events are queued: after a crash the next run reads the same pages again, and a ticket queued
twice is handled once.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from richpanel.clients.calls import BadAnswer
from richpanel.clients.helpdesk import HelpDesk
from richpanel.clients.tickets import Ticket
from richpanel.inbound import wakeups
from richpanel.inbound.channels import Channel
from richpanel.inbound.event import id_or_hash
from richpanel.inbound.wakeups import WakeupEvent
from richpanel.inbound.webhook import EventQueues
from richpanel.store import states
from richpanel.store.items import RESERVED_PREFIXES, ConversationState
from richpanel.store.items import Sweep as Row
from shared.aws.dynamodb import Table
from shared.aws.sqs_fifo import digest
from shared.runtime import clock
from shared.runtime.failures import Permanent, Transient

MOST_PAGES = 10
OVERLAP_MS = 15 * 60 * clock.SECOND_MS
# Time for a webhook call that has not arrived yet.
SETTLED_MS = 120 * clock.SECOND_MS
# The help desk's days may begin up to half a day after UTC days.
DAY_MS = clock.DAY_SECONDS * clock.SECOND_MS
# The remaining time of a run must suffice for one more page.
SPARE_MS = 20 * clock.SECOND_MS


@dataclass(frozen=True, slots=True, kw_only=True)
class Net:
    """Dependencies of the sweep. *channels* maps the help desk's channel names."""

    state: Table
    help_desk: HelpDesk
    queues: EventQueues
    channels: Mapping[str, Channel]


@dataclass(slots=True)
class Swept:
    """Result of one run. *unusable*: tickets whose id is not a valid key, or that have no change time."""

    pages: int = 0
    enqueued: int = 0
    unusable: int = 0
    is_complete: bool = False
    stopped: str | None = None  # reason code of the failure that ended it


def sweep(net: Net) -> Swept:
    """Read up to ten pages. If the help desk or a queue fails, the run ends and the next one continues from there."""
    progress = states.sweep(net.state)
    began_at = (progress and progress.began_at) or clock.to_text(clock.now_ms())
    completed_at = progress.completed_at if progress else None
    since = clock.from_text(completed_at) - OVERLAP_MS if completed_at else 0
    swept, last = Swept(), 1
    try:
        for page in _pages(progress):
            if _is_late(net):
                break
            more = _sweep_page(net, page, since, swept)
            last = page
            if not more:
                states.note_sweep(net.state, began_at)
                swept.is_complete = True
                return swept
    except (Permanent, Transient) as failure:
        swept.stopped = failure.reason
    if last > 1:
        # From the last page again: tickets closed meanwhile have moved others to earlier pages.
        states.note_sweep_page(net.state, began_at, last)
    return swept


def _pages(progress: Row | None) -> list[int]:
    """Return the pages of this run: the first, with the newest changes, and the pages after the last run's end."""
    first = (progress and progress.next_page) or 1
    return list(dict.fromkeys([1, *range(first, first + MOST_PAGES)]))[:MOST_PAGES]


def _sweep_page(net: Net, page: int, since: int, swept: Swept) -> bool:
    """Queue the missed tickets of one page; return whether to read the next page."""
    day = clock.to_text(max(0, since - DAY_MS)).partition("T")[0]
    listed = net.help_desk.tickets(page, day)
    if listed.tickets and all(ticket.updated_at is None for ticket in listed.tickets):
        raise BadAnswer  # Without change times the sweep would find nothing, for ever: raise an alarm.
    usable = [ticket for ticket in listed.tickets if _is_usable(ticket)]
    wakeup_events = _wakeup_events(net, usable)
    wakeups.send(net.queues, wakeup_events)
    swept.pages += 1
    swept.enqueued += len(wakeup_events)
    swept.unusable += len(listed.tickets) - len(usable)
    # Looks at the whole page: the order of the list is poorly documented.
    return listed.has_more and any((ticket.updated_at or 0) >= since for ticket in listed.tickets)


def _wakeup_events(net: Net, tickets: list[Ticket]) -> list[WakeupEvent]:
    known_states = states.conversations(net.state, [ticket.id for ticket in tickets])
    settled = clock.now_ms() - SETTLED_MS
    return [
        WakeupEvent(
            conversation_id=ticket.id,
            channel=net.channels.get(ticket.channel, Channel.UNKNOWN),
            source="sweep",
            deduplication=digest("sweep", ticket.id, str(ticket.updated_at)),
        )
        for ticket in tickets
        if (ticket.updated_at or 0) <= settled and _is_new(ticket, known_states.get(ticket.id))
    ]


def _is_new(ticket: Ticket, state: ConversationState | None) -> bool:
    """Whether a ticket changed after it was last processed. Erased ones never count."""
    if state is None:
        return True
    if state.erased_at:
        return False
    processed = state.last_processed_at
    return processed is None or (ticket.updated_at or 0) > clock.from_text(processed)


def _is_usable(ticket: Ticket) -> bool:
    """Whether the worker could read a ticket by its id, and its change time is known."""
    is_key = id_or_hash(ticket.id) == ticket.id
    is_reserved = ticket.id.lower().startswith(RESERVED_PREFIXES)
    return is_key and not is_reserved and ticket.updated_at is not None


def _is_late(net: Net) -> bool:
    return clock.now_ms() + SPARE_MS > net.help_desk.deadline_ms
