"""The erasure of a ticket, by its id, and of its place beside the contact of who opened it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from richpanel.inbound.event import id_or_hash
from richpanel.store import audits, states
from richpanel.store.items import RESERVED_PREFIXES
from shared.contacts import tickets as contact_tickets
from shared.runtime import clock

if TYPE_CHECKING:
    from shared.aws.dynamodb import Table

# Longest time until a delivery may repeat: 14 days in a queue, 14 days as a dead letter, and a week.
TOMBSTONE_SECONDS: Final = 35 * clock.DAY_SECONDS


class Tables(NamedTuple):
    """The tables of states, audit and contacts."""

    state: Table
    audit: Table
    contacts: Table


def key_of(ticket_id: str) -> str | None:
    """Return the conversation id of a ticket; None for an id that is reserved for internal rows."""
    conversation_id = id_or_hash(ticket_id)
    return None if conversation_id.lower().startswith(RESERVED_PREFIXES) else conversation_id


def bury(state: Table, conversation_id: str) -> str:
    """Stop all later events of a ticket, and return when they were first stopped. Safe to repeat."""
    stored = states.conversation(state, conversation_id)
    if stored is None or not stored.erased_at:
        contact_id = stored.contact_id if stored else None
        states.replace_with_tombstone(state, conversation_id, TOMBSTONE_SECONDS, contact_id)
        stored = states.conversation(state, conversation_id)
    return (stored and stored.erased_at) or clock.to_text(clock.now_ms())


def erase(tables: Tables, company: str | None, conversation_id: str) -> str:
    """
    Erase a ticket of a company, and return when it was erased first. Safe to repeat, also after a partial failure.

    The tombstone is written before the audit is deleted. Rows of events and actions hold ids, hashes and codes, no
    personal data; they stay until they expire (30 days), so that nothing is answered twice.
    """
    erased_at = bury(tables.state, conversation_id)
    audits.forget(tables.audit, conversation_id)
    stored = states.conversation(tables.state, conversation_id)
    if company and stored and stored.contact_id:
        contact_tickets.forget(tables.contacts, company, stored.contact_id, conversation_id)
    return erased_at
