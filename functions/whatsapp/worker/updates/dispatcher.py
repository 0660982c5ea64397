"""Dispatches events other than messages and statuses. Events without a handler are stored as a WEBHOOK_EVENT."""

from collections.abc import Callable, Mapping

from whatsapp.configuration.resources import Resources
from whatsapp.inbound.event import PAYMENT_CLAIM, Event, Outcome
from whatsapp.inbound.owners import Account, Origin
from whatsapp.recovery import parking
from whatsapp.store.items import Phone
from whatsapp.worker.updates import accounts, calls, customers, flows, groups
from whatsapp.worker.updates.payments import configurations
from whatsapp.worker.updates.payments import reports as payments
from whatsapp.worker.updates.templates import reports as templates

_OF_PHONES: Mapping[str, Callable[[Resources, Event, Phone], Outcome]] = {
    "call": calls.receive,
    "group": groups.receive,
    "preference": customers.note_preference,
    "saved_contact": customers.note_saved_name,
    "payment": payments.receive,
    PAYMENT_CLAIM: payments.claim,
}
_OF_ACCOUNTS: Mapping[str, Callable[[Resources, Event, Account], Outcome]] = {
    "template": templates.update,
    "account": accounts.update,
    "flow": flows.note,
    "payment_config": configurations.update,
}


def handle(resources: Resources, event: Event, origin: Origin) -> Outcome:
    """Handle one event of a number or an account. Raises the errors of the handler."""
    if isinstance(origin, Account):
        return _OF_ACCOUNTS.get(event.kind, parking.keep)(resources, event, origin)
    return _OF_PHONES.get(event.kind, parking.keep)(resources, event, origin)
