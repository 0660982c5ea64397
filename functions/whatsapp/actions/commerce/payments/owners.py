"""Finds orders, refunds, tenants and configurations of the caller's company."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whatsapp import store
from whatsapp.actions.calls import paging, participants
from whatsapp.api.queries import NotFound
from whatsapp.store.accounts.orders import payment_lists, refunds, tenants
from whatsapp.store.items import Conversation
from whatsapp.store.items.accounts.tenants import Tenant

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shared.aws.dynamodb import Attributes
    from whatsapp.actions.calls.call import Call
    from whatsapp.store.accounts.orders.payment_lists import Filter
    from whatsapp.store.items import Phone
    from whatsapp.store.items.accounts.tenants import PaymentConfig, PaymentOrder, Refund


def order_of(call: Call[Any], reference: str, field: str = "referenceId") -> PaymentOrder:
    """Return the company's order with a reference. Raises NotFound."""
    order = store.payments.get_order(call.table, call.company, reference)
    if order is None:
        raise NotFound(f"{field}: order not found")
    return order


def refund_of(call: Call[Any], refund_id: str) -> Refund:
    """Return the company's refund. Raises NotFound."""
    refund = refunds.get(call.table, refund_id)
    if refund is None or refund.company != call.company:
        raise NotFound("refundId: refund not found")
    return refund


def phone_of(call: Call[Any], order: PaymentOrder) -> Phone:
    """Return the number that sent an order. Raises NotFound."""
    if order.phone is None:
        raise NotFound("the order was not sent from a number")
    return participants.phone_by_id(call, order.phone)


def conversation_of(call: Call[Any], phone: Phone, order: PaymentOrder) -> Conversation:
    """Return the conversation with an order's customer. Raises NotFound if the customer was erased."""
    contact = order.customer_phone
    if contact is None:
        raise NotFound("the order has no customer any more")
    key = Conversation.key(phone.arn_suffix, contact)
    head = store.heads.get(call.table, key)
    return head or Conversation(pk=key, company=phone.company, phone=phone.phone, from_=contact)


def tenant_of(call: Call[Any], tenant_id: str) -> Tenant:
    """
    Return the company's tenant. One that only numbers name, and the company itself, need no separate item.

    Raises NotFound.
    """
    stored = tenants.get(call.table, call.company, tenant_id)
    if stored is not None:
        return stored
    named = {phone.tenant for phone in participants.phones_of(call)}
    if tenant_id != call.company and tenant_id not in named:
        raise NotFound("tenantId: tenant not found")
    key = Tenant.of(call.company, tenant_id)
    return Tenant(pk=key, company=call.company, tenant_id=tenant_id)


def tenants_of_account(call: Call[Any], waba: str) -> list[str]:
    """Return the tenants whose numbers are in an account; the company itself if none is named. Raises NotFound."""
    phones = participants.account_of(call, waba)
    return sorted({phone.tenant or call.company for phone in phones})


def config_of(
    call: Call[Any], tenant_id: str, name: str, field: str = "configName"
) -> PaymentConfig:
    """Return a tenant's payment configuration. Raises NotFound."""
    config = tenants.get_config(call.table, call.company, tenant_id, name)
    if config is None:
        raise NotFound(f"{field}: payment configuration not found")
    return config


def contact_of(call: Call[Any], number: str, field: str = "to") -> str:
    """Return the contact key of a customer's number, as the company's first number knows it. Raises InvalidInput."""
    phones = participants.phones_of(call)
    if not phones:
        raise NotFound("the company has no number")
    return participants.contact_of(call, phones[0], number, field)[0]


def page_of[Payment: (PaymentOrder, Refund)](
    call: Call[Any], kind: type[Payment], filters: Mapping[Filter, str | None]
) -> tuple[list[Payment], Attributes | None]:
    """
    Return a page of the company's orders or refunds by the only filter that is given, and the next start key.

    Raises NotFound and InvalidInput for the tenant or customer.
    """
    start = paging.start_of(call)
    [(field, value)] = [(field, value) for field, value in filters.items() if value is not None]
    if field == "tenant_id":
        value = tenant_of(call, value).tenant_id
    elif field == "customer_phone":
        value = contact_of(call, value)
    return payment_lists.page(
        call.table, kind, call.company, (field, value), limit=call.input.limit, start=start
    )


def sender_of_tenant(call: Call[Any], tenant_id: str) -> Phone:
    """Return the number of a tenant: the one it names, else its numbers' default one. Raises NotFound."""
    tenant = tenant_of(call, tenant_id)
    phones = [phone for phone in participants.phones_of(call) if phone.in_use]
    named = [phone for phone in phones if phone.has_number(tenant.phone_e164)]
    own = [phone for phone in phones if (phone.tenant or call.company) == tenant_id]
    of_account = [phone for phone in phones if phone.waba_meta_id == tenant.waba_id]
    for found in (named, own, of_account):
        if found:
            return min(found, key=lambda phone: not phone.is_default)
    raise NotFound("tenantId: the tenant has no number in use")
