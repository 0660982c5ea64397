"""
Messages that another context of Parley sent from a number of the inbox, announced as `OutboundMessage`.

They are shown as the business's own messages, with their delivery statuses, which may arrive before or after them. The
action id identifies repeated announcements, even under another provider id.
"""

from dataclasses import replace
from functools import cache

from pydantic import TypeAdapter

from shared.events.exchange import OutboundMessage
from shared.identity.addresses import USER_ID_PREFIX
from shared.runtime.failures import Permanent
from whatsapp.configuration.resources import Resources
from whatsapp.inbound import content
from whatsapp.inbound.event import Event, Outcome
from whatsapp.store.items import Message, Phone
from whatsapp.worker import contacts, ownership
from whatsapp.worker.messages import sent_messages, statuses

TEMPLATE = "template"


def receive(resources: Resources, event: Event, phone: Phone) -> Outcome:
    """
    Store and show a sent message, and apply the delivery statuses received so far.

    Raises Permanent (`malformed_event`, `tenant_mismatch`, `no_receiver`, `conflict`).
    """
    sent = _parsed(event)
    ownership.check_announced(sent, phone)
    announced_id = event.id
    message_pk = sent_messages.key_of_action(resources, sent.action_id, announced_id, phone)
    event = _as_echo(event, sent, Message.id_of(message_pk))
    lookup = contacts.look_up(resources.table, event, phone)
    if lookup is None:
        raise Permanent("no_receiver")
    described = content.describe(event.payload or {})
    name = sent.content.get("name") if sent.message_type == TEMPLATE else None
    message, outcome = sent_messages.store_shown(
        resources,
        event,
        phone,
        lookup,
        described,
        action_id=sent.action_id,
        template=name if isinstance(name, str) else None,
    )
    if message.erased:
        return outcome
    for message_id in dict.fromkeys((message.message_id, announced_id)):
        statuses.fold_waiting(resources, message_id, message)
    return outcome


@cache
def _announcements() -> TypeAdapter[OutboundMessage]:
    return TypeAdapter(OutboundMessage)


def _parsed(event: Event) -> OutboundMessage:
    try:
        return _announcements().validate_python(event.payload)
    except ValueError:  # pydantic's error is a ValueError; its text repeats the input
        raise Permanent("malformed_event") from None


def _as_echo(event: Event, sent: OutboundMessage, message_id: str) -> Event:
    """Return the message as the provider's echo of a message that the business wrote in its own app."""
    payload = {
        "to": sent.customer_address,
        "to_user_id": (sent.customer_user_id or "").removeprefix(USER_ID_PREFIX),
        "type": sent.message_type,
        sent.message_type: sent.content,
    }
    return replace(event, kind="echo", id=message_id, payload=payload)
