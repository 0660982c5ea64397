"""One turn during processing (`Case`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from richpanel.classification.taxonomy import HANDED_BACK_TAG
from shared.aws.sqs_fifo import digest
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Callable

    from richpanel.clients.helpdesk import HelpDesk
    from richpanel.clients.tickets import Ticket
    from richpanel.decisions.switches import Switches
    from richpanel.inbound.channels import Channel
    from richpanel.store.items import ConversationState, Event
    from richpanel.worker.turns import CustomerComment, CustomerTurn, Reading


class Overtaken(Transient):
    """The conversation's state or the ticket changed since the decision was made: the next delivery decides again."""

    def __init__(self) -> None:
        super().__init__("overtaken")
        self.wait_ms = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """
    A turn with everything that its handling depends on. *event* is its claimed row, *state* the conversation's state
    as read before the turn.

    *ticket* and *reading* are None if the help desk has no such ticket; *read_at* is when it was read (ms since 1970).
    *customer* is the HMAC of the sender's address, None if the address is not proved; *contact_id* is the contact of
    who opened the ticket. *was_closed_by_us*: an earlier run of the same event closed the ticket.
    """

    event: Event
    customer_turn: CustomerTurn
    channel: Channel
    switches: Switches
    state: ConversationState | None
    help_desk: HelpDesk | None
    ticket: Ticket | None
    reading: Reading | None
    read_at: int
    owner: str
    remaining_ms: Callable[[], int]
    customer: str | None = None
    contact_id: str | None = None
    was_closed_by_us: bool = False

    @property
    def conversation_id(self) -> str:
        """The ticket id, which is the conversation id."""
        return self.event.conversation_id

    @property
    def target(self) -> CustomerComment:
        """The comment that the decision is about."""
        return self.customer_turn.target

    @property
    def counted_as(self) -> str:
        """The event's id in the customer's count, hashed: a row shared by several tickets must name none of them."""
        return digest(self.event.event_id)[:16]

    @property
    def is_handed_back(self) -> bool:
        """Whether an agent has marked the ticket as handed back to the automation."""
        if self.help_desk is None or self.ticket is None:
            return False
        return HANDED_BACK_TAG in self.help_desk.tag_names(self.ticket)

    @property
    def may_write(self) -> bool:
        """Whether the help desk may be changed: it is set up, the ticket exists, and dry run is off."""
        return self.help_desk is not None and self.ticket is not None and not self.switches.dry_run
