"""
Opens refunds, asks the provider for them, and settles them by look-ups.

    create_refund    pending      the amount is reserved at the order
    process_refund   processing   one call to the provider, by any number of attempts
    complete_refund  completed    only if a look-up lists it as paid
    fail_refund      failed       unless a look-up lists it; frees the amount
    cancel_refund    cancelled    only while pending; frees the amount
"""

from typing import Any

from shared.api.auth import Scope
from shared.api.cursors import Page
from shared.api.errors import InvalidInput, StillRunning
from shared.runtime import clock
from shared.runtime.failures import Transient
from whatsapp import store
from whatsapp.actions.calls import paging
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.failures import StateConflict
from whatsapp.actions.commerce.payments import owners, states
from whatsapp.actions.commerce.payments.refunds import provider_refunds
from whatsapp.actions.commerce.payments.refunds.inputs import (
    CreateRefund,
    FailRefund,
    GetRefunds,
    OfRefund,
    ProcessRefund,
    ProcessRefundWebhook,
)
from whatsapp.actions.commerce.payments.views import RefundsView, RefundView, refund_view
from whatsapp.actions.dispatch.registration import Group
from whatsapp.sending.failures import ProviderRejected
from whatsapp.store.accounts.orders import refunds
from whatsapp.store.accounts.orders.payments import CAPTURED
from whatsapp.store.items.accounts.tenants import PaymentOrder, Refund
from whatsapp.worker.updates.payments import settlement

REFUNDS = Group("refunds")
_DAYS_IN_LEDGER = 30
_DAY_MS = clock.DAY_SECONDS * clock.SECOND_MS
_LISTED_AFTER_MS = _DAY_MS


@REFUNDS.changes("local", Scope.WHATSAPP_REFUNDS, idempotent=False)
def create_refund(call: Call[CreateRefund]) -> RefundView:
    """
    Open a refund of a captured order and reserve its amount. Nothing is paid yet.

    Refused with state_conflict if the order is not captured, or has less left than the amount.
    """
    asked = call.input
    refund_id = provider_refunds.refund_id_of(call.company, call.cause)

    def create() -> Refund:
        order = owners.order_of(call, asked.payment_id, "referenceId")
        known = refunds.get(call.table, refund_id)
        if known is not None:
            return known
        refund = _opened(call, order, refund_id)
        refunds.create(call.table, order, refund)
        return refund

    return refund_view(refunds.repeated(create))


@REFUNDS.changes("remote_graph", Scope.WHATSAPP_REFUNDS, idempotent=False)
def process_refund(call: Call[ProcessRefund]) -> RefundView:
    """
    Ask the provider for a pending refund, at most once with any idempotency key; it is processing then.

    After a lost answer it stays processing until a look-up lists it. A refund that the provider refuses has failed, and
    its amount is free again.
    """
    refund = owners.refund_of(call, call.input.refund_id)
    _check_is(refund, "pending", "processing")
    if _is_forgotten(refund):
        raise StateConflict("refundId: was requested over 30 days ago; look the payment up")
    order = owners.order_of(call, str(refund.reference_id))
    phone = owners.phone_of(call, order)
    # Before the refund moves, so that a number without access to the provider leaves it pending.
    attempt = provider_refunds.attempt_of(call, phone, order)
    refund = refunds.begin(call.table, refund, call.input.speed, clock.to_text(clock.now_ms()))
    _check_is(refund, "processing")
    try:
        provider_id = provider_refunds.once(call, phone, refund, attempt)
    except ProviderRejected as refusal:
        _released(call, refund, "failed", refusal.code)
        raise
    if provider_id:
        _noted(call, refund, provider_id)
    return refund_view(owners.refund_of(call, refund.refund_id))


@REFUNDS.changes("remote_graph", Scope.WHATSAPP_REFUNDS)
def complete_refund(call: Call[OfRefund]) -> RefundView:
    """Complete a refund that the provider lists as paid. Any other is a state_conflict."""
    return _completed(call, call.input.refund_id)


@REFUNDS.changes("remote_graph", Scope.WHATSAPP_REFUNDS)
def fail_refund(call: Call[FailRefund]) -> RefundView:
    """
    Fail a refund in progress that the provider does not list as paid or pending, and free its amount.

    Refused with state_conflict while the provider may still make it: for a day, if it does not list it at all.
    """
    return _failed(call, call.input.refund_id, call.input.failure_reason)


@REFUNDS.changes("local", Scope.WHATSAPP_REFUNDS)
def cancel_refund(call: Call[OfRefund]) -> RefundView:
    """Cancel a refund that is still pending, and free its amount. A later state is a state_conflict."""
    refund = owners.refund_of(call, call.input.refund_id)
    _check_is(refund, "pending", "cancelled")
    return refund_view(_released(call, refund, "cancelled"))


@REFUNDS.reads("local", Scope.WHATSAPP_REFUNDS)
def get_refund(call: Call[OfRefund]) -> RefundView:
    """Return a refund."""
    return refund_view(owners.refund_of(call, call.input.refund_id))


@REFUNDS.reads("local", Scope.WHATSAPP_REFUNDS)
def get_refunds(call: Call[GetRefunds]) -> Page[RefundsView]:
    """List refunds by order, customer or tenant. A page may have fewer refunds than `limit`."""
    asked = call.input
    found, last = owners.page_of(
        call,
        Refund,
        {
            "order_id": asked.order_id,
            "tenant_id": asked.tenant_id,
            "customer_phone": asked.to,
        },
    )
    shown = [refund_view(one) for one in found]
    return Page(RefundsView(refunds=shown), paging.cursor_of(call, last))


@REFUNDS.changes("remote_graph", Scope.WHATSAPP_REFUNDS)
def process_refund_webhook(call: Call[ProcessRefundWebhook]) -> RefundView:
    """Take a claim about a refund: it is looked up, as `complete_refund` and `fail_refund` do."""
    if call.input.status == "completed":
        return _completed(call, call.input.refund_id)
    return _failed(call, call.input.refund_id, None)


def _opened(call: Call[CreateRefund], order: PaymentOrder, refund_id: str) -> Refund:
    """Return the refund to be opened. Raises StateConflict and InvalidInput."""
    if order.payment_status not in CAPTURED:
        raise StateConflict(f"referenceId: the payment is {order.payment_status}, not captured")
    left = order.total_amount - order.refunded - order.refund_open
    amount = left if call.input.amount is None else call.input.amount
    if call.input.amount == 0:
        raise InvalidInput([{"field": "amount", "problem": "must be more than 0"}])
    if amount < 1 or amount > left:
        raise StateConflict(f"amount: at most {left} can be refunded")
    if len(order.refund_ids) >= refunds.MOST_AN_ORDER:
        raise StateConflict(f"referenceId: has {refunds.MOST_AN_ORDER} refunds")
    return Refund(
        pk=Refund.key(refund_id),
        company=call.company,
        refund_id=refund_id,
        order_id=order.order_id,
        reference_id=order.reference_id,
        tenant_id=order.tenant_id,
        customer_phone=order.customer_phone,
        amount=amount,
        currency=order.currency,
        status="pending",
        reason=call.input.reason,
        created_at=clock.to_text(clock.now_ms()),
    )


def _noted(call: Call[Any], refund: Refund, provider_id: str) -> None:
    """Store the provider's id of a refund, unless a look-up assigned it to another one of the same amount."""

    def note() -> None:
        order = owners.order_of(call, str(refund.reference_id))
        if provider_id not in order.refund_ids:
            refunds.note_provider_id(call.table, order, refund, provider_id)

    refunds.repeated(note)


def _completed(call: Call[Any], refund_id: str) -> RefundView:
    refund = owners.refund_of(call, refund_id)
    if refund.status == "completed":
        return refund_view(refund)
    _check_is(refund, "processing")
    order = owners.order_of(call, str(refund.reference_id))
    payment = states.looked_up(call, order)
    refund = settlement.complete(call.resources, refund, payment)
    if refund.status != "completed":
        raise StateConflict("the provider does not list the refund as paid")
    return refund_view(refund)


def _failed(call: Call[Any], refund_id: str, reason: str | None) -> RefundView:
    refund = owners.refund_of(call, refund_id)
    if refund.status == "failed":
        return refund_view(refund)
    _check_is(refund, "processing")
    _check_attempted(call, refund)
    order = owners.order_of(call, str(refund.reference_id))
    payment = states.looked_up(call, order)
    listed = settlement.listed_refund(order, refund, payment)
    if listed is not None and (listed.is_paid or listed.is_open):
        state = "paid" if listed.is_paid else "pending"
        raise StateConflict(f"the provider lists the refund as {state}")
    if listed is None and _age_ms(refund) < _LISTED_AFTER_MS:
        # It may be listed late: a second refund of the freed amount would pay it twice.
        raise StateConflict("the provider may still list the refund: try again a day after it")
    return refund_view(_released(call, refund, "failed", reason))


def _check_attempted(call: Call[Any], refund: Refund) -> None:
    """Raise unless the provider's call of a refund is over: it could still be made after its amount is free."""
    if _is_forgotten(refund):
        return
    action_id = provider_refunds.caused_by(call, refund).action_id()
    action = call.resources.ledger.action(action_id)
    if action is None or not action.may_have_been_sent:
        raise StateConflict("the refund has not reached the provider: run process_refund again")
    try:
        call.resources.ledger.give_up(action_id)
    except Transient:
        raise StillRunning("the refund is being requested") from None


def _is_forgotten(refund: Refund) -> bool:
    """Whether the ledger may no longer know the call of a refund in progress: it is not made again then."""
    return refund.status == "processing" and _age_ms(refund) >= _DAYS_IN_LEDGER * _DAY_MS


def _age_ms(refund: Refund) -> int:
    """Return the time since a refund was requested."""
    return clock.now_ms() - (clock.from_text(refund.processed_at) if refund.processed_at else 0)


def _released(call: Call[Any], refund: Refund, to: str, reason: str | None = None) -> Refund:
    """End a refund that was not paid and return it. Safe to repeat. Raises StateConflict and Transient."""

    def release() -> None:
        seen = owners.refund_of(call, refund.refund_id)
        if seen.status == to:
            return
        _check_is(seen, "pending" if to == "cancelled" else "processing")
        order = store.payments.get_order(call.table, call.company, str(seen.reference_id))
        if order is None:
            raise Transient("order_vanished")
        at = clock.to_text(clock.now_ms())
        refunds.release(call.table, order, seen, to, at=at, reason=reason)

    refunds.repeated(release)
    return owners.refund_of(call, refund.refund_id)


def _check_is(refund: Refund, *states: str) -> None:
    """Raise StateConflict unless a refund is in one of the states."""
    if refund.status not in states:
        raise StateConflict(f"refundId: the refund is {refund.status}")
