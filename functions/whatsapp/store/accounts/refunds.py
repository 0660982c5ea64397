"""
Refunds and the amounts that they reserve at their orders, in one transaction each.

At every time: refunded + reserved by open refunds <= captured.
"""

from boto3.dynamodb.conditions import Attr, ConditionBase, Key

from shared.aws.dynamodb import Attributes, ConditionFailed, Table, TransactionRefused
from whatsapp.store.accounts.payments import CUSTOMER_INDEX, ORDER_INDEX, TENANT_INDEX
from whatsapp.store.items import pk
from whatsapp.store.items.item import PARTITION_KEY
from whatsapp.store.items.tenants import PaymentOrder, Refund

_REFUNDABLE = ["captured", "partially_refunded"]
MOST_AN_ORDER = 100


class Changed(Exception):
    """The refund or its order has changed since the caller read it; nothing was written."""


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
            when=_ids_of(order),
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
            when=_amounts_of(order) & _ids_of(order),
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


def of_order(
    table: Table, company: str, order_id: str, *, limit: int = 100, start: Attributes | None = None
) -> tuple[list[Refund], Attributes | None]:
    """Return a company's refunds of an order id, newest first, and the next start key."""
    return _page(table, ORDER_INDEX, Key("orderId").eq(order_id), company, limit=limit, start=start)


def of_customer(
    table: Table, company: str, customer: str, *, limit: int, start: Attributes | None
) -> tuple[list[Refund], Attributes | None]:
    """Return a company's refunds to a contact key, newest first, and the next start key."""
    condition = Key("customerPhone").eq(customer)
    return _page(table, CUSTOMER_INDEX, condition, company, limit=limit, start=start)


def of_tenant(
    table: Table, company: str, tenant: str, *, limit: int, start: Attributes | None
) -> tuple[list[Refund], Attributes | None]:
    """Return a company's refunds of a tenant, and the next start key."""
    condition = Key("tenantId").eq(tenant) & Key("itemType").eq(Refund.item_type)
    return _page(table, TENANT_INDEX, condition, company, limit=limit, start=start)


def _page(
    table: Table,
    index: str,
    condition: ConditionBase,
    company: str,
    *,
    limit: int,
    start: Attributes | None,
) -> tuple[list[Refund], Attributes | None]:
    entries, last = table.query(index, condition, limit=limit, start=start, newest_first=True)
    prefix = Refund.pk_pattern.partition("{")[0]
    own = [entry for entry in entries if entry.get("company", company) == company]
    keys = [key for entry in own if (key := str(entry[PARTITION_KEY])).startswith(prefix)]
    stored = table.get_many([pk(key) for key in keys]) if keys else []
    items = {item[PARTITION_KEY]: item for item in stored}
    refunds = [Refund.read(items[key]) for key in keys if key in items]
    return [refund for refund in refunds if refund.company == company], last


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


def _ids_of(seen: PaymentOrder) -> ConditionBase:
    """Return the condition that the provider's ids of the order's refunds have not changed since they were read."""
    field = PaymentOrder.attr("refund_ids")
    return field.eq(seen.refund_ids) if seen.refund_ids else field.not_exists()
