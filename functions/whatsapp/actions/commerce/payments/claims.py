"""Takes claims of callers about payments: each only causes a look-up, and counts as far as the look-up confirms it."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from shared.api.auth import Scope
from shared.runtime import clock
from whatsapp import store
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.failures import StateConflict
from whatsapp.actions.calls.inputs import (
    Currency,
    Flag,
    Input,
    Money,
    ProviderObject,
    ReferenceId,
    Text,
)
from whatsapp.actions.commerce.payments import owners, receipts, states
from whatsapp.actions.commerce.payments.views import OrderView
from whatsapp.actions.dispatch.registration import Group
from whatsapp.api.queries import NotFound
from whatsapp.sending.failures import PolicyRefused
from whatsapp.store.items.accounts.tenants import PaymentOrder
from whatsapp.worker.updates.payments import settlement
from whatsapp.worker.updates.payments.look_up import Attempt, Payment

PAYMENTS = Group("payments")
type Word = Annotated[Text, Field(max_length=128)]
type Status = Literal["pending", "authorized", "captured", "failed", "refunded"]
# The statuses by which a look-up confirms a claim.
_CONFIRMED = {
    "captured": {"captured", "partially_refunded", "refunded"},
    "refunded": {"partially_refunded", "refunded"},
}


class UpdatePaymentStatus(Input):
    """
    A claim about an order. `providerPaymentId`: the attempt to pay that it is about, shown on the order once the claim
    is confirmed. The provider's data is not stored.
    """

    payment_id: ReferenceId
    status: Status = Field(description="the status that the gateway shows")
    provider_payment_id: Word | None = None
    provider_data: ProviderObject | None = None


class ProcessPaymentWebhook(Input):
    """
    A gateway's event, handed over by an authenticated caller.

    `transactionId`: the attempt to pay, shown on the order once the event is confirmed; `webhookType`: the gateway, or
    its name of the event, stored with the attempt. `errorMessage`: why a payment failed, shown as `failureReason` of an
    order that the look-up reports as failed, unless a reason is known. A parked event has them too.
    """

    reference_id: ReferenceId
    payment_status: Status
    webhook_type: Word | None = None
    transaction_id: Word | None = None
    amount: Money | None = None
    currency: Currency | None = None
    error_message: Annotated[Text, Field(max_length=500)] | None = None
    notify_customer: Flag = False


@PAYMENTS.changes("remote_graph", Scope.WHATSAPP_PAYMENTS)
def update_payment_status(call: Call[UpdatePaymentStatus]) -> OrderView:
    """
    Take a claim about a payment: it is looked up, and the order moves only as far as the look-up confirms.

    A claim that the look-up does not confirm is answered with state_conflict, another amount is parked.
    """
    asked = call.input
    order = owners.order_of(call, asked.payment_id, "referenceId")
    claim = {"status": asked.status, "transactionId": asked.provider_payment_id}
    return _claimed(call, order, claim)


@PAYMENTS.changes("remote_graph", Scope.WHATSAPP_PAYMENTS)
def process_payment_webhook(call: Call[ProcessPaymentWebhook]) -> OrderView:
    """
    Take a gateway's event that the caller received: a claim, which is looked up before anything changes.

    Another amount or currency than the order's is parked as amount_mismatch. `notifyCustomer` sends the receipt of a
    captured order, once; repeat the call if it answers that sending is limited or switched off.
    """
    asked = call.input
    order = owners.order_of(call, asked.reference_id)
    claim = {
        "status": asked.payment_status,
        "gateway": asked.webhook_type,
        "transactionId": asked.transaction_id,
        "amount": asked.amount,
        "currency": asked.currency,
        "errorMessage": asked.error_message,
    }
    is_other_amount = asked.amount not in {None, 0, order.total_amount}
    if is_other_amount or asked.currency not in {None, order.currency}:
        states.park(call, order, claim)
        raise StateConflict("amount_mismatch: the event was parked, the order is unchanged")
    shown = _claimed(call, order, claim)
    if not asked.notify_customer or shown.payment_status != "captured":
        return shown
    try:
        sent = receipts.send(call, owners.order_of(call, asked.reference_id))
    except PolicyRefused as refusal:
        if refusal.concerns_the_number:
            raise
        return _without_receipt(shown, refusal)
    except NotFound as absence:
        return _without_receipt(shown, absence)
    return shown.model_copy(update={"confirmation": sent})


def _without_receipt(shown: OrderView, why: Exception) -> OrderView:
    return shown.model_copy(update={"note": f"the receipt was not sent: {why}"})


def _claimed(call: Call[Any], order: PaymentOrder, claim: Mapping[str, Any]) -> OrderView:
    """
    Settle an order by a look-up that a claim causes. Raises StateConflict if the look-up does not confirm its status.

    The fields of a claim have the names of a gateway's report on the queue (`whatsapp.inbound.payments.claims`).
    """
    payment, status = states.looked_up(call, order), claim["status"]
    after = states.applied(call, order, payment, claim)
    if after.payment_status not in _CONFIRMED.get(status, {status}):
        raise StateConflict(
            f"the provider does not confirm {status}: the payment is {after.payment_status}"
        )
    return states.shown(call, _noted(call, after, payment, claim), payment=payment)


def _noted(
    call: Call[Any], order: PaymentOrder, payment: Payment, claim: Mapping[str, Any]
) -> PaymentOrder:
    """
    Store the details of a confirmed claim: the attempt, unless the look-up has it, and the failure's reason.

    Safe to repeat.
    """
    transaction_id, error = claim["transactionId"], claim.get("errorMessage")
    if transaction_id and transaction_id not in {one.transaction_id for one in payment.attempts}:
        attempt = Attempt(
            transaction_id=transaction_id,
            state=claim["status"],
            kind=claim.get("gateway"),
            amount=claim.get("amount"),
            currency=claim.get("currency"),
        )
        now = clock.to_text(clock.now_ms())
        order = settlement.note(call.resources, order, attempt, now)
    if error and order.payment_status == "failed" and not order.failure_reason:
        order = store.payments.explain_failure(call.table, order, error)
    return order
