"""
Settles an order by what the provider says about its payment: look-up, comparison, conditional move.

Neither a webhook nor a caller moves an order. They only cause a look-up, whose answer must have the order's currency
and amount. Used by the worker and by actions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aws_lambda_powertools.metrics import MetricUnit

from shared.runtime import clock
from shared.runtime.failures import Permanent
from shared.runtime.observability import metrics
from whatsapp import store
from whatsapp.store.accounts.orders import payment_lists
from whatsapp.store.accounts.orders import refunds as stored_refunds
from whatsapp.store.items.accounts.tenants import PaymentOrder, PaymentTransaction, Refund
from whatsapp.worker.updates.payments.look_up import PAID

if TYPE_CHECKING:
    from whatsapp.configuration.resources import SendingResources
    from whatsapp.worker.updates.payments.look_up import Attempt, ListedRefund, Payment

MISMATCH = "amount_mismatch"


def settle(resources: SendingResources, order: PaymentOrder, payment: Payment) -> PaymentOrder:
    """
    Move an order as far as a look-up says, with its attempts and refunds, and return it as stored. Safe to repeat.

    Raises Permanent (`amount_mismatch`), leaving the order unchanged, and Transient after concurrent changes.
    """
    check(order, payment)
    at = clock.to_text(clock.now_ms())
    for attempt in payment.attempts:
        order = note(resources, order, attempt, at)
    if payment.status is not None and store.payments.can_move(order.payment_status, payment.status):
        paid = next((a for a in payment.attempts if a.state == PAID), None)
        order = store.payments.move(
            resources.table,
            order,
            payment.status,  # type: ignore[arg-type] # one of _STATES
            at,
            transaction_id=paid.transaction_id if paid else None,
        )
    return settle_refunds(resources, order, payment)


def expire(resources: SendingResources, order: PaymentOrder, payment: Payment) -> PaymentOrder:
    """Fail an order that was not paid in time, by a look-up that was made after its expiry. Safe to repeat."""
    now = clock.to_text(clock.now_ms())
    is_late = order.expires_at is not None and order.expires_at <= now
    if not is_late or payment.status in {"authorized", "captured", None}:
        return order
    return store.payments.move(resources.table, order, "failed", now, failure_reason="expired")


def check(order: PaymentOrder, payment: Payment) -> None:
    """Raise Permanent (`amount_mismatch`) unless a payment has the order's currency and amount."""
    is_paid = payment.status in {"authorized", "captured"}
    # A payment that has not begun may be reported without an amount; one that was made must have it.
    differs = [
        given != ordered
        for given, ordered in (
            (payment.currency, order.currency),
            (payment.amount, order.total_amount),
        )
        if given is not None or is_paid
    ]
    if any(differs):
        metrics.add_metric("PaymentMismatch", MetricUnit.Count, 1)
        raise Permanent(MISMATCH)


def note(
    resources: SendingResources, order: PaymentOrder, attempt: Attempt, at: str
) -> PaymentOrder:
    """Store an attempt to pay, and show it on the order. Writes on change only. Raises Transient when contended."""
    entry = {"id": attempt.transaction_id, "state": attempt.state, "at": at}
    shown = _with_attempt(order.transactions, entry)
    if shown == order.transactions:
        return order
    store.payments.note_transaction(
        resources.table,
        PaymentTransaction(
            pk=PaymentTransaction.of(order, attempt.transaction_id),
            company=order.company,
            transaction_id=attempt.transaction_id,
            kind=attempt.kind,
            state=attempt.state,
            amount=attempt.amount or None,
            currency=attempt.currency,
            noted_at=at,
        ),
    )
    store.payments.show_transactions(resources.table, order, shown)
    return order.model_copy(update={"transactions": shown})


def _with_attempt(shown: list[dict[str, Any]], entry: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the attempts with this one's newest state; the newest twenty, oldest first."""
    by_id = {str(attempt["id"]): attempt for attempt in shown}
    stored = by_id.get(entry["id"])
    is_known = stored is not None and stored["state"] == entry["state"]
    if is_known or (stored is not None and str(stored["at"]) > entry["at"]):
        return shown
    by_id[entry["id"]] = entry
    newest_last = sorted(by_id.values(), key=lambda item: (str(item["at"]), str(item["id"])))
    return newest_last[-store.payments.ATTEMPTS_SHOWN :]


def settle_refunds(
    resources: SendingResources, order: PaymentOrder, payment: Payment
) -> PaymentOrder:
    """Complete the refunds in progress that the provider lists as paid. Safe to repeat."""
    if not order.refund_open or not any(listed.is_paid for listed in payment.refunds):
        return order
    refunds, _ = payment_lists.page(
        resources.table, Refund, str(order.company), ("order_id", order.order_id)
    )
    for refund in sorted(refunds, key=lambda one: one.refund_id):
        if (refund.status, refund.reference_id) == ("processing", order.reference_id):
            complete(resources, refund, payment)
    return (
        store.payments.get_order(resources.table, str(order.company), order.reference_id) or order
    )


def complete(resources: SendingResources, refund: Refund, payment: Payment) -> Refund:
    """
    Complete a refund in progress if the provider lists it as paid; return it as stored. Safe to repeat.

    Raises Transient after repeated concurrent changes.
    """

    def change() -> Refund:
        order = store.payments.get_order(
            resources.table, str(refund.company), str(refund.reference_id)
        )
        seen = stored_refunds.get(resources.table, refund.refund_id) or refund
        listed = listed_refund(order, seen, payment) if order else None
        if order is None or seen.status != "processing" or listed is None or not listed.is_paid:
            return seen
        at = clock.to_text(clock.now_ms())
        stored_refunds.complete(resources.table, order, seen, listed.refund_id, at)
        return seen.model_copy(update={"status": "completed", "processed_at": at})

    return stored_refunds.repeated(change)


def listed_refund(order: PaymentOrder, refund: Refund, payment: Payment) -> ListedRefund | None:
    """
    Return the provider's entry of a refund; None if it lists none.

    A refund whose answer was lost has no id of the provider: it is the paid or open entry of the same amount that
    belongs to no other refund.
    """
    if refund.provider_refund_id:
        found = [one for one in payment.refunds if one.refund_id == refund.provider_refund_id]
        return found[0] if found else None
    free = [
        one
        for one in payment.refunds
        if order.refund_ids.get(one.refund_id, refund.refund_id) == refund.refund_id
        and one.amount == refund.amount
        and (one.is_paid or one.is_open)
    ]
    return next(iter(sorted(free, key=lambda one: (not one.is_paid, one.refund_id))), None)
