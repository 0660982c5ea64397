"""
Resolves the owner of an event: the registered number it names or, for account-level events, that account.

This is the only source of company and tenant; no payload field determines them.
"""

from dataclasses import dataclass

from shared.runtime.failures import Permanent
from whatsapp import store
from whatsapp.configuration.resources import SendingResources
from whatsapp.inbound.event import OUTBOUND, PAYMENT_CLAIM, UNFINISHED_SEND, Event
from whatsapp.store.items import Phone

# Event kinds that have no owner without a number.
OF_A_PHONE = frozenset(
    {"message", "echo", "status", "identity", "media", "receipt", "payment", "call", "history", "preference",
     UNFINISHED_SEND}
)  # fmt: skip


_LONGEST_REFERENCE = 128


@dataclass(frozen=True, slots=True)
class Account:
    """A WhatsApp Business Account, with the numbers for which the event's sender is trusted."""

    waba: str  # Meta's id
    company: str
    phones: tuple[Phone, ...]  # at least one

    def number_with(self, display_phone: object) -> Phone | None:
        """Return its number with these digits, in any spelling; None if no such number is registered."""
        return next((phone for phone in self.phones if phone.has_number(display_phone)), None)


type Origin = Phone | Account


class NoOwner(Permanent):
    """No registered number or account of the sender owns the event."""


def origin_of(resources: SendingResources, event: Event) -> Origin:
    """
    Return the number or account of an event.

    Raises NoOwner: `unknown_phone`, `unknown_account` or `unknown_order`, `ambiguous_phone`, `ambiguous_order`,
    `phone_disabled`, `app_mismatch`, `company_mismatch` for a number of another company, and `malformed` for a body
    without events. All except `malformed` can be replayed once the number is registered.
    """
    if event.kind == "malformed":
        raise NoOwner("malformed")
    if event.kind == OUTBOUND:
        return _sender_of(resources, event)
    if event.kind == PAYMENT_CLAIM:
        return _seller_of(resources, event)
    if event.phone or event.kind in OF_A_PHONE:
        phone = store.phones.get(resources.table, event.phone)
        return _trusted([phone] if phone else [], event, "unknown_phone")[0]
    phones = store.phones.of_account(resources.table, event.waba) if event.waba else []
    trusted = _trusted(phones, event, "unknown_account")
    return Account(event.waba, str(trusted[0].company), tuple(trusted))


def _sender_of(resources: SendingResources, event: Event) -> Phone:
    """Return the number that sent another context's message, identified by any of its ids."""
    company = str((event.payload or {}).get("company", ""))
    named = store.phones.get(resources.table, event.phone)
    if not company or (named is not None and named.company != company):
        raise NoOwner("company_mismatch")
    found = store.phones.addressed(resources.table, company, event.phone, event.waba)
    phones = _trusted(found, event, "unknown_phone")
    if len(phones) > 1:
        raise NoOwner("ambiguous_phone")
    return phones[0]


def _seller_of(resources: SendingResources, event: Event) -> Phone:
    """
    Return the number that sent the order of a payment. Gateways name no company: if two have an order of the reference,
    the report is parked, and the schedule's own check settles each order.
    """
    payload = event.payload or {}
    reference, company = payload.get("reference"), payload.get("company")
    is_text = isinstance(reference, str) and 0 < len(reference) <= _LONGEST_REFERENCE
    try:
        if is_text and isinstance(company, str) and company:
            order = store.payments.get_order(resources.table, company, str(reference))
        else:
            order = store.payments.only_order(resources.table, str(reference)) if is_text else None
    except store.payments.Ambiguous:
        raise NoOwner("ambiguous_order") from None
    if order is None or order.phone is None:
        raise NoOwner("unknown_order")
    phone = store.phones.get(resources.table, order.phone)
    return _trusted([phone] if phone else [], event, "unknown_phone")[0]


def _trusted(phones: list[Phone], event: Event, unknown_reason: str) -> list[Phone]:
    """Return the numbers in use that the event's sender is trusted for. Raises NoOwner."""
    if not phones:
        raise NoOwner(unknown_reason)
    in_use = [phone for phone in phones if phone.in_use]
    if not in_use:
        raise NoOwner("phone_disabled")
    trusted = [phone for phone in in_use if _is_trusted_for(phone, event)]
    if not trusted:
        raise NoOwner("app_mismatch")
    return trusted


def _is_trusted_for(phone: Phone, event: Event) -> bool:
    """Whether the event's source proves that it concerns this number."""
    if event.source == "meta":
        return event.app == phone.app_id  # signed by the app that the number is registered with
    if event.source == "eum":
        # AWS reports about numbers linked to it, each in an entry of the number's account.
        return phone.aws_phone is not None and event.waba == phone.waba_meta_id
    return True
