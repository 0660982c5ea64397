"""
Stores the tickets of the help desk beside the contacts of who opened them again, from the states of the tickets.

A state has the contact's id, and no address. So a contact that no conversation proves is created under its id: whole
addresses lead to it, but no search finds it before its address writes a mail or opens another ticket.
"""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Final

from botocore.exceptions import BotoCoreError, ClientError

from operations.contexts.inbox.rebuild import FAILED, UNCHANGED, Run, Scan
from richpanel.store import states
from richpanel.store.items import RESERVED_PREFIXES
from shared.contacts import tickets
from shared.identity.contacts import resolution
from shared.identity.identifiers import IdentifierKind
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shared.aws.dynamodb import Attributes, Table

CONTEXT: Final = "richpanel"
RESTORED, BY_ID = "restored", "restored by id"  # the latter with its contact
ERASED, WITHOUT_CONTACT = "erased", "without contact"
OUTCOMES: Final = (RESTORED, BY_ID, UNCHANGED, ERASED, WITHOUT_CONTACT, FAILED)


def rebuild(run: Run, state: Table, company: str, *, restart: bool = False) -> None:
    """Restore the tickets of a company's help desk. Goes on after an interrupted run, unless *restart*."""
    scan = Scan(
        context=CONTEXT,
        phase="contacts",
        table=state.name,
        references_in=_tickets_in,
        refresh=partial(_restored, state, run.tables.contacts, company),
    )
    run.run(scan, restart=restart)


def _tickets_in(keys: Sequence[Attributes]) -> Iterator[str]:
    ids = (str(key["conversation_id"]) for key in keys)
    return (one for one in ids if not one.startswith(RESERVED_PREFIXES))


def _restored(state: Table, contacts: Table, company: str, ticket_id: str) -> str:
    """Restore a ticket and return the outcome. The state is read now: an erasure may have come since the scan."""
    try:
        stored = states.conversation(state, ticket_id)
        if stored is not None and stored.erased_at:
            return ERASED
        if stored is None or stored.contact_id is None:
            return WITHOUT_CONTACT
        at_ms = clock.from_text(stored.last_processed_message_at or stored.updated_at)
        contact_id, ttl = stored.contact_id, stored.expires_at
        is_created = resolution.restore(contacts, company, contact_id, IdentifierKind.EMAIL, at_ms)
        is_new = tickets.note(contacts, company, contact_id, ticket_id, at_ms, ttl=ttl)
    except (ClientError, BotoCoreError):  # Some of them are ValueErrors.
        raise
    except (TypeError, ValueError) as failure:
        print(f"ticket {ticket_id}: {type(failure).__name__}", file=sys.stderr)
        return FAILED
    return BY_ID if is_created else RESTORED if is_new else UNCHANGED
