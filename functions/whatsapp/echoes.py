"""What the business itself wrote in its WhatsApp app: outbound messages that Parley did not send."""

from shared.failures import Permanent
from whatsapp import content, handover, identities, media, outbound, statuses
from whatsapp.events import Event
from whatsapp.items import Phone
from whatsapp.outcomes import Outcome
from whatsapp.resources import Resources


def receive(here: Resources, event: Event, phone: Phone) -> Outcome:
    """Store an echo as an outbound message, show it, and fold what is already known of its delivery."""
    known = identities.look_up(here.table, event, phone)
    if known is None:
        raise Permanent("no_receiver")
    described = content.describe(event.payload or {})
    message, outcome = outbound.store_shown(
        here,
        event,
        phone,
        known,
        described,
        origin="app",
    )
    if message.erased:
        return outcome
    statuses.fold_waiting(here, event.id, message)
    if described.media and not message.revoked_at:
        media.request(here, event, phone, described.media, message.pk)
    handover.message(here, event, phone, described, message)
    return outcome
