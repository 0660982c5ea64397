"""
Payment reports of the provider for our orders.

A report is never trusted as evidence of payment: it is stored, and its attempt is shown on the order. Only a look-up at
the provider changes the order's state.
"""

from dataclasses import dataclass
from typing import Any

from shared.failures import Permanent
from shared.runtime import clock
from whatsapp import store
from whatsapp.configuration.resources import Resources
from whatsapp.inbound.event import Event, Outcome
from whatsapp.recovery import parking
from whatsapp.store import ordering
from whatsapp.store.items import Phone
from whatsapp.store.items.tenants import PaymentOrder, PaymentTransaction

ATTEMPTS_SHOWN = 20
_LONGEST_WORD = 128


@dataclass(frozen=True, slots=True)
class _Report:
    """A parsed payment status. *amount* is in units of 1/*offset*; None or 0 if not reported."""

    reference: str
    amount: int | None
    offset: int
    currency: str | None
    transaction: dict[str, Any]


def receive(resources: Resources, event: Event, phone: Phone) -> Outcome:
    """
    Store a payment status, and show its attempt on the order if there is one.

    Raises Permanent (`foreign_order`, `amount_mismatch`), leaving the order unchanged.
    """
    report = _report(event.payload or {})
    order = (
        store.payments.get_order(resources.table, report.reference) if report.reference else None
    )
    if order is not None:
        _check(order, report, phone)
        _note(resources, event, order, report)
    return parking.keep(resources, event, phone, "payment")


def _check(order: PaymentOrder, report: _Report, phone: Phone) -> None:
    if (order.company, order.phone or phone.phone) != (phone.company, phone.phone):
        raise Permanent("foreign_order")
    if report.currency and report.currency != order.currency:
        raise Permanent("amount_mismatch")
    # An amount of 0 only means that the provider does not report it in this event.
    amount = report.amount
    if amount and amount * order.amount_offset != order.total_amount * report.offset:
        raise Permanent("amount_mismatch")


def _note(resources: Resources, event: Event, order: PaymentOrder, report: _Report) -> None:
    transaction_id = _word(report.transaction.get("id"))
    if not transaction_id:
        return
    at = clock.to_text(ordering.received_at_ms(event.at, 0, event.accepted_at))
    state = _word(report.transaction.get("status")) or _word((event.payload or {}).get("status"))
    transaction = PaymentTransaction(
        pk=PaymentTransaction.key(order.reference_id, transaction_id),
        company=order.company,
        transaction_id=transaction_id,
        kind=_word(report.transaction.get("type")),
        state=state or "unknown",
        amount=report.amount or None,
        currency=report.currency,
        noted_at=at,
    )
    store.payments.note_transaction(resources.table, transaction)
    shown = _with_attempt(order.transactions, transaction)
    if shown != order.transactions:
        store.payments.show_transactions(resources.table, order, shown)


def _with_attempt(shown: list[dict[str, Any]], new: PaymentTransaction) -> list[dict[str, Any]]:
    """Return the attempts with this one's newest state; the newest twenty, oldest first."""
    entry = {"id": new.transaction_id, "state": new.state, "at": new.noted_at}
    by_id = {str(attempt["id"]): attempt for attempt in shown}
    stored = by_id.get(new.transaction_id)
    if stored is not None and str(stored["at"]) > new.noted_at:
        return shown
    by_id[new.transaction_id] = entry
    newest_last = sorted(by_id.values(), key=lambda item: (str(item["at"]), str(item["id"])))
    return newest_last[-ATTEMPTS_SHOWN:]


def _report(payload: dict[str, Any]) -> _Report:
    """Parse a payment status. (Meta, "Payments API, India": `payment`; not confirmed by traffic of ours.)"""
    payment = _dict(payload.get("payment"))
    amount = _dict(payment.get("amount"))
    transaction = _dict(payment.get("transaction"))
    value, offset = amount.get("value"), amount.get("offset")
    return _Report(
        reference=_word(payment.get("reference_id")) or "",
        amount=value if isinstance(value, int) and not isinstance(value, bool) else None,
        offset=offset if isinstance(offset, int) and offset > 0 else 100,
        currency=_word(payment.get("currency")),
        transaction=transaction,
    )


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _word(value: object) -> str | None:
    is_word = isinstance(value, str) and 0 < len(value) <= _LONGEST_WORD
    return str(value) if is_word else None
