"""Reads a ticket for a replay."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from richpanel.api.access import ApiDependencies, NotFound
from richpanel.api.conversations import unerased_state
from richpanel.clients.helpdesk import HelpDesk
from richpanel.clients.tickets import Ticket
from richpanel.store import events
from richpanel.store.items import ConversationState, Event
from richpanel.store.rate_limit import Priority
from richpanel.worker import turns
from richpanel.worker.turns import Reading
from shared.runtime import clock

MOST_ROWS = 100


class NotSetUp(Exception):
    """No help-desk key is set up, so no ticket can be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TicketSnapshot:
    """A ticket as it was read now. *rows* are the event rows of its newest comments, by key."""

    help_desk: HelpDesk
    ticket: Ticket
    reading: Reading
    read_at: int
    state: ConversationState | None
    rows: Mapping[str, Event]


def read_snapshot(deps: ApiDependencies, conversation_id: str, deadline_ms: int) -> TicketSnapshot:
    """Read the ticket, its state and rows. Raises NotFound, Erased, NotSetUp, Permanent and Transient."""
    state = unerased_state(deps, conversation_id)
    help_desk = deps.help_desk(Priority.BACKGROUND, deadline_ms)
    if help_desk is None:
        raise NotSetUp("the help desk API key is missing")
    ticket = help_desk.ticket(conversation_id)
    if ticket is None:
        raise NotFound("id: ticket not found at the help desk")
    reading = turns.read(conversation_id, ticket, deps.account.robots)
    reading = replace(reading, customer=reading.customer[-MOST_ROWS:])
    return TicketSnapshot(
        help_desk=help_desk,
        ticket=ticket,
        reading=reading,
        read_at=clock.now_ms(),
        state=state,
        rows=events.get_many(deps.idempotency, [comment.key for comment in reading.customer]),
    )
