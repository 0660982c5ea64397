"""Shows the state of payments: our own, and look-ups at the provider."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal, Self

from pydantic import AliasChoices, Field, model_validator

from shared.api.auth import Scope
from shared.api.cursors import Page
from shared.runtime import clock
from shared.runtime.failures import Permanent
from whatsapp.actions.calls import paging, participants, remote
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.failures import StateConflict
from whatsapp.actions.calls.inputs import (
    Flag,
    Input,
    PageInput,
    PhoneNumber,
    ReferenceId,
    TenantId,
    WabaId,
)
from whatsapp.actions.calls.provider_objects import ProviderPayment
from whatsapp.actions.commerce.payments import owners
from whatsapp.actions.commerce.payments.inputs import OrderId, check_one_of
from whatsapp.actions.commerce.payments.views import OrdersView, OrderView, order_view
from whatsapp.actions.dispatch.registration import Group
from whatsapp.api.queries import NotFound
from whatsapp.inbound.payments import claims
from whatsapp.recovery import parking
from whatsapp.sending.failures import NotConfigured
from whatsapp.store.accounts.orders import payment_lists
from whatsapp.store.items.accounts.tenants import PaymentOrder
from whatsapp.worker.updates.payments import look_up, settlement
from whatsapp.worker.updates.payments.look_up import Payment

PAYMENTS = Group("payments")
EXTRA = Group("payments_extra")


class GetPaymentStatus(Input):
    """`refresh` looks the payment up at the provider."""

    payment_id: ReferenceId | None = None
    order_id: OrderId | None = None
    refresh: Flag = False

    @model_validator(mode="after")
    def _names_one_order(self) -> Self:
        check_one_of(self, "order", "payment_id", "order_id")
        return self


class LookUpPayment(Input):
    """With `apply` the order moves as far as the look-up confirms."""

    reference_id: ReferenceId
    apply: Flag = True


class GetPayments(PageInput):
    """Exactly one of status, to and tenantId; `metaWabaId` leaves out other accounts' numbers."""

    meta_waba_id: WabaId | None = None
    tenant_id: TenantId | None = None
    status: (
        Literal["pending", "authorized", "captured", "partially_refunded", "refunded", "failed"]
        | None
    ) = None
    to: PhoneNumber | None = Field(
        default=None, validation_alias=AliasChoices("to", "customerPhone")
    )

    @model_validator(mode="after")
    def _has_one_filter(self) -> Self:
        check_one_of(self, "filter", "status", "to", "tenant_id")
        return self


@PAYMENTS.changes("remote_graph", Scope.WHATSAPP_PAYMENTS)
def get_payment_status(call: Call[GetPaymentStatus]) -> OrderView:
    """
    Return an order with its payment state. `orderId` finds the newest order with it.

    `refresh` looks the payment up and moves the order forward; a look-up that is not possible is explained in `note`.
    """
    asked = call.input
    if asked.payment_id is not None:
        order = owners.order_of(call, asked.payment_id, "referenceId")
    else:
        order = _newest(call, str(asked.order_id))
    if not asked.refresh:
        return shown(call, order)
    try:
        payment = looked_up(call, order)
    except NotConfigured as reason:
        return shown(call, order, note=str(reason))
    return shown(call, applied(call, order, payment), payment=payment)


@EXTRA.changes("remote_graph", Scope.WHATSAPP_PAYMENTS)
def lookup_payment(call: Call[LookUpPayment]) -> OrderView:
    """Look a payment up at the provider and, with `apply`, move the order and its refunds as far as it confirms."""
    order = owners.order_of(call, call.input.reference_id)
    payment = looked_up(call, order)
    if call.input.apply:
        order = applied(call, order, payment)
    return shown(call, order, payment=payment)


@PAYMENTS.reads("local", Scope.WHATSAPP_PAYMENTS)
def get_payments(call: Call[GetPayments]) -> Page[OrdersView]:
    """List orders by payment status, customer or tenant. A page may have fewer orders than `limit`."""
    asked = call.input
    phones = participants.account_of(call, asked.meta_waba_id) if asked.meta_waba_id else None
    found, last = owners.page_of(
        call,
        PaymentOrder,
        {
            "payment_status": asked.status,
            "tenant_id": asked.tenant_id,
            "customer_phone": asked.to,
        },
    )
    wanted = {phone.phone for phone in phones} if phones is not None else None
    orders = [order_view(one) for one in found if wanted is None or one.phone in wanted]
    return Page(OrdersView(orders=orders), paging.cursor_of(call, last))


def looked_up(call: Call[Any], order: PaymentOrder) -> Payment:
    """Return the provider's answer about an order. Raises NotConfigured, and as all reads of the provider."""
    phone = owners.phone_of(call, order)
    found: list[Payment] = []

    def attempt() -> dict[str, Any]:
        found.append(look_up.look_up(call.resources, phone, order))
        return {}

    try:
        remote.answered(attempt)
    except look_up.NoLookUp as reason:
        raise NotConfigured(str(reason)) from None
    return found[-1]


def applied(
    call: Call[Any],
    order: PaymentOrder,
    payment: Payment,
    claim: Mapping[str, Any] = MappingProxyType({"status": "look_up"}),
) -> PaymentOrder:
    """
    Settle an order by a look-up. *claim*: the claim that caused it.

    Raises StateConflict after another amount or currency; the claim is parked.
    """
    try:
        order = settlement.settle(call.resources, order, payment)
    except Permanent as fault:
        park(call, order, claim)
        raise StateConflict(f"{fault.reason}: it was parked, the order is unchanged") from None
    return settlement.expire(call.resources, order, payment)


def park(call: Call[Any], order: PaymentOrder, claim: Mapping[str, Any]) -> None:
    """Store a claim that does not fit its order, to be looked at by people. Safe to repeat."""
    given = {name: value for name, value in claim.items() if value is not None}
    payload = {
        "company": order.company,
        "reference": order.reference_id,
        "gateway": "caller",
        **given,
    }
    event = claims.event_of(payload, "parley", call.cause, clock.now_ms())
    parking.park(call.resources, event.to_json(), Permanent(settlement.MISMATCH))


def _newest(call: Call[Any], order_id: str) -> PaymentOrder:
    found, _ = payment_lists.page(call.table, PaymentOrder, call.company, ("order_id", order_id))
    if not found:
        raise NotFound("orderId: order not found")
    return found[0]


def shown(
    call: Call[Any], order: PaymentOrder, *, payment: Payment | None = None, note: str | None = None
) -> OrderView:
    """Return the response about an order; a message whose answer was lost is found by its attempt."""
    message_pk = order.message_pk
    if message_pk is None and order.action_id:
        action = call.resources.ledger.action(order.action_id)
        message_pk = action.message_pk if action else None
    answer = ProviderPayment.model_validate(payment.answer) if payment and payment.answer else None
    return order_view(order, message_pk=message_pk, payment=answer, note=note)
