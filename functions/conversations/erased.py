"""What was said to us, or asked of us, before the person whom it is about was erased: it is not taken again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversations.store import erasures
from conversations.store.items import identifiers
from conversations.store.items.log import state_key
from shared import addresses, clock
from shared.addresses import AddressInvalid

if TYPE_CHECKING:
    from collections.abc import Collection

    from conversations.initiation.context_object import ContextObject
    from conversations.initiation.requests import Request
    from shared.aws.dynamodb import Table
    from shared.events import InboundMessage


def was_said_before(
    log: Table, event: InboundMessage, customer: str, companies: Collection[str]
) -> bool:
    """
    Whether a message comes again of somebody who was erased since, at one of the *companies* that it may be for.

    What they write after that is taken as anybody's. One read.
    """
    known = {customer}
    try:
        if event.customer_user_id:
            known.add(addresses.user_id(event.customer_user_id))
    except AddressInvalid:
        pass  # Nobody is known by what is no id.
    people = {(company_id, address) for company_id in companies for address in known}
    message = erasures.of_message(event.provider, event.provider_message_id)
    return erasures.covers(log, people, clock.from_text(event.received_at), [message])


def was_asked_before(log: Table, context: ContextObject, request: Request) -> bool:
    """Whether a request is that of an erased conversation, or older than the erasure of its recipient. One read."""
    data = context.conversation_data
    refs = identifiers.refs_of(data.conversation_id, data.conversation_ref)
    recipient = request.recipient
    known = filter(None, (recipient.tel, recipient.email, recipient.user_id))
    people = {(request.company_id, address) for address in known}
    queued_at = clock.from_text(context.metadata.queued_at)
    return erasures.covers(log, people, queued_at, [state_key(ref) for ref in refs])
