"""
Payment orders with their payment attempts.

States of an order only move as `PaymentOrder` shows; each move is one conditional update.
"""

from collections.abc import Sequence
from typing import Any

from boto3.dynamodb.conditions import Attr, ConditionBase, Key

from shared.aws.dynamodb import Attributes, ConditionFailed, Table
from shared.runtime.failures import Transient
from whatsapp.store.accounts.orders.payment_lists import INDEXES
from whatsapp.store.items import pk
from whatsapp.store.items.accounts.tenants import (
    PaymentOrder,
    PaymentStatus,
    PaymentTransaction,
)
from whatsapp.store.items.item import PARTITION_KEY

ATTEMPTS_SHOWN = 20
# Refunds move an order further (`store.accounts.refunds`).
_BEFORE: dict[str, tuple[str, ...]] = {
    "authorized": ("pending",),
    "captured": ("pending", "authorized", "failed"),
    "failed": ("pending", "authorized"),
}
CAPTURED = ("captured", "partially_refunded", "refunded")
_STATUS = {"pending": "pending", "authorized": "pending", "failed": "failed"}


class ReferenceTaken(Exception):
    """The company has used the reference for another order."""


class Ambiguous(Exception):
    """Orders of several companies have the reference."""


def get_order(table: Table, company: str, reference: str) -> PaymentOrder | None:
    """Return a company's order (strongly consistent read). Orders of earlier releases have keys without the company."""
    item = table.get(pk(PaymentOrder.of(company, reference)))
    return PaymentOrder.read(item) if item else _earlier_order(table, company, reference)


def _earlier_order(table: Table, company: str, reference: str) -> PaymentOrder | None:
    """Return a company's order of an earlier release (strongly consistent read)."""
    item = table.get(pk(PaymentOrder.key(reference)))
    found = PaymentOrder.read(item) if item else None
    is_theirs = found is not None and (found.company, found.reference_id) == (company, reference)
    return found if is_theirs else None


def only_order(table: Table, reference: str) -> PaymentOrder | None:
    """
    Return the only order that has a reference, of any company: gateways name no company. Raises Ambiguous.

    Reads an index: an order of the last moments may be missing.
    """
    entries, _ = table.query(
        INDEXES["order_id"], Key(PaymentOrder.name_of("order_id")).eq(reference)
    )
    earlier = PaymentOrder.key(reference)
    keys = {
        key
        for entry in entries
        if (key := str(entry[PARTITION_KEY]))
        == PaymentOrder.of(str(entry.get("company")), reference)
    }
    items = [item for key in sorted({*keys, earlier}) if (item := table.get(pk(key)))]
    if len(items) > 1:
        raise Ambiguous
    return PaymentOrder.read(items[0]) if items else None


def open_order(table: Table, order: PaymentOrder, hashes: Sequence[str]) -> PaymentOrder:
    """
    Write a new order, or return the stored one whose content hash is one of *hashes*. Safe to repeat.

    Raises ReferenceTaken for other content.
    """
    stored = _earlier_order(table, str(order.company), order.reference_id)
    if stored is None:
        try:
            table.put(order.attributes(), when=Attr(PARTITION_KEY).not_exists())
        except ConditionFailed as refusal:
            stored = PaymentOrder.read(refusal.existing or {})
        else:
            return order
    if stored.content_hash not in hashes:
        raise ReferenceTaken
    return stored


def claim_send(
    table: Table, seen: PaymentOrder, action_id: str, *, at: str, expires_at: str | None
) -> PaymentOrder:
    """
    Make *action_id* the attempt that sends the order; the caller knows that the attempt it read sent nothing.

    Safe to repeat. Raises Transient if another call was faster.
    """
    facts = PaymentOrder.named(action_id=action_id, attempted_at=at, expires_at=expires_at)
    return _replace(table, seen, facts, unchanged(seen, "action_id"))


def link_message(table: Table, order_pk: str, action_id: str, message_pk: str) -> None:
    """Store the message of an order's attempt; nothing happens if a later attempt took over. Safe to repeat."""
    attempt = PaymentOrder.attr("action_id")
    try:
        table.update(
            pk(order_pk),
            put=PaymentOrder.named(message_pk=message_pk),
            # Orders of shops have no attempt.
            when=Attr(PARTITION_KEY).exists() & (attempt.eq(action_id) | attempt.not_exists()),
        )
    except ConditionFailed:
        return


def can_move(current: str | None, to: str) -> bool:
    """Whether an order may move from one payment status to another; False also for the same one."""
    return current in _BEFORE.get(to, ())


def move(
    table: Table, seen: PaymentOrder, to: PaymentStatus, at: str, **facts: str | None
) -> PaymentOrder:
    """
    Move an order to a payment status that it may reach now, and return the order as stored.

    Repeated and late moves change nothing.
    """
    before = _BEFORE.get(to, ())
    if not before:
        return seen
    try:
        changed = table.update(
            pk(seen.pk),
            put=PaymentOrder.named(
                payment_status=to,
                status=_STATUS.get(to, "completed"),
                payment_status_at=at,
                **facts,
            ),
            drop=[PaymentOrder.name_of("failure_reason")] if to == "captured" else [],
            when=PaymentOrder.attr("payment_status").is_in(list(before)),
        )
    except ConditionFailed as refusal:
        return PaymentOrder.read(refusal.existing) if refusal.existing else seen
    return PaymentOrder.read(changed)


def explain_failure(table: Table, seen: PaymentOrder, reason: str) -> PaymentOrder:
    """Store the reason of a failed order, unless one is known, and return the order. Safe to repeat."""
    try:
        changed = table.update(
            pk(seen.pk),
            put_once=PaymentOrder.named(failure_reason=reason),
            when=PaymentOrder.attr("payment_status").eq("failed"),
        )
    except ConditionFailed:  # paid meanwhile
        return get_order(table, str(seen.company), seen.reference_id) or seen
    return PaymentOrder.read(changed)


def show_order_status(table: Table, seen: PaymentOrder, status: str) -> None:
    """Store the status that the customer was told last. Safe to repeat. Raises Transient after a concurrent change."""
    is_shown = PaymentOrder.attr("order_status").eq(status)
    facts = PaymentOrder.named(order_status=status)
    _replace(table, seen, facts, unchanged(seen, "order_status") | is_shown)


def report_shop_order(table: Table, order: PaymentOrder) -> PaymentOrder:
    """Write a shop's order with its newest event, and return the stored one; an older event changes nothing."""
    seen = _earlier_order(table, str(order.company), order.reference_id)
    rank = PaymentOrder.attr("shop_rank")
    newer = rank.not_exists() | rank.lt(order.shop_rank)
    identity = {PARTITION_KEY, "createdAt"}
    facts = {name: value for name, value in order.attributes().items() if name not in identity}
    try:
        stored = table.update(
            pk(seen.pk if seen else order.pk),
            put=facts,
            put_once=PaymentOrder.named(created_at=order.created_at),
            when=Attr(PARTITION_KEY).not_exists() | newer,
        )
    except ConditionFailed as refusal:
        stored = refusal.existing or {}
    return PaymentOrder.read(stored)


def created_between(
    table: Table,
    status: str,
    first: str,
    last: str,
    *,
    limit: int = 100,
    start: Attributes | None = None,
) -> tuple[list[tuple[str, str]], Attributes | None]:
    """Return company and reference of any company's orders with this payment status, and the next start key."""
    entries, more = table.query(
        INDEXES["payment_status"],
        Key(PaymentOrder.name_of("payment_status")).eq(status)
        & Key(PaymentOrder.name_of("created_at")).between(first, last),
        limit=limit,
        start=start,
    )
    prefix = PaymentOrder.pk_pattern.partition("{")[0]
    found = [
        (
            str(entry[PaymentOrder.name_of("company")]),
            str(entry[PARTITION_KEY]).removeprefix(prefix).rpartition(":")[2],
        )
        for entry in entries
    ]
    return found, more


def note_transaction(table: Table, transaction: PaymentTransaction) -> None:
    """Store the newest report of a payment attempt. Safe to repeat; an older report changes nothing."""
    at = PaymentTransaction.attr("noted_at")
    newer = Attr(PARTITION_KEY).not_exists() | at.lte(transaction.noted_at)
    try:
        table.put(transaction.attributes(), when=newer)
    except ConditionFailed:
        return


def show_transactions(table: Table, seen: PaymentOrder, shown: list[dict[str, Any]]) -> None:
    """Replace the list of recent attempts that the caller read. Raises Transient after a concurrent change."""
    facts = PaymentOrder.named(transactions=shown)
    _replace(table, seen, facts, unchanged(seen, "transactions"))


def unchanged(seen: PaymentOrder, field: str) -> ConditionBase:
    """Return the condition that a field of an order is as the caller read it."""
    attribute, value = PaymentOrder.attr(field), getattr(seen, field)
    return attribute.eq(value) if value else attribute.not_exists()


def _replace(
    table: Table, seen: PaymentOrder, facts: Attributes, when: ConditionBase
) -> PaymentOrder:
    try:
        stored = table.update(pk(seen.pk), put=facts, when=Attr(PARTITION_KEY).exists() & when)
    except ConditionFailed:
        raise Transient("order_contended") from None
    return PaymentOrder.read(stored)
