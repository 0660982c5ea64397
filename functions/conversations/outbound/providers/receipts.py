"""
Shows a customer on WhatsApp that an answer is being written: their message is read, and typing is shown.

A receipt is worth less than the answer: it is tried once, for a second at most, and its failure has no effect. It is
no message: neither the send policy nor the ledger has it, and Meta and AWS charge nothing for it.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from conversations.configuration.projects import WhatsAppChannel
from conversations.outbound.providers.clients import RECEIPT_WITHIN_MS
from shared.providers.outcomes import InDoubt, NotSent, Refused

if TYPE_CHECKING:
    from conversations.lifecycle.conversation import OpenConversation
    from conversations.outbound.providers.gateway import Providers
    from conversations.store.items.log import Message


def show_typing(gateway: Providers, opened: OpenConversation, message: Message) -> None:
    """Mark a received *message* as read and show typing, for 25 seconds or until the answer. Raises nothing."""
    channel = opened.channel
    if not isinstance(channel, WhatsAppChannel) or not channel.can_show_typing:
        return
    phone, received = channel.phone_number_id, message.provider_message_id
    # A message that came over another provider has no id at this one.
    if message.provider != channel.provider:
        return
    if phone is None or received is None:
        return
    with suppress(Refused, NotSent, InDoubt):
        gateway.require_claims(opened)
        receipt = typing_on(received)
        if channel.provider == "aws_social":
            gateway.clients.eum_receipts.post_message(phone, receipt)
        else:
            token = gateway.token(opened, channel)
            gateway.clients.graph.post_message(phone, token, receipt, within_ms=RECEIPT_WITHIN_MS)


def typing_on(message_id: str) -> dict[str, Any]:
    """Return the JSON that marks a message as read and shows typing (Meta, "Typing indicators"). Pure."""
    return {
        "messaging_product": "whatsapp",
        "status": "read",
        "message_id": message_id,
        "typing_indicator": {"type": "text"},
    }
