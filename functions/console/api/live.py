"""Issues one-time tickets, each of which opens a WebSocket connection with the caller's rights."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

from console.api.views import LiveTicket
from console.reading_rights import readable
from console.store import tickets
from shared.inbox.live.items import TICKET_SECONDS
from shared.runtime import clock

if TYPE_CHECKING:
    from shared.api.auth import Caller
    from shared.aws.dynamodb import Table

_BYTES = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class TicketDependencies:
    """The live table, and the address of the WebSocket API (wss://...)."""

    table: Table
    live_url: str


def ticket(deps: TicketDependencies, caller: Caller) -> LiveTicket:
    """Issue a ticket to the caller. A repeat issues another one; unused tickets expire."""
    text = secrets.token_urlsafe(_BYTES)
    stored = tickets.issue(
        deps.table,
        text,
        company=caller.company,
        principal=caller.principal,
        contexts=set(readable(caller)),
        projects=set(caller.projects),
        issued_at=caller.issued_at,
    )
    return LiveTicket(
        ticket=text,
        url=deps.live_url,
        expires_in_seconds=TICKET_SECONDS,
        expires_at=clock.to_text(stored.ttl * clock.SECOND_MS),
    )
