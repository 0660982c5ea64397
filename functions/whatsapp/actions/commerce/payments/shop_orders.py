"""Stores orders that a shop reports, with the newest event, and informs the customer once per event."""

from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, Field

from shared.api.auth import Scope
from shared.api.cursors import Page
from shared.api.errors import InvalidInput
from shared.aws.sqs_fifo import digest
from shared.runtime import clock
from whatsapp import store
from whatsapp.actions.calls import delivery, paging, participants
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import (
    Currency,
    Input,
    Language,
    Money,
    PageInput,
    PhoneNumber,
    ProviderObject,
    TemplateName,
    TenantId,
    Text,
    WabaId,
)
from whatsapp.actions.calls.views import SentMessage
from whatsapp.actions.commerce.payments import owners
from whatsapp.actions.commerce.payments.inputs import OrderId
from whatsapp.actions.commerce.payments.order_details import amount_text
from whatsapp.actions.commerce.payments.views import OrdersView, OrderView, order_view
from whatsapp.actions.dispatch.registration import Group
from whatsapp.sending.drafts import Draft, UsedTemplate
from whatsapp.sending.failures import TemplateNotSendable
from whatsapp.sending.payloads import of_template
from whatsapp.store.items import Conversation, Phone
from whatsapp.store.items.accounts.templates import TemplateEum, TemplateMeta
from whatsapp.store.items.accounts.tenants import PaymentOrder

WEBHOOKS = Group("webhooks")
WIX = "wix"
_RANKS = {"created": 1, "paid": 2, "shipped": 3, "delivered": 4, "cancelled": 5}
# The shop reports the status of an order. No provider here can confirm its payment.
_STATUSES = {"delivered": "completed", "cancelled": "failed"}
_DEFAULT_LANGUAGE = "en_US"


class WixEvent(Input):
    """An event of an order. *orderTotal* is in minor units; *items* are not stored."""

    event_type: Literal["created", "paid", "shipped", "delivered", "cancelled"]
    order_id: OrderId
    customer_phone: PhoneNumber
    customer_name: Annotated[Text, Field(max_length=100)] | None = None
    order_total: Money
    currency: Currency = "INR"
    items: Annotated[list[ProviderObject], Field(max_length=100)] = Field(default_factory=list)


class ProcessWixWebhook(Input):
    """With `templateName` the customer is told, once per order and event."""

    meta_waba_id: WabaId
    wix_event: WixEvent
    template_name: TemplateName | None = None
    language_code: Language | None = None


class GetWixOrders(PageInput):
    """Exactly one of to and tenantId; without both, the company's own tenant."""

    to: PhoneNumber | None = Field(
        default=None, validation_alias=AliasChoices("to", "customerPhone")
    )
    tenant_id: TenantId | None = None


class _Told(Input):
    """The identity of the message about an event."""

    order_id: OrderId
    event_type: str


class ShopOrder(OrderView):
    """An order of a shop. *message* is the one about this event."""

    message: SentMessage | None = None


@WEBHOOKS.changes("remote_eum", Scope.WHATSAPP_COMMERCE)
def process_wix_webhook(call: Call[ProcessWixWebhook]) -> ShopOrder:
    """
    Store a shop's order with its newest event, and send the customer a template about it, once per order and event.

    Events may come late, twice or in any order: an older one does not change the order. `paid` is the shop's report
    only, so the payment status stays empty. A template with variables gets, as many as it has: customer's name, order
    id, total, event.
    """
    asked, event = call.input, call.input.wix_event
    phone = participants.account_of(call, asked.meta_waba_id)[0]
    conversation = participants.conversation_with(
        call, phone, event.customer_phone, "wixEvent.customerPhone"
    )
    order = _stored(call, phone, conversation)
    told = _message(call, phone, conversation) if asked.template_name else None
    if told is not None and told.message_pk and order.message_pk is None:
        store.payments.link_message(call.table, order.pk, told.action_id, told.message_pk)
    return ShopOrder.model_validate(order_view(order).model_dump() | {"message": told})


@WEBHOOKS.reads("local", Scope.WHATSAPP_COMMERCE)
def get_wix_orders(call: Call[GetWixOrders]) -> Page[OrdersView]:
    """List the orders that the shop reported, by customer or tenant. A page may have fewer orders than `limit`."""
    asked = call.input
    customer, tenant = asked.to, asked.tenant_id
    if customer is not None and tenant is not None:
        problem = "must not be given together with to"
        raise InvalidInput([{"field": "tenantId", "problem": problem}])
    if customer is None:
        tenant = tenant or call.company
    found, last = owners.page_of(
        call, PaymentOrder, {"customer_phone": customer, "tenant_id": tenant}
    )
    orders = [order_view(one) for one in found if one.source == WIX]
    return Page(OrdersView(orders=orders), paging.cursor_of(call, last))


def reference_of(company: str, order_id: str) -> str:
    """Return the reference of a shop's order, which is longer than payment references may be."""
    return f"{WIX}-{digest(company, order_id)[:26]}"


def _stored(
    call: Call[ProcessWixWebhook], phone: Phone, conversation: Conversation
) -> PaymentOrder:
    event = call.input.wix_event
    reference = reference_of(call.company, event.order_id)
    order = PaymentOrder.model_validate(
        {
            "pk": PaymentOrder.of(call.company, reference),
            "company": call.company,
            "tenant_id": phone.tenant or call.company,
            "order_id": event.order_id,
            "reference_id": reference,
            "customer_phone": conversation.from_,
            "currency": event.currency,
            "total_amount": event.order_total,
            "status": _STATUSES.get(event.event_type, "pending"),
            "created_at": clock.to_text(clock.now_ms()),
            "phone": phone.phone,
            "source": WIX,
            "shop_status": event.event_type,
            "shop_rank": _RANKS[event.event_type],
        }
    )
    return store.payments.report_shop_order(call.table, order)


def _message(
    call: Call[ProcessWixWebhook], phone: Phone, conversation: Conversation
) -> SentMessage:
    """Send the template of an event. The event is the cause: another call about it sends nothing again."""
    asked, event = call.input, call.input.wix_event
    language = asked.language_code or _DEFAULT_LANGUAGE
    name = str(asked.template_name)
    # Any input: the message is identified by its event alone.
    caused: Call[Any] = call
    once = replace(
        caused,
        cause=digest("shop order", WIX, call.company, event.order_id, event.event_type),
        input=_Told.model_validate({"orderId": event.order_id, "eventType": event.event_type}),
    )
    count = _variables(call, phone, name, language)
    try:
        return delivery.send(once, phone, conversation, _draft(event, name, language, count))
    except TemplateNotSendable:
        # The template was unknown here; the refused send has learned it from the provider.
        learned = _variables(call, phone, name, language)
        if learned == count:
            raise
        return delivery.send(once, phone, conversation, _draft(event, name, language, learned))


def _draft(event: WixEvent, name: str, language: str, count: int) -> Draft:
    """Return the template with the first *count* facts of an event."""
    total = amount_text(event.order_total, event.currency)
    values = [event.customer_name or event.order_id, event.order_id, total, event.event_type]
    parameters = [{"type": "text", "text": value} for value in values[:count]]
    components = [{"type": "body", "parameters": parameters}] if parameters else []
    return of_template(UsedTemplate(name=name, language=language, components=components))


def _variables(call: Call[ProcessWixWebhook], phone: Phone, name: str, language: str) -> int:
    """Return the number of variables in a template's body; 0 if the template is unknown here."""
    table = call.table
    found: TemplateEum | TemplateMeta | None
    if phone.provider == "eum":
        if not phone.aws_waba:
            return 0
        key = TemplateEum.key(phone.aws_waba, name, language)
        found = store.account_reports.get_template(table, TemplateEum, key)
    else:
        key = TemplateMeta.of_language(phone.waba_meta_id, name, language)
        found = store.account_reports.get_template(table, TemplateMeta, key)
    if found is None or found.company != call.company:
        return 0
    body = next((c for c in found.components or [] if str(c.get("type")).upper() == "BODY"), {})
    text = str(body.get("text", ""))
    return sum(f"{{{{{number}}}}}" in text for number in range(1, 5))
