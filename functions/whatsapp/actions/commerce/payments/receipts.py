"""Sends messages about a paid order: the receipt, once per order, and changes of its status."""

from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Field

from shared.api.auth import Scope
from shared.api.errors import InvalidInput
from shared.aws.sqs_fifo import digest
from whatsapp import store
from whatsapp.actions.calls import delivery, participants
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.failures import StateConflict
from whatsapp.actions.calls.inputs import Flag, Input, ReferenceId, SendInput, Text
from whatsapp.actions.calls.views import SentMessage
from whatsapp.actions.commerce.payments import owners
from whatsapp.actions.commerce.payments.inputs import Body
from whatsapp.actions.commerce.payments.order_details import amount_text, status_of
from whatsapp.actions.dispatch.registration import Group
from whatsapp.sending.payloads import of_text
from whatsapp.store.items.accounts.tenants import PaymentOrder

PAYMENTS = Group("payments")
_PAID = frozenset({"captured", "partially_refunded"})
_FINAL = frozenset({"completed", "canceled"})


class SendPaymentConfirmation(Input):
    """The payment of an order."""

    payment_id: ReferenceId
    dry_run: Flag = False


class SendOrderStatus(SendInput):
    """The new status of an order that was sent to this customer."""

    reference_id: ReferenceId
    status: Literal[
        "pending", "processing", "shipped", "partially_shipped", "completed", "canceled"
    ] = Field(description="the new status of the order")
    description: Annotated[Text, Field(max_length=120)] | None = None
    body: Body | None = None


@PAYMENTS.changes("remote_eum", Scope.WHATSAPP_PAYMENTS, idempotent=False)
def send_payment_confirmation(call: Call[SendPaymentConfirmation]) -> SentMessage:
    """
    Send the receipt of a captured order, once per order, with any idempotency key.

    Refused with state_conflict before the payment is captured.
    """
    return send(call, owners.order_of(call, call.input.payment_id, "referenceId"))


@PAYMENTS.changes("remote_eum", Scope.WHATSAPP_PAYMENTS, idempotent=False)
def send_order_status(call: Call[SendOrderStatus]) -> SentMessage:
    """Tell the customer an order's new status. A completed or canceled order keeps its status: state_conflict."""
    asked = call.input
    phone = participants.sender_of(call)
    conversation = participants.conversation_of(call, phone)
    order = owners.order_of(call, asked.reference_id)
    if (order.phone, order.customer_phone) != (phone.phone, conversation.from_):
        problem = "is not an order of this number and customer"
        raise InvalidInput([{"field": "referenceId", "problem": problem}])
    if order.order_status in _FINAL and order.order_status != asked.status:
        raise StateConflict(f"referenceId: the order is {order.order_status}")
    draft = status_of(asked.reference_id, asked.status, asked.description, asked.body)
    sent = delivery.send(call, phone, conversation, draft)
    if not asked.dry_run:
        store.payments.show_order_status(call.table, order, asked.status)
    return sent


def send(call: Call[Any], order: PaymentOrder) -> SentMessage:
    """Send the receipt of an order once. Raises StateConflict unless it is paid, and as `delivery.send`."""
    if order.payment_status not in _PAID:
        raise StateConflict(f"the payment is {order.payment_status}, not captured")
    phone = owners.phone_of(call, order)
    # The order is the cause: another call about it sends nothing again.
    once = replace(
        call,
        action="send_payment_confirmation",
        cause=digest("payment confirmation", call.company, order.reference_id),
        input=SendPaymentConfirmation.model_validate(
            {
                "paymentId": order.reference_id,
                "dryRun": bool(getattr(call.input, "dry_run", False)),
            }
        ),
    )
    paid = amount_text(order.total_amount, order.currency)
    text = f"We have received your payment of {paid} for order {order.order_id}. Thank you."
    return delivery.send(once, phone, owners.conversation_of(call, phone, order), of_text(text))
