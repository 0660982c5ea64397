"""What the business itself wrote in its WhatsApp app: outbound messages that Parley did not send."""

from shared.failures import Permanent
from whatsapp import content, handover, identities, inbox, media, outbound, statuses
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
    message = inbox.compose(
        here,
        event,
        phone,
        described,
        direction=inbox.OUTBOUND,
        from_=phone.display_phone,
        from_pk=phone.display_phone,
        to=known.customer.contact_key,
        conversation_pk=inbox.conversation_pk(phone, known.customer.contact_key),
        origin="app",
        **outbound.accepted(),
    )
    message = message.model_copy(update={"sent_at": message.received_at})
    message = inbox.with_early_changes(here, message, known.edit)
    message, outcome = inbox.put_once(here, message)
    if message.erased:
        return outcome

    inbox.keep_whole(here, event, message, described)
    inbox.show(here, message, phone)
    identities.remember(here.table, known.customer, phone)
    statuses.fold_waiting(here, event.id, message)
    if described.media and not message.revoked_at:
        media.request(here, event, phone, described.media, message.pk)
    handover.message(here, event, phone, described, message)
    return outcome
