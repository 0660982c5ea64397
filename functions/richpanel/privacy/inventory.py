"""
The data of a customer: times of automatic replies, under a keyed hash of an address, for a week; or of a ticket.

Tickets are known by the help desk's ids, and hold codes; their places beside the contacts lead to a person's tickets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from richpanel.privacy import tickets
from richpanel.store import states
from richpanel.store.items import CustomerState, key_of
from shared.privacy.inventory import Found, Page

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from richpanel.privacy.tickets import Tables
    from shared.aws.dynamodb import Attributes
    from shared.aws.s3 import Bucket
    from shared.privacy.exports import ExportFolder
    from shared.privacy.inventory import Source

CUSTOMERS, TICKETS = "customers", "tickets"
TICKET: Final = "ticket:"  # before the id of a ticket, in the name of a subject


@dataclass(frozen=True, slots=True, kw_only=True)
class Inventory:
    """
    The row of the customer or ticket of a subject, the audit of a ticket, and its place beside a contact.

    *exports*: the prefix of the person's exports.
    """

    tables: Tables
    company: str
    bucket: Bucket
    subject: str
    exports: str

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

    def fence(self, source: Source, _start: Attributes | None) -> Page:
        """Stop all later events of a ticket."""
        tickets.bury(self.tables.state, source[1])
        return Page([])

    def page(self, source: Source, _start: Attributes | None) -> Page:
        """Return the row, if it exists; the row of an erased ticket is its tombstone."""
        kind, key = source
        if kind == TICKETS:
            return Page(
                [Found(TICKETS, key)] if states.conversation(self.tables.state, key) else []
            )
        row = states.customer(self.tables.state, key)
        return Page([Found(CUSTOMERS, row.conversation_id)] if row else [])

    def remove(self, found: Found) -> None:
        """Remove the row of a customer, or all of a ticket but its tombstone."""
        if found.kind == TICKETS:
            tickets.erase(self.tables, self.company, found.key)
        else:
            self.tables.state.delete(key_of(CustomerState, found.key))

    def export(self, page: Iterable[Found], _folder: ExportFolder) -> list[dict[str, object]]:
        """Return the row as a line."""
        rows = [
            (found.kind, self.tables.state.get(key_of(CustomerState, found.key))) for found in page
        ]
        return [{"kind": kind, "item": row} for kind, row in rows if row is not None]

    def finish(self) -> None:
        """Delete the exports of the person."""
        for key in self.bucket.all_keys_under(self.exports):
            self.bucket.delete(key)
