"""Checks that reject messages and requests older than the erasure of their customer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversations.store import erasures
from conversations.store.items import identifiers
from conversations.store.items.parts.state import state_key
from shared.identity import addresses
from shared.identity.addresses import AddressInvalid
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Collection

    from conversations.initiation.context_object import ContextObject
    from conversations.initiation.requests import Request
    from shared.aws.dynamodb import Table
    from shared.events.exchange import InboundMessage


def is_erased_message(
    log: Table, event: InboundMessage, customer: str, companies: Collection[str]
) -> bool:
    """
    Return whether *event* was erased, or predates the customer's erasure at one of the *companies* it may be for.

    Messages written after the erasure are accepted. One read.
    """
    customer_addresses = {customer}
    try:
        if event.customer_user_id:
            customer_addresses.add(addresses.user_id(event.customer_user_id))
    except AddressInvalid:
        pass  # An invalid user id identifies no customer.
    people = {(company_id, address) for company_id in companies for address in customer_addresses}
    message = erasures.of_message(event.provider, event.provider_message_id)
    return erasures.covers(log, people, clock.from_text(event.received_at), [message])


def is_erased_request(log: Table, context: ContextObject, request: Request) -> bool:
    """Return whether the request's conversation was erased, or it predates its recipient's erasure. One read."""
    data = context.conversation_data
    refs = identifiers.refs_of(data.conversation_id, data.conversation_ref)
    recipient = request.recipient
    contacts = filter(None, (recipient.tel, recipient.email, recipient.user_id))
    people = {(request.company_id, address) for address in contacts}
    queued_at = clock.from_text(context.metadata.queued_at)
    return erasures.covers(log, people, queued_at, [state_key(ref) for ref in refs])
