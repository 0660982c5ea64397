"""Payment orders with their payment attempts, and payment configurations."""

from typing import Any

from boto3.dynamodb.conditions import Attr

from shared.aws.dynamodb import ConditionFailed, Table
from shared.failures import Permanent, Transient
from whatsapp.store.items import pk
from whatsapp.store.items.item import PARTITION_KEY
from whatsapp.store.items.tenants import PaymentConfig, PaymentOrder, PaymentTransaction


def get_order(table: Table, reference: str) -> PaymentOrder | None:
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


def report_config(table: Table, config: PaymentConfig) -> bool:
    """
    Write the provider's report of a configuration; False when the stored one is as new or newer.

    Fields that the provider does not report (UPI id, category codes) are kept. Raises Permanent (`foreign_tenant`) if
    the configuration belongs to another company.
    """
    identity = {PARTITION_KEY, PaymentConfig.name_of("company")}
    reported = {name: value for name, value in config.attributes().items() if name not in identity}
    company = PaymentConfig.attr("company")
    ours = company.not_exists() | company.eq(config.company)
    newer = PaymentConfig.attr("status_order").not_exists() | PaymentConfig.attr("status_order").lt(
        config.status_order
    )
    try:
        table.update(
            pk(config.pk),
            put=reported,
            put_once=PaymentConfig.named(company=config.company),
            when=ours & newer,
        )
    except ConditionFailed as refusal:
        stored = PaymentConfig.read(refusal.existing) if refusal.existing else None
        if stored is not None and stored.company not in {None, config.company}:
            raise Permanent("foreign_tenant") from None
        return False
    return True
