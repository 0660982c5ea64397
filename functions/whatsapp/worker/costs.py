"""The bounds on costs that customers' messages cause at a number: downloads, read receipts, sequences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from shared.ai.spending import prices
from shared.ai.spending.budget import Cause, Reached
from shared.ai.spending.senders import sender_hash

if TYPE_CHECKING:
    from shared.ai.spending.bounds import Kind
    from shared.ai.spending.budget import Spending
    from whatsapp.inbound.event import Event
    from whatsapp.store.items import Phone

SENDER: Final = "sender"  # in the payload of Parley's events: a keyed hash


def sender_of(event: Event, phone: Phone) -> dict[str, str]:
    """Return the sender of a customer's message for the payload of an event that it causes; empty if it has none."""
    payload = event.payload or {}
    digits, user_id = payload.get("from"), payload.get("from_user_id")
    address = f"+{digits}" if digits else str(user_id or "")
    return {SENDER: sender_hash(str(phone.company), address)} if address else {}


def reserve(
    spending: Spending, kind: Kind, phone: Phone, *, sender: str, event: str
) -> Reached | None:
    """Reserve one unit of a cost; return the bound that was reached, if any. Meta proves the senders."""
    cause = Cause(
        company=str(phone.company),
        address=phone.phone,
        sender=sender,
        event=event,
        is_proven=True,
    )
    reserved = spending.reserve(kind, cause, prices.UNITS[kind])
    return reserved if isinstance(reserved, Reached) else None
