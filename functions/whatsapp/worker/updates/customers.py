"""
Facts about a customer beside messages, shown on the conversation and stored as received: marketing preferences set in
WhatsApp, and the name in the address book of the business's app.
"""

from collections.abc import Mapping

from shared.runtime import clock
from whatsapp import store
from whatsapp.configuration.resources import Resources
from whatsapp.inbound import senders
from whatsapp.inbound.event import Event, Outcome
from whatsapp.recovery import parking
from whatsapp.store import ordering
from whatsapp.store.items import Phone
from whatsapp.worker import contacts
from whatsapp.worker.messages import intake

# Reports of the app about an entry of its address book. (Meta, "smb_app_state_sync webhook": add, also of edits.)
_IS_SAVED: Mapping[str, bool] = {"add": True, "edit": True, "update": True, "remove": False}
MARKETING = "marketing_messages"
# Whether the customer opted out. (Meta, "user_preferences webhook": stop and resume; signup is not confirmed.)
_IS_OUT: Mapping[str, bool] = {"stop": True, "resume": False, "signup": False}


def note_preference(resources: Resources, event: Event, phone: Phone) -> Outcome:
    """Record the customer's newest choice on the conversation head, even one without messages; store the event."""
    if parking.is_erased(resources, event):
        return Outcome.DUPLICATE
    payload = event.payload or {}
    choice = str(payload.get("value") or "").lower()
    lookup = contacts.look_up(resources.table, event, phone)
    if payload.get("category") == MARKETING and choice in _IS_OUT and lookup is not None:
        at = clock.to_text(ordering.received_at_ms(event.at, 0, event.accepted_at))
        conversation_pk = intake.conversation_pk(phone, lookup.customer.contact_key)
        store.customer_facts.note_marketing_choice(
            resources.table, conversation_pk, at, phone.company, phone.phone, is_out=_IS_OUT[choice]
        )
        contacts.remember(resources, event, lookup.customer, phone)
    return parking.keep(resources, event, phone)


def note_saved_name(resources: Resources, event: Event, phone: Phone) -> Outcome:
    """
    Record the newest name that the business has given the customer, on the conversation head, even one without
    messages; a removed entry has none. Store the event. It proves no number, so no alias is written.

    Raises Erased, as `contacts.look_up`.
    """
    if parking.is_erased(resources, event):
        return Outcome.DUPLICATE
    payload = event.payload or {}
    is_saved = _IS_SAVED.get(str(payload.get("action") or "").lower())
    name = senders.name_of(event.contact) if is_saved else None
    lookup = contacts.look_up(resources.table, event, phone)
    if lookup is not None and (name or is_saved is False):
        at = ordering.received_at(event.at, event.accepted_at, event.place)
        conversation_pk = intake.conversation_pk(phone, lookup.customer.contact_key)
        store.customer_facts.note_saved_name(resources.table, conversation_pk, at, phone, name)
    return parking.keep(resources, event, phone)
