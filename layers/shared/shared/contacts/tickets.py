"""
Tickets of the help desk beside the contacts of who opened them: by the address that the help desk names as the sender.

The address itself is not stored: a contact has a keyed hash of it, and a ticket its id alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from boto3.dynamodb.conditions import Key

from shared.aws.dynamodb import ConditionFailed
from shared.identity.contacts import resolution
from shared.identity.contacts.claims import Claim, Proof
from shared.identity.contacts.items import TICKET_DAYS, Profile, Ticket
from shared.identity.identifiers import IdentifierKind, identifier
from shared.runtime import clock

if TYPE_CHECKING:
    from shared.aws.dynamodb import Table

MOST_LISTED: Final = 100  # of each contact that was merged


def contact_of(table: Table, company: str, address: str, at_ms: int) -> str:
    """Return the id of the contact with an e-mail address; create it if it is new. Raises as `resolution.resolve`."""
    claim = Claim(identifier(IdentifierKind.EMAIL, address), Proof.PROVIDER)
    return resolution.resolve(table, company, (claim,), at_ms)


def note(
    table: Table,
    company: str,
    contact_id: str,
    ticket_id: str,
    at_ms: int,
    *,
    ttl: int | None = None,
) -> bool:
    """
    Store that a ticket is a contact's, and when it had its newest message; return whether this was new.

    *ttl*: when the item expires; by default after TICKET_DAYS. Safe to repeat, in any order.
    """
    at = clock.to_text(at_ms)
    ticket = Ticket(
        **Ticket.key(company, contact_id, ticket_id),
        company_id=company,
        ticket_id=ticket_id,
        last_activity_at=at,
        ttl=ttl or clock.expires_in(TICKET_DAYS * clock.DAY_SECONDS),
    )
    newest = Ticket.attr("last_activity_at")
    try:
        table.put(ticket.attributes(), when=newest.not_exists() | newest.lt(at))
    except ConditionFailed:
        return False
    return True


def of_person(table: Table, person: Profile) -> list[Ticket]:
    """Return the tickets of a contact and of all contacts merged into it, newest first."""
    found: dict[str, Ticket] = {}
    for contact_id in [person.contact_id, *sorted(person.members)]:
        pk = Profile.key(person.company_id, contact_id)["pk"]
        beside = Key("pk").eq(pk) & Key("sk").begins_with(Ticket.prefix())
        items, _ = table.query(None, beside, limit=MOST_LISTED)
        for one in map(Ticket.read, items):
            if not clock.is_over(one.ttl):
                found[one.ticket_id] = one
    return sorted(found.values(), key=lambda one: (one.last_activity_at, one.sk), reverse=True)


def forget(table: Table, company: str, contact_id: str, ticket_id: str) -> None:
    """Remove a ticket from its contact. Safe to repeat."""
    table.delete(Ticket.key(company, contact_id, ticket_id))
