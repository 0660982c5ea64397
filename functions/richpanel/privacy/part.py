"""
The help desk as a part of one request about a person. Its jobs are in no queue: each call makes a turn.

Of a customer it has times of automatic replies, under a keyed hash of an address, for a week. Tickets are known by the
help desk's ids, and hold codes; their places beside the contacts lead to a person's rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from richpanel.guards.customer_hash import can_count, customer_hmac
from richpanel.privacy import tickets
from richpanel.store import states
from richpanel.store.items import CustomerState, PrivacyJob, key_of
from shared.privacy import inventory
from shared.privacy.engine import Engine
from shared.privacy.inventory import Found, Page
from shared.privacy.parts import JobsPart, NameKind
from shared.privacy.remainders import stated
from shared.privacy.requests import Jobs
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from shared.aws.dynamodb import Attributes
    from shared.aws.s3 import Bucket
    from shared.aws.secrets import JsonSecret
    from shared.privacy.inventory import Source
    from shared.privacy.parts import Named

TURN_MS: Final = 3 * clock.SECOND_MS  # the coordinator waits for ten seconds
# The timeout of the worker is 60 s; the rest covers clock skew.
SETTLES_MS: Final = 70 * clock.SECOND_MS
CUSTOMERS, TICKETS = "customers", "tickets"
TICKET: Final = "ticket:"  # before the id of a ticket, in the name of a subject
REMAINDERS: Final = stated(
    kept="""
    tickets, 90 days: states and audit of tickets beside no contact: ids and codes; they are erased by their ids
    events, 30 days: ids, hashes and codes of events and actions, so that nothing is answered twice
    receipts: this job, under a keyed hash of the address
    """,
    outside="""
    queues, 28 days: ids of tickets in queues and dead letters
    help_desk: tickets and the customer's profile at the help desk: erase them there
    providers: logs of the shop's and the model's providers, by their terms
    """,
)


@dataclass(frozen=True)
class Inventory(inventory.Inventory):
    """The row of the customer or ticket of a subject, the audit of a ticket, and its place beside a contact."""

    tables: tickets.Tables
    company: str
    subject: str

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
        """Return the row, if it exists; of an erased ticket it is the tombstone."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class HelpDeskPart(JobsPart[PrivacyJob]):
    """
    A job for each address and ticket.

    *secret*: the help desk's, with the salt of the hashes. *owner*: returns the company of the help desk; None if it is
    every company's.
    """

    secret: JsonSecret
    owner: Callable[[], str | None]

    @classmethod
    def of(
        cls,
        tables: tickets.Tables,
        bucket: Bucket,
        secret: JsonSecret,
        owner: Callable[[], str | None],
    ) -> HelpDeskPart:
        """Return the part over the tables and the bucket of exports."""
        jobs = Jobs(
            item=PrivacyJob,
            table=tables.state,
            bucket=bucket,
            # No id of a company has a tilde.
            exports=lambda company, job_id: f"exports/~help-desk/{company}/{job_id}/",
            lines="help_desk.jsonl",
            remainders=lambda _: REMAINDERS,
        )

        def inventory_of(job: PrivacyJob) -> Inventory:
            return Inventory(tables, job.company_id, str(job.requested_for))

        engine = Engine(
            jobs=jobs, inventory=inventory_of, turn_ms=TURN_MS, settles_ms=lambda _: SETTLES_MS
        )

        def subject_of(name: Named) -> str | None:
            if name.kind is NameKind.TICKET:
                key = tickets.key_of(name.value)
                return f"{TICKET}{key}" if key is not None else None
            is_counted = name.kind is NameKind.EMAIL and can_count(secret)
            return customer_hmac(secret, name.value) if is_counted else None

        return cls(
            context="richpanel",
            jobs=jobs,
            engine=engine,
            subject_of=subject_of,
            secret=secret,
            owner=owner,
        )

    def of_names(self, company: str, names: Sequence[Named], /) -> Sequence[str]:
        """Return tickets, and hashes of addresses if there is a salt; none of another company's customers."""
        is_theirs = self.owner() in {None, company}
        return JobsPart.of_names(self, company, names) if is_theirs else []
