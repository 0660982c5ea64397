"""Access patterns of one-time tickets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shared.access import revocations
from shared.aws.dynamodb import TransactionRefused
from shared.inbox.live.items import CONNECTION_SECONDS, TICKET_SECONDS, Connection, Ticket
from shared.runtime import clock

if TYPE_CHECKING:
    from shared.aws.dynamodb import Table
    from shared.inbox.items import Context
    from shared.inbox.live.posts import Live


def issue(
    table: Table,
    ticket: str,
    *,
    company: str,
    principal: str,
    contexts: set[Context],
    projects: set[str],
    issued_at: int,
) -> Ticket:
    """Store a ticket with what its caller may read, and return it."""
    stored = Ticket(
        **Ticket.key(ticket),
        company=company,
        principal=principal,
        contexts=contexts,
        projects=projects,
        issued_at=issued_at,
        ttl=clock.expires_in(TICKET_SECONDS),
    )
    table.put(stored.attributes())
    return stored


def consume(live: Live, ticket: str, connection_id: str) -> Connection | None:
    """
    Delete a ticket and store the connection that it opens, both or neither; None if it is unknown, expired or used, or
    its caller's access is revoked.

    A crash before the transaction leaves the ticket, one after it a connection that posts find gone.
    """
    table, key = live.table, Ticket.key(ticket)
    item = table.get(key)
    if item is None:
        return None
    held = Ticket.read(item)
    connection = Connection(
        **Connection.key(held.company, connection_id),
        company=held.company,
        principal=held.principal,
        contexts=held.contexts,
        projects=held.projects,
        issued_at=held.issued_at,
        connection_id=connection_id,
        connected_at=clock.now_ms(),
        ttl=clock.expires_in(CONNECTION_SECONDS),
    )
    try:
        table.transact(
            table.to_delete(key, when=Ticket.attr("company").exists()),
            table.to_put(connection.attributes()),
            revocations.to_check(live.keys, held.principal, held.issued_at),
        )
    except TransactionRefused:
        return None
    return connection
