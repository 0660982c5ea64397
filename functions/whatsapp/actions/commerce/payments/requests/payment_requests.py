"""Sends orders that customers pay in WhatsApp."""

import re
from dataclasses import replace
from functools import partial
from typing import Any

from shared.api.auth import Scope
from shared.api.errors import InvalidInput
from shared.aws.sqs_fifo import digest
from whatsapp.actions.calls import participants
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.views import SentMessage
from whatsapp.actions.commerce.payments import owners, receipts
from whatsapp.actions.commerce.payments.inputs import OrderInput, OrderItem
from whatsapp.actions.commerce.payments.order_details import (
    Checkout,
    check_currency,
    link_settings,
    message_of,
    settings_of,
    subtotal_of,
    template_of,
    totals_of,
)
from whatsapp.actions.commerce.payments.requests import checkouts
from whatsapp.actions.commerce.payments.requests.inputs import (
    CreatePaymentRequest,
    SendCheckoutTemplate,
    SendOrderDetails,
    SendOrderOfTenant,
    SendPaymentOrder,
)
from whatsapp.actions.dispatch.registration import Group
from whatsapp.actions.messages.provider_files import check_files, check_named
from whatsapp.actions.templates.sending import sends, slots
from whatsapp.actions.templates.sending.slots import Given
from whatsapp.sending.drafts import UsedTemplate

PAYMENTS = Group("payments")
LEGACY = Group("legacy")
_NOT_IN_A_REFERENCE = re.compile(r"[^A-Za-z0-9._-]")


@PAYMENTS.changes("remote_eum", Scope.WHATSAPP_PAYMENTS, idempotent=False)
def create_payment_request(call: Call[CreatePaymentRequest]) -> SentMessage:
    """Send an order of one line, with a reference made from the order id. It is paid once a look-up confirms it."""
    asked = call.input
    check_currency(asked.currency)
    phone = participants.sender_of(call)
    gateway = asked.provider.casefold() if asked.provider else None
    config = checkouts.config_for(
        call, phone, name=asked.config_name, tenant_id=None, gateway=gateway
    )
    item = OrderItem.model_validate(
        {
            "retailerId": asked.order_id,
            "name": asked.description or f"Order {asked.order_id}"[:60],
            "amount": asked.amount,
            "quantity": 1,
        }
    )
    reference = reference_of(call.company, asked.order_id)
    checkout = _checkout(reference, _of_items([item]), asked.amount, "amount")
    checkout = replace(checkout, settings=settings_of(config, reference))
    return checkouts.send(
        call,
        phone,
        participants.conversation_of(call, phone),
        checkout,
        partial(message_of, body=asked.description),
        seconds=None,
        config=config,
        order_id=asked.order_id,
    )


@PAYMENTS.changes("remote_eum", Scope.WHATSAPP_PAYMENTS, idempotent=False)
def send_payment_order(call: Call[SendPaymentOrder]) -> SentMessage:
    """
    Send an order that the customer pays. The sums must add up; a reference is used for one order only.

    An order with a UPI link has no configuration, so its payment cannot be looked up.
    """
    asked = call.input
    check_currency(asked.currency)
    _check_reference(asked.order, asked.reference_id)
    checkout = _checkout(asked.reference_id, asked.order, asked.total_amount)
    phone = participants.sender_of(call)
    if asked.header_image_id is not None:
        check_named(call, asked.header_image_id, "image", "headerMediaId", phone)
    config = None
    if asked.upi_intent_link:
        if asked.tenant_id:
            owners.tenant_of(call, asked.tenant_id)
        settings = link_settings(asked.upi_intent_link)
    else:
        gateway = asked.payment_type.removeprefix("PG_").casefold() if asked.payment_type else None
        config = checkouts.config_for(
            call,
            phone,
            name=asked.payment_configuration_name,
            tenant_id=asked.tenant_id,
            gateway=gateway,
        )
        settings = settings_of(config, asked.reference_id)
    checkout = replace(
        checkout, settings=settings, goods=asked.goods_type, beneficiary=asked.beneficiary
    )
    return checkouts.send(
        call,
        phone,
        participants.conversation_of(call, phone),
        checkout,
        partial(
            message_of, body=asked.body, footer=asked.footer, header_image=asked.header_image_id
        ),
        seconds=asked.expiration_seconds,
        config=config,
    )


@LEGACY.changes("remote_eum", Scope.WHATSAPP_PAYMENTS, idempotent=False)
def send_order_details(call: Call[SendOrderDetails]) -> SentMessage:
    """
    Send an order given as flat fields, as `send_payment_order` does.

    `paymentStatus` captured sends the receipt of an order that is captured already; other values are ignored.
    """
    asked = call.input
    check_currency(asked.currency)
    if asked.payment_status == "captured":
        return receipts.send(call, owners.order_of(call, asked.reference_id))
    given = _of_items(asked.items).model_copy(
        update={
            "tax": asked.tax or 0,
            "shipping": asked.shipping,
            "discount": asked.discount,
            "catalog_id": asked.catalog_id,
        }
    )
    if asked.subtotal is not None:
        given = given.model_copy(update={"subtotal": asked.subtotal})
    checkout = _checkout(asked.reference_id, given, asked.total, "total")
    phone = participants.sender_of(call)
    config = checkouts.config_for(
        call, phone, name=asked.config_name, tenant_id=asked.tenant_id, gateway=None
    )
    checkout = replace(
        checkout, settings=settings_of(config, asked.reference_id), goods=asked.order_type
    )
    return checkouts.send(
        call,
        phone,
        participants.conversation_of(call, phone),
        checkout,
        message_of,
        seconds=None,
        config=config,
    )


@PAYMENTS.changes("remote_eum", Scope.WHATSAPP_PAYMENTS, idempotent=False)
def send_order_details_with_payment(call: Call[SendOrderOfTenant]) -> SentMessage:
    """Send an order from a tenant's number with the tenant's configuration, as `send_payment_order` does."""
    asked = call.input
    reference = asked.order.reference_id
    if reference is None:
        raise InvalidInput([{"field": "order.referenceId", "problem": "is required"}])
    checkout = _checkout(reference, asked.order, None, "order.total")
    phone = owners.sender_of_tenant(call, asked.tenant_id)
    config = checkouts.config_for(
        call, phone, name=asked.config_name, tenant_id=asked.tenant_id, gateway=None
    )
    checkout = replace(checkout, settings=settings_of(config, reference), goods=asked.goods_type)
    return checkouts.send(
        call,
        phone,
        participants.conversation_with(call, phone, asked.to, "to"),
        checkout,
        partial(message_of, body=asked.body),
        seconds=asked.expiration_seconds,
        config=config,
    )


@PAYMENTS.changes("remote_eum", Scope.WHATSAPP_PAYMENTS, idempotent=False)
def send_checkout_template(call: Call[SendCheckoutTemplate]) -> SentMessage:
    """Send a template whose order_details button opens an order, also while the 24-hour window is closed."""
    asked = call.input
    check_currency(asked.currency)
    _check_reference(asked.order, asked.reference_id)
    checkout = _checkout(asked.reference_id, asked.order, asked.total_amount)
    phone = participants.sender_of(call)
    config = checkouts.config_for(
        call,
        phone,
        name=asked.payment_configuration_name,
        tenant_id=asked.tenant_id,
        gateway=None,
    )
    definition = sends.definition_of(call)

    def used(order: dict[str, Any]) -> UsedTemplate:
        given = [*asked.given(), Given("order", order, "order")]
        return sends.used(asked, slots.components_of(definition, given))

    # Values that do not fit are refused before the order is stored.
    check_files(call, used({}).components, "components")
    return checkouts.send(
        call,
        phone,
        participants.conversation_of(call, phone),
        replace(checkout, settings=settings_of(config, asked.reference_id)),
        partial(template_of, used=used),
        seconds=asked.expiration_seconds,
        config=config,
    )


def reference_of(company: str, order_id: str) -> str:
    """Return the payment reference of a company's order id, at most 33 characters: readable, and unique by a hash."""
    readable = _NOT_IN_A_REFERENCE.sub("-", order_id)[:20]
    return f"{readable}-{digest(company, order_id)[:12]}"


def _of_items(items: list[OrderItem]) -> OrderInput:
    """Return an order of items, without tax."""
    return OrderInput.model_construct(
        items=items, subtotal=subtotal_of(items), tax=0, reference_id=None
    )


def _checkout(
    reference: str, order: OrderInput, total: int | None, field: str = "totalAmount"
) -> Checkout:
    totals = totals_of(order, total, field)
    return Checkout(reference=reference, order=order, totals=totals, settings={})


def _check_reference(order: OrderInput, reference: str) -> None:
    if order.reference_id not in {None, reference}:
        raise InvalidInput([{"field": "order.referenceId", "problem": "must equal referenceId"}])
