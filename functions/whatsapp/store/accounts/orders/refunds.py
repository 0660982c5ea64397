"""
Refunds and the amounts that they reserve at their orders, in one transaction each.

At every time: refunded + reserved by open refunds <= captured.
"""

from collections.abc import Callable

from boto3.dynamodb.conditions import Attr, ConditionBase

from shared.aws.dynamodb import Attributes, ConditionFailed, Table, TransactionRefused
from shared.runtime.failures import Transient
from whatsapp.store.accounts.orders.payments import unchanged
from whatsapp.store.items import pk
from whatsapp.store.items.accounts.tenants import PaymentOrder, Refund
from whatsapp.store.items.item import PARTITION_KEY

_REFUNDABLE = ["captured", "partially_refunded"]
MOST_AN_ORDER = 100
_ROUNDS = 5


class Changed(Exception):
    """The refund or its order has changed since the caller read it; nothing was written."""


def repeated[Result](change: Callable[[], Result]) -> Result:
    """Return the result of a change that reads what it writes, repeated after Changed. Raises Transient."""
    for _ in range(_ROUNDS):
        try:
            return change()
        except Changed:
            continue
    raise Transient("order_contended")


def get(table: Table, refund_id: str) -> Refund | None:
    """Return the refund with this id (strongly consistent read)."""
    item = table.get(pk(Refund.key(refund_id)))
    return Refund.read(item) if item else None


def create(table: Table, seen: PaymentOrder, refund: Refund) -> None:
    """
    Write a pending refund and reserve its amount. The caller checked that it fits the order that it read.

    Raises Changed, also for a repeat.
    """
    _together(
        table,
        table.to_put(refund.attributes(), when=Attr(PARTITION_KEY).not_exists()),
        table.to_update(
            pk(seen.pk),
            put=PaymentOrder.named(refund_open=seen.refund_open + refund.amount),
            when=PaymentOrder.attr("payment_status").is_in(_REFUNDABLE) & _amounts_of(seen),
        ),
    )


def begin(table: Table, refund: Refund, speed: str, at: str) -> Refund:
    """Move a pending refund to processing and return the stored refund, in any state. Safe to repeat."""
    try:
        stored = table.update(
            pk(refund.pk),
            put=Refund.named(status="processing", speed=speed, processed_at=at),
            when=Refund.attr("status").eq("pending"),
        )
    except ConditionFailed as refusal:
        stored = refusal.existing or {}
    return Refund.read(stored)


def note_provider_id(table: Table, order: PaymentOrder, refund: Refund, provider_id: str) -> None:
    """Store the provider's id of a refund, at its order too. Raises Changed."""
    _together(
        table,
        table.to_update(
            pk(refund.pk),
            put=Refund.named(provider_refund_id=provider_id),
            when=Attr(PARTITION_KEY).exists(),
        ),
        table.to_update(
            pk(order.pk),
            put=PaymentOrder.named(refund_ids={**order.refund_ids, provider_id: refund.refund_id}),
            when=unchanged(order, "refund_ids"),
        ),
    )


def complete(table: Table, order: PaymentOrder, refund: Refund, provider_id: str, at: str) -> None:
    """Complete a refund in progress: its amount counts as refunded. Raises Changed, also for a repeat."""
    refunded = order.refunded + refund.amount
    is_whole = refunded >= order.total_amount
    _together(
        table,
        table.to_update(
            pk(refund.pk),
            put=Refund.named(status="completed", processed_at=at, provider_refund_id=provider_id),
            when=Refund.attr("status").eq("processing"),
        ),
        table.to_update(
            pk(order.pk),
            put=PaymentOrder.named(
                refund_open=order.refund_open - refund.amount,
                refunded=refunded,
                payment_status="refunded" if is_whole else "partially_refunded",
                payment_status_at=at,
                refund_ids={**order.refund_ids, provider_id: refund.refund_id},
            ),
            when=_amounts_of(order) & unchanged(order, "refund_ids"),
        ),
    )


def release(
    table: Table,
    order: PaymentOrder,
    refund: Refund,
    to: str,
    *,
    at: str,
    reason: str | None = None,
) -> None:
    """End a refund that was not paid, as failed or cancelled; free its amount. Raises Changed, also for a repeat."""
    facts = {"failure_reason": reason} if reason else {}
    _together(
        table,
        table.to_update(
            pk(refund.pk),
            put=Refund.named(status=to, processed_at=at, **facts),
            when=Refund.attr("status").eq(refund.status),
        ),
        table.to_update(
            pk(order.pk),
            put=PaymentOrder.named(refund_open=order.refund_open - refund.amount),
            when=_amounts_of(order),
        ),
    )


def _together(table: Table, *writes: Attributes) -> None:
    try:
        table.transact(*writes)
    except TransactionRefused:
        raise Changed from None


def _amounts_of(seen: PaymentOrder) -> ConditionBase:
    """Return the condition that the order's refunds have not changed since the caller read them."""
    return _is("refund_open", seen.refund_open) & _is("refunded", seen.refunded)


def _is(field: str, value: int) -> ConditionBase:
    attribute = PaymentOrder.attr(field)
    return attribute.eq(value) if value else (attribute.eq(0) | attribute.not_exists())
