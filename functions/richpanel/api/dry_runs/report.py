"""
Reports on old tickets: the decision on the first message of each, as at the time when it arrived.

Reads the help desk, and the shop where a decision depends on an order. Writes only the request limit's own counter.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from richpanel.api.access import NothingToDecide
from richpanel.api.dry_runs.dry_run import rehearse
from richpanel.api.dry_runs.ticket_snapshots import TicketSnapshot
from richpanel.clients.helpdesk import HelpDesk
from richpanel.clients.tickets import Ticket, TicketPage
from richpanel.configuration.resources import Sources
from richpanel.decisions.switches import Switches
from richpanel.store.items import DecisionOutcome
from richpanel.worker import turns
from shared.runtime import clock

# Help desks deliver a message within seconds.
DELIVERED_MS = 10 * clock.SECOND_MS
# The lists are filtered by day, and days may begin up to half a day apart.
DAY_MS = clock.DAY_SECONDS * clock.SECOND_MS


@dataclass(frozen=True, slots=True, kw_only=True)
class Reported:
    """A ticket's first message: when it arrived (ISO 8601 UTC), the outcome, and the audit payload of the decision."""

    ticket_id: str
    at: str
    outcome: DecisionOutcome
    decision: dict[str, Any]


def ticket_ids(
    read_page: Callable[[int, str, Literal["OPEN", "CLOSED"]], TicketPage], since_ms: int
) -> Iterator[str]:
    """
    Yield the ids of the tickets changed since a time (ms since 1970): the open ones, then the closed ones.

    *read_page* is `HelpDesk.tickets` of a client that is usable at that time.
    """
    day = clock.to_text(max(0, since_ms - DAY_MS)).partition("T")[0]
    seen: set[str] = set()
    statuses: tuple[Literal["OPEN"], Literal["CLOSED"]] = ("OPEN", "CLOSED")
    for status in statuses:
        page, has_more = 1, True
        while has_more:
            listed = read_page(page, day, status)
            found = [ticket for ticket in listed.tickets if (ticket.updated_at or 0) >= since_ms]
            yield from (ticket.id for ticket in found if ticket.id not in seen)
            seen.update(ticket.id for ticket in found)
            page, has_more = page + 1, listed.has_more and bool(found)


def report(
    deps: Sources, help_desk: HelpDesk, ticket_id: str, switches: Switches, since_ms: int
) -> Reported | None:
    """
    Decide on a ticket's first message; None if it has none, or only one from before *since_ms*.

    Raises Permanent and Transient.
    """
    ticket = help_desk.ticket(ticket_id)
    if ticket is None:
        return None
    reading = turns.read(ticket.id, ticket, deps.account.robots)
    if not reading.customer or reading.customer[0].at_ms < since_ms:
        return None
    first = reading.customer[0]
    snapshot = TicketSnapshot(
        help_desk=help_desk,
        ticket=_as_at(ticket, first.at_ms),
        reading=turns.read(ticket.id, _as_at(ticket, first.at_ms), deps.account.robots),
        read_at=first.at_ms,
        state=None,
        rows={},
    )
    try:
        rehearsed = rehearse(deps, snapshot, switches, at_ms=first.at_ms + DELIVERED_MS)
    except NothingToDecide:
        return None
    return Reported(
        ticket_id=ticket.id,
        at=clock.to_text(first.at_ms),
        outcome=rehearsed.outcome,
        decision=rehearsed.payload,
    )


def _as_at(ticket: Ticket, at_ms: int) -> Ticket:
    """Return the ticket as it was when the message of this time arrived: open, unassigned, without later comments."""
    before = [comment for comment in ticket.in_order if (comment.created_at or 0) <= at_ms]
    changes = {"comments": before, "status": "OPEN", "assignee_id": None, "tags": []}
    return ticket.model_copy(update=changes)
