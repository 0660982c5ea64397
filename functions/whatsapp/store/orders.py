"""Payment orders and their payment attempts."""

from typing import Any

from boto3.dynamodb.conditions import Attr

from shared.aws.dynamodb import ConditionFailed, Table
from shared.failures import Transient
from whatsapp.store.items import pk
from whatsapp.store.items.item import PARTITION_KEY
from whatsapp.store.items.tenants import PaymentOrder, PaymentTransaction


def get(table: Table, reference: str) -> PaymentOrder | None:
    """Return the order with this reference (strongly consistent read)."""
    item = table.get(pk(PaymentOrder.key(reference)))
    return PaymentOrder.read(item) if item else None


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
    field = PaymentOrder.attr("transactions")
    unchanged = field.eq(seen.transactions) if seen.transactions else field.not_exists()
    try:
        table.update(
            pk(seen.pk),
            put=PaymentOrder.named(transactions=shown),
            when=Attr(PARTITION_KEY).exists() & unchanged,
        )
    except ConditionFailed:
        raise Transient("order_contended") from None
