"""The contact of the customer who opened a ticket. Its failure holds no ticket back for long."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aws_lambda_powertools.metrics import MetricUnit
from botocore.exceptions import BotoCoreError, ClientError

from richpanel.worker.cases import decisions
from shared.runtime.failures import Transient
from shared.runtime.observability import logger, metrics

if TYPE_CHECKING:
    from richpanel.clients.tickets import Ticket
    from richpanel.configuration.resources import Resources
    from richpanel.store.items import ConversationState
    from richpanel.worker.turns import CustomerComment


def noted(
    resources: Resources,
    conversation_id: str,
    ticket: Ticket | None,
    target: CustomerComment,
    state: ConversationState | None,
    *,
    is_needed: bool,
) -> str | None:
    """
    Store that a ticket is the contact's whose address has sent a message of it, and return the id of the contact.

    Without a proved address, or a company of the help desk, it is the contact that is known already; also after
    a failure, unless it *is_needed*: the next message tries again.
    """
    from shared.contacts import tickets  # noqa: PLC0415 - events of handled messages have no turn

    known = state.contact_id if state else None
    company = resources.account.company
    address = decisions.sender_of(ticket, target) if ticket else None
    if company is None or address is None:
        return known
    table = resources.contacts
    try:
        contact_id = known or tickets.contact_of(table, company, address, target.at_ms)
        tickets.note(table, company, contact_id, conversation_id, target.at_ms)
    except (Transient, BotoCoreError, ClientError) as failure:
        if is_needed:
            raise
        metrics.add_metric("TicketWithoutContact", MetricUnit.Count, 1)
        logger.warning("ticket without contact", extra={"reason": type(failure).__name__})
        return known
    return contact_id
