"""
The data of a customer: times of automatic replies, under a keyed hash of an address, for a week; or of a ticket.

Tickets are known by the help desk's ids, and hold codes; their places beside the contacts lead to those of a person.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from richpanel.privacy import tickets
from richpanel.store import states
from richpanel.store.items import CustomerState, key_of
from shared.privacy import inventory
from shared.privacy.inventory import Found, Page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from richpanel.privacy.tickets import Tables
    from shared.aws.dynamodb import Attributes
    from shared.privacy.inventory import Source

CUSTOMERS, TICKETS = "customers", "tickets"
TICKET: Final = "ticket:"  # before the id of a ticket, in the name of a subject


@dataclass(frozen=True)
class Inventory(inventory.Inventory):
    """The row of the customer or ticket of a subject, the audit of a ticket, and its place beside a contact."""

    tables: Tables
    company: str
    subject: str
    exports: str

    @property
    def exported(self) -> list[str]:
        """The exports of the subject."""
        return [self.exports]

    @property
    def fences(self) -> Sequence[Source]:
        """A ticket. The row of a customer is of a message that was handled before: the next one is counted anew."""
        return self.sources if self.subject.startswith(TICKET) else ()

    @property
    def sources(self) -> Sequence[Source]:
        """The customer or the ticket."""
        if self.subject.startswith(TICKET):
            return ((TICKETS, self.subject.removeprefix(TICKET)),)
        return ((CUSTOMERS, self.subject),)

    def fence(self, source: Source, _start: Attributes | None, /) -> Page:
        """Stop all later events of a ticket."""
        tickets.bury(self.tables.state, source[1])
        return Page([])

    def page(self, source: Source, _start: Attributes | None, /) -> Page:
        """Return the row, if it exists; that of a ticket which is erased is its tombstone."""
        kind, key = source
        if kind == TICKETS:
            row = states.conversation(self.tables.state, key)
            return Page([Found(TICKETS, key)] if row else [])
        customer = states.customer(self.tables.state, key)
        return Page([Found(CUSTOMERS, customer.conversation_id)] if customer else [])

    def remove(self, found: Found, /) -> None:
        """Remove the row of a customer, or all of a ticket but its tombstone."""
        if found.kind == TICKETS:
            tickets.erase(self.tables, self.company, found.key)
        else:
            self.tables.state.delete(key_of(CustomerState, found.key))

    def item(self, found: Found, /) -> Attributes | None:
        """Return the row."""
        return self.tables.state.get(key_of(CustomerState, found.key))
