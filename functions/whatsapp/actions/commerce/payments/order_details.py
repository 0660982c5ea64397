"""
Builds order_details and order_status messages (Meta, "Payments API, India"). Pure: integers in, integers out.

    subtotal = sum of amount x quantity, with the sale amount where there is one
    total    = subtotal + tax + shipping - discount
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from shared.api.errors import InvalidInput
from whatsapp.inbound.content import PREVIEW_CHARACTERS
from whatsapp.inbound.payments.gateways import REFERENCE_NOTE
from whatsapp.sending.drafts import Draft
from whatsapp.sending.payloads import of_template

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from whatsapp.actions.commerce.payments.inputs import Beneficiary, OrderInput, OrderItem
    from whatsapp.sending.drafts import UsedTemplate
    from whatsapp.store.items.accounts.tenants import PaymentConfig

OFFSET = 100
CURRENCY = "INR"
UPI_LINK = "upi_intent_link"
INTERACTIVE = "interactive"


@dataclass(frozen=True, slots=True)
class Totals:
    """The sums of an order, in minor units."""

    subtotal: int
    tax: int
    shipping: int
    discount: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkout:
    """An order as it is shown to the customer. *settings* name the payment method; *expires_at* in epoch seconds."""

    reference: str
    order: OrderInput = field(repr=False)
    totals: Totals
    settings: Mapping[str, Any] = field(repr=False)
    goods: str = "digital-goods"
    currency: str = CURRENCY
    beneficiary: Beneficiary | None = field(default=None, repr=False)
    expires_at: int | None = None


def subtotal_of(items: Sequence[OrderItem]) -> int:
    """Return the sum of an order's items."""
    return sum(
        (item.amount if item.sale_amount is None else item.sale_amount) * item.quantity
        for item in items
    )


def totals_of(order: OrderInput, total: int | None, field: str = "totalAmount") -> Totals:
    """
    Return an order's sums. *total*, in the parameter *field*, is what the caller expects. Raises InvalidInput unless
    all sums add up and something is to be paid.
    """
    subtotal = subtotal_of(order.items)
    shipping, discount = order.shipping or 0, order.discount or 0
    whole = subtotal + order.tax + shipping - discount
    problems = []
    if order.subtotal != subtotal:
        problems.append({"field": "order.subtotal", "problem": "must be the sum of the items"})
    rule = "must be subtotal + tax + shipping - discount"
    if order.total not in {None, whole}:
        problems.append({"field": "order.total", "problem": rule})
    if total not in {None, whole}:
        problems.append({"field": field, "problem": rule})
    if whole < 1:
        problems.append({"field": field, "problem": "must be more than 0"})
    if problems:
        raise InvalidInput(problems)
    return Totals(subtotal, order.tax, shipping, discount, whole)


def check_currency(currency: str) -> None:
    """Raise InvalidInput for another currency than rupees: payments in WhatsApp exist in India only."""
    if currency != CURRENCY:
        raise InvalidInput([{"field": "currency", "problem": f"must be {CURRENCY}"}])


def settings_of(config: PaymentConfig, reference: str) -> dict[str, Any]:
    """
    Return the payment method of a configuration. A gateway's webhooks repeat the reference in the fields given here.

    Not confirmed by our own traffic: the names of the gateways' own fields.
    """
    if config.type == "UPI":
        return {"payment_type": "upi", "payment_configuration": config.config_name}
    gateway = str(config.provider_name or "razorpay").casefold()
    own: dict[str, dict[str, Any]] = {
        "razorpay": {"receipt": reference, "notes": {REFERENCE_NOTE: reference}},
        "payu": {"udf1": reference},
        "billdesk": {"additional_info1": reference},
        "zaakpay": {"extra1": reference},
    }
    chosen = {"type": gateway, "configuration_name": config.config_name}
    if gateway in own:
        chosen[gateway] = own[gateway]  # type: ignore[assignment] # the one object among texts
    return {"payment_settings": [{"type": "payment_gateway", "payment_gateway": chosen}]}


def link_settings(link: str) -> dict[str, Any]:
    """Return the payment method of a UPI link. Not confirmed by our own traffic."""
    return {"payment_settings": [{"type": UPI_LINK, UPI_LINK: {"link": link}}]}


def parameters_of(checkout: Checkout) -> dict[str, Any]:
    """Return the parameters of order_details, for messages and for buttons of templates."""
    order, totals = checkout.order, checkout.totals
    shown: dict[str, Any] = {
        "status": "pending",
        "items": [_item(item) for item in order.items],
        "subtotal": _money(totals.subtotal),
        "tax": _money(totals.tax, order.tax_description),
    }
    if order.shipping is not None:
        shown["shipping"] = _money(totals.shipping, order.shipping_description)
    if order.discount is not None:
        shown["discount"] = _money(totals.discount, order.discount_description)
    if order.catalog_id:
        shown["catalog_id"] = order.catalog_id
    if checkout.expires_at is not None:
        shown["expiration"] = {
            "timestamp": str(checkout.expires_at),
            "description": "The order can no longer be paid.",
        }
    parameters: dict[str, Any] = {
        "reference_id": checkout.reference,
        "type": checkout.goods,
        **checkout.settings,
        "currency": checkout.currency,
        "total_amount": _money(totals.total),
        "order": shown,
    }
    if checkout.beneficiary is not None:
        parameters["beneficiaries"] = [
            checkout.beneficiary.model_dump(by_alias=True, exclude_none=True)
        ]
    return parameters


def message_of(
    checkout: Checkout,
    body: str | None = None,
    footer: str | None = None,
    header_image: str | None = None,
) -> Draft:
    """Return the message with an order that the customer reviews and pays."""
    content: dict[str, Any] = {
        "type": "order_details",
        "body": {"text": body or f"Order {checkout.reference}"},
        "action": {"name": "review_and_pay", "parameters": parameters_of(checkout)},
    }
    if footer:
        content["footer"] = {"text": footer}
    if header_image:
        content["header"] = {"type": "image", "image": {"id": header_image}}
    return Draft(type=INTERACTIVE, content=content, shown=_shown(content, checkout))


def template_of(checkout: Checkout, used: Callable[[dict[str, Any]], UsedTemplate]) -> Draft:
    """Return the template message with the button that opens the order; *used* takes the button's value."""
    template = used(parameters_of(checkout))
    draft = of_template(template)
    # An order may be far larger than an item of the inbox.
    shown = draft.shown | {"content": {"name": template.name, **_summary(checkout)}}
    return Draft(type=draft.type, content=draft.content, shown=shown, template=template)


def status_of(reference: str, status: str, description: str | None, body: str | None) -> Draft:
    """Return the message with an order's new status."""
    order = {"status": status} | ({"description": description} if description else {})
    content = {
        "type": "order_status",
        "body": {"text": body or f"Order {reference}: {status.replace('_', ' ')}"},
        "action": {
            "name": "review_order",
            "parameters": {"reference_id": reference, "order": order},
        },
    }
    shown = {
        "type": INTERACTIVE,
        "content": content,
        "preview": content["body"]["text"][:PREVIEW_CHARACTERS],  # type: ignore[index] # an object
    }
    return Draft(type=INTERACTIVE, content=content, shown=shown)


def amount_text(minor: int, currency: str = CURRENCY) -> str:
    """Return an amount as people read it: `INR 500.00`."""
    whole, rest = divmod(minor, OFFSET)
    return f"{currency} {whole}.{rest:02d}"


def _shown(content: dict[str, Any], checkout: Checkout) -> dict[str, Any]:
    """Return the fields of the inbox: without the items, as an order may be larger than a message item."""
    summary = {
        "type": "order_details",
        "body": content["body"],
        "action": {"name": "review_and_pay", "parameters": _summary(checkout)},
    }
    preview = f"{content['body']['text']} ({amount_text(checkout.totals.total)})"
    return {"type": INTERACTIVE, "content": summary, "preview": preview[:PREVIEW_CHARACTERS]}


def _summary(checkout: Checkout) -> dict[str, Any]:
    return {
        "reference_id": checkout.reference,
        "currency": checkout.currency,
        "total_amount": _money(checkout.totals.total),
        "items": len(checkout.order.items),
    }


def _item(item: OrderItem) -> dict[str, Any]:
    sale = {} if item.sale_amount is None else {"sale_amount": _money(item.sale_amount)}
    return {
        "retailer_id": item.retailer_id,
        "name": item.name,
        "amount": _money(item.amount),
        "quantity": item.quantity,
        **sale,
    }


def _money(minor: int, description: str | None = None) -> dict[str, Any]:
    money: dict[str, Any] = {"value": minor, "offset": OFFSET}
    return money | ({"description": description} if description else {})
