"""The bounds on costs that customers cause in a conversation: turns of the model, fixed texts and files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversations.outbound.unwritable import Unwritable
from conversations.store.items import identifiers
from shared.ai.spending import prices
from shared.ai.spending.bounds import Kind
from shared.ai.spending.budget import REASON, Cause, Reached
from shared.ai.spending.senders import sender_hash

if TYPE_CHECKING:
    from conversations.lifecycle.conversation import OpenConversation
    from shared.ai.spending.budget import Spending


def cause_of(opened: OpenConversation, event: str) -> Cause:
    """
    Return the cause of a cost in a conversation. *event* is the same in each delivery.

    The providers prove numbers; a mail without proof gets no automatic answer. The company knows a customer to whom it
    has written first, or an agent has written.
    """
    begun_by_customer = opened.conversation.request_id.startswith(identifiers.REQUEST_PREFIX)
    company = opened.company.company_id
    return Cause(
        company=company,
        address=opened.state.business_address,
        sender=sender_hash(company, opened.customer),
        event=f"{opened.ref}:{event}",
        is_known=not begun_by_customer,
        is_proven=True,
    )


def reserve_notice(spending: Spending, opened: OpenConversation, turn_id: str) -> None:
    """Reserve a fixed text or a template that a customer's message causes. Raises Unwritable (`spending_limit`)."""
    price = prices.UNITS[Kind.NOTICE]
    if isinstance(spending.reserve(Kind.NOTICE, cause_of(opened, turn_id), price), Reached):
        raise Unwritable(REASON)
