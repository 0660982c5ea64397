"""
Payment reports for our orders: of the provider, of gateways, and the schedule's own checks.

A report is never evidence of payment: it causes a look-up at the provider, which alone changes the order's state.
"""

from aws_lambda_powertools.metrics import MetricUnit

from shared.providers.outcomes import InDoubt, NotSent, Refused
from shared.runtime import clock
from shared.runtime.failures import Permanent, Transient
from shared.runtime.observability import metrics
from whatsapp import store
from whatsapp.configuration.resources import Resources
from whatsapp.inbound.event import Event, Outcome
from whatsapp.recovery import parking
from whatsapp.store import ordering
from whatsapp.store.items import Phone
from whatsapp.store.items.accounts.tenants import PaymentOrder
from whatsapp.worker.updates.payments import look_up, settlement
from whatsapp.worker.updates.payments.look_up import Attempt


def receive(resources: Resources, event: Event, phone: Phone) -> Outcome:
    """
    Store a payment status of the provider, show its attempt on the order, and settle the order by a look-up.

    Raises Permanent (`foreign_order`, `amount_mismatch`), leaving the order unchanged, and Transient while the provider
    does not answer.
    """
    payload = event.payload or {}
    payment = _part(payload, "payment")
    reference = _word(payment.get("reference_id"))
    order = (
        store.payments.get_order(resources.table, phone.company, reference) if reference else None
    )
    if order is not None:
        _check_owner(order, phone)
        transaction, amount = _part(payment, "transaction"), _part(payment, "amount")
        attempt = Attempt(
            transaction_id=_word(transaction.get("id")) or "",
            state=_word(transaction.get("status")) or _word(payload.get("status")) or "unknown",
            kind=_word(transaction.get("type")),
            amount=_whole(amount.get("value")),
            currency=_word(payment.get("currency")),
        )
        order = _noted(resources, event, order, attempt, _whole(amount.get("offset")))
        _settle(resources, order, phone)
    return parking.keep(resources, event, phone, "payment")


def claim(resources: Resources, event: Event, phone: Phone) -> Outcome:
    """
    Settle an order that a gateway reported, or whose check is due. Raises as `receive`.

    The attempt in a gateway's report is noted under the gateway's name.
    """
    payload = event.payload or {}
    order = store.payments.get_order(resources.table, phone.company, str(payload.get("reference")))
    if order is None:
        raise Permanent("unknown_order")
    _check_owner(order, phone)
    attempt = Attempt(
        transaction_id=_word(payload.get("transactionId")) or "",
        state=_word(payload.get("status")) or "unknown",
        kind=_word(payload.get("gateway")),
        amount=_whole(payload.get("amount")),
        currency=_word(payload.get("currency")),
    )
    order = _noted(resources, event, order, attempt)
    after = _settle(resources, order, phone)
    is_moved = after.payment_status != order.payment_status or after.refunded != order.refunded
    return Outcome.PERSISTED if is_moved else Outcome.DUPLICATE


def _settle(resources: Resources, order: PaymentOrder, phone: Phone) -> PaymentOrder:
    """Return the order after a look-up; unchanged if the payment cannot be looked up. Raises as `receive`."""
    try:
        payment = look_up.look_up(resources, phone, order)
    except look_up.NoLookUp:
        return order
    except Refused:
        metrics.add_metric("PaymentLookUpRefused", MetricUnit.Count, 1)
        return order
    except (NotSent, InDoubt):
        raise Transient("payment_not_looked_up") from None
    order = settlement.settle(resources, order, payment)
    return settlement.expire(resources, order, payment)


def _check_owner(order: PaymentOrder, phone: Phone) -> None:
    if (order.company, order.phone or phone.phone) != (phone.company, phone.phone):
        raise Permanent("foreign_order")


def _noted(
    resources: Resources,
    event: Event,
    order: PaymentOrder,
    attempt: Attempt,
    offset: int | None = None,
) -> PaymentOrder:
    """
    Store a reported attempt, if it has an id, and return the order. *offset*: the units of its amount, 100 if absent.

    Raises Permanent (`amount_mismatch`) for another amount or currency; 0 only means that it is not reported.
    """
    is_other_currency = attempt.currency and attempt.currency != order.currency
    value = attempt.amount
    if is_other_currency or (
        value and value * order.amount_offset != order.total_amount * (offset or 100)
    ):
        raise Permanent(settlement.MISMATCH)
    if not attempt.transaction_id:
        return order
    at = clock.to_text(ordering.received_at_ms(event.at, 0, event.accepted_at))
    return settlement.note(resources, order, attempt, at)


def _part(payload: dict[str, object], name: str) -> dict[str, object]:
    """Return an object inside a payment status. (Meta, "Payments API, India"; not confirmed by live traffic.)"""
    value = payload.get(name)
    return value if isinstance(value, dict) else {}


def _word(value: object) -> str | None:
    is_word = isinstance(value, str) and 0 < len(value) <= 128  # noqa: PLR2004 - longest word that is kept
    return str(value) if is_word else None


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
