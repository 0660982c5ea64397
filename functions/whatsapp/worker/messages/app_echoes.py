"""Messages that the business wrote in its WhatsApp app: outbound messages that Parley did not send."""

from shared.runtime.failures import Permanent
from whatsapp.configuration.resources import Resources
from whatsapp.inbound import content
from whatsapp.inbound.event import Event, Outcome
from whatsapp.store.items import Phone
from whatsapp.worker import contacts
from whatsapp.worker.forwarding import forwarder
from whatsapp.worker.media import downloads
from whatsapp.worker.messages import sent_messages, statuses


def receive(resources: Resources, event: Event, phone: Phone) -> Outcome:
    """Store an echo as an outbound message, show it, and apply the delivery statuses received so far."""
    lookup = contacts.look_up(resources.table, event, phone)
    if lookup is None:
        raise Permanent("no_receiver")
    described = content.describe(event.payload or {})
    message, outcome = sent_messages.store_shown(
        resources,
        event,
        phone,
        lookup,
        described,
        origin="app",
    )
    if message.erased:
        return outcome
    statuses.fold_waiting(resources, event.id, message)
    if described.media and not message.revoked_at:
        downloads.request(resources, event, phone, described.media, message.pk)
        if message.media_id != described.media.media_id:
            downloads.link(resources, phone, message)
    forwarder.message(resources, event, phone, described, message)
    return outcome
