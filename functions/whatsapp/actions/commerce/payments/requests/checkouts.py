"""
Sends an order: stored as pending before the message, linked with it afterwards.

    order       put if absent; the same reference with other content is refused
    attempt     named at the order, so that another call with this reference sends nothing twice
    message     at most once per attempt
    link        the message's key at the order; a status finds the message by the attempt
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from shared.api.errors import InvalidInput, StillRunning
from shared.aws.sqs_fifo import to_json
from shared.identity.keyed_hashes import keyed_hash, keyed_hashes
from shared.providers.action_ledger import State
from shared.runtime import clock
from whatsapp import store
from whatsapp.actions.calls import delivery
from whatsapp.actions.calls.failures import StateConflict
from whatsapp.actions.commerce.payments import owners
from whatsapp.actions.commerce.payments.order_details import parameters_of
from whatsapp.sending.failures import NotConfigured, ProviderRejected
from whatsapp.store.accounts.orders import tenants
from whatsapp.store.accounts.orders.payments import ReferenceTaken
from whatsapp.store.items.accounts.tenants import PaymentOrder

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from whatsapp.actions.calls.call import Call
    from whatsapp.actions.calls.views import SentMessage
    from whatsapp.actions.commerce.payments.order_details import Checkout
    from whatsapp.sending.drafts import Draft
    from whatsapp.store.items import Conversation, Phone
    from whatsapp.store.items.accounts.tenants import PaymentConfig

_PART = "order"
_SHORTEST_SECONDS = 300
# The provider measures the shortest expiration when it receives the message.
_SLACK_SECONDS = 10
# Longer than the function of the actions can run.
_ATTEMPT_MS = 60 * clock.SECOND_MS
_TERMS = "graph_131005"


def send(
    call: Call[Any],
    phone: Phone,
    conversation: Conversation,
    checkout: Checkout,
    build: Callable[[Checkout], Draft],
    *,
    seconds: int | None,
    config: PaymentConfig | None,
    order_id: str | None = None,
) -> SentMessage:
    """
    Store an order and send the message that *build* makes of it. *seconds*: until it cannot be paid any more.

    Raises StateConflict for a used reference, and the exceptions of `delivery.send`.
    """
    now_ms = clock.now_ms()
    expires = _expiry(now_ms, seconds)
    content = _content(phone, conversation, checkout, seconds)
    order = _order(call, phone, conversation, checkout, config).model_copy(
        update={
            "order_id": order_id or checkout.reference,
            "content_hash": keyed_hash(*content),
            "action_id": call.action_id(_PART),
            "attempted_at": clock.to_text(now_ms),
            "expires_at": _text(expires),
        }
    )
    if getattr(call.input, "dry_run", False):
        _check_free(call, order, keyed_hashes(*content))
        shown = build(replace(checkout, expires_at=expires))
        return delivery.send(call, phone, conversation, shown, _PART)
    order = _claimed(call, order, keyed_hashes(*content), now_ms, expires)
    ends = clock.from_text(order.expires_at) // 1_000 if order.expires_at else None
    draft = build(replace(checkout, expires_at=ends))
    sent = _sent(call, phone, conversation, draft)
    if sent.message_pk:
        store.payments.link_message(call.table, order.pk, str(order.action_id), sent.message_pk)
    return sent


def _sent(call: Call[Any], phone: Phone, conversation: Conversation, draft: Draft) -> SentMessage:
    try:
        return delivery.send(call, phone, conversation, draft, _PART)
    except ProviderRejected as refusal:
        raise _explained(refusal) from None


def config_for(
    call: Call[Any], phone: Phone, *, name: str | None, tenant_id: str | None, gateway: str | None
) -> PaymentConfig:
    """
    Return the configuration that takes a payment: by name, else of the *gateway*, else the number's default one, else
    the tenant's. Raises InvalidInput, NotFound, and NotConfigured unless it is active.
    """
    tenant = owners.tenant_of(call, tenant_id or phone.tenant or call.company)
    chosen = name
    if chosen is None and gateway is not None:
        listed, _ = tenants.configs_of(call.table, call.company, tenant.tenant_id)
        named = [one.config_name for one in listed if _gateway(one) == gateway]
        chosen = named[0] if named else None
    elif chosen is None:
        chosen = phone.default_payment_config or tenant.default_payment_config
    if chosen is None:
        raise InvalidInput(
            [{"field": "configName", "problem": "is required: there is no default configuration"}]
        )
    config = owners.config_of(call, tenant.tenant_id, chosen)
    if config.status != "active":
        raise NotConfigured(f"configName: the payment configuration is {config.status}")
    if config.account not in {None, phone.waba_meta_id}:
        raise InvalidInput(
            [{"field": "configName", "problem": "belongs to another account than the number"}]
        )
    if gateway is not None and _gateway(config) != gateway:
        raise InvalidInput([{"field": "configName", "problem": "belongs to another gateway"}])
    return config


def _gateway(config: PaymentConfig) -> str:
    return str(config.provider_name).casefold()


def _order(
    call: Call[Any],
    phone: Phone,
    conversation: Conversation,
    checkout: Checkout,
    config: PaymentConfig | None,
) -> PaymentOrder:
    given = getattr(call.input, "tenant_id", None)
    tenant = config.tenant_id if config else given or phone.tenant
    return PaymentOrder(
        pk=PaymentOrder.of(call.company, checkout.reference),
        company=call.company,
        tenant_id=tenant or call.company,
        order_id=checkout.reference,
        reference_id=checkout.reference,
        config_name=config.config_name if config else None,
        customer_phone=conversation.from_,
        currency=checkout.currency,
        total_amount=checkout.totals.total,
        status="pending",
        payment_status="pending",
        created_at=clock.to_text(clock.now_ms()),
        phone=phone.phone,
    )


def _content(
    phone: Phone, conversation: Conversation, checkout: Checkout, seconds: int | None
) -> tuple[str, ...]:
    """Return the content of an order for hashes: items, number and customer, everything but times."""
    return (
        "order",
        phone.company,
        phone.phone,
        str(conversation.from_),
        str(seconds),
        to_json(parameters_of(replace(checkout, expires_at=None))),
    )


def _check_free(call: Call[Any], order: PaymentOrder, hashes: Sequence[str]) -> None:
    stored = store.payments.get_order(call.table, call.company, order.reference_id)
    if stored is not None and stored.content_hash not in hashes:
        raise StateConflict("referenceId: is used for another order")


def _claimed(
    call: Call[Any],
    order: PaymentOrder,
    hashes: Sequence[str],
    now_ms: int,
    expires: int | None,
) -> PaymentOrder:
    """Store the order for this attempt. Raises StateConflict if another attempt sent it, or may have."""
    try:
        stored = store.payments.open_order(call.table, order, hashes)
    except ReferenceTaken:
        raise StateConflict("referenceId: is used for another order") from None
    own = str(order.action_id)
    if stored.action_id != own:
        _check_unsent(call, stored, now_ms)
    action = call.resources.ledger.action(own)
    if stored.payment_status != "pending" and (action is None or not action.may_have_been_sent):
        raise StateConflict(f"referenceId: the order is {stored.payment_status}")
    is_short = stored.expires_at is not None and (
        clock.from_text(stored.expires_at) < now_ms + _SHORTEST_SECONDS * clock.SECOND_MS
    )
    is_sent = action is not None and action.may_have_been_sent
    if stored.action_id == own and (is_sent or not is_short):
        return stored
    at = clock.to_text(now_ms)
    ends = _text(expires) if is_short else stored.expires_at
    return store.payments.claim_send(call.table, stored, own, at=at, expires_at=ends)


def _check_unsent(call: Call[Any], stored: PaymentOrder, now_ms: int) -> None:
    """Raise unless the attempt that the order names certainly sent nothing."""
    action = call.resources.ledger.action(stored.action_id) if stored.action_id else None
    if action is not None and action.may_have_been_sent and action.state is not State.FAILED:
        raise StateConflict("referenceId: the order was sent already")
    is_recent = stored.attempted_at is not None and (
        clock.from_text(stored.attempted_at) > now_ms - _ATTEMPT_MS
    )
    if action is None and is_recent:
        raise StillRunning("another call is sending this order")


def _explained(refusal: ProviderRejected) -> Exception:
    if refusal.code == _TERMS:
        return NotConfigured(
            "the WhatsApp Payments terms of service are not accepted: accept them in WhatsApp Manager, Account tools, "
            "Payment configurations"
        )
    return refusal


def _expiry(now_ms: int, seconds: int | None) -> int | None:
    """Return the end of an order's life in epoch seconds."""
    return None if seconds is None else now_ms // 1_000 + seconds + _SLACK_SECONDS


def _text(expires: int | None) -> str | None:
    return None if expires is None else clock.to_text(expires * 1_000)
