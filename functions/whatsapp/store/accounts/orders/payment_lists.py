"""Pages of a company's payment orders and refunds, newest first."""

from typing import Final, Literal

from boto3.dynamodb.conditions import ConditionBase, Key

from shared.aws.dynamodb import Attributes, Table
from whatsapp.store.items import pk
from whatsapp.store.items.accounts.tenants import PaymentOrder, Refund
from whatsapp.store.items.item import PARTITION_KEY

type Filter = Literal["order_id", "customer_phone", "payment_status", "tenant_id"]
INDEXES: Final[dict[Filter, str]] = {
    "order_id": "gsi_order",
    "customer_phone": "gsi_customer_phone",
    "payment_status": "gsi_payment_status",
    "tenant_id": "gsi_tenant",
}


def page[Payment: (PaymentOrder, Refund)](
    table: Table,
    kind: type[Payment],
    company: str,
    by: tuple[Filter, str],
    *,
    limit: int = 100,
    start: Attributes | None = None,
) -> tuple[list[Payment], Attributes | None]:
    """Return the orders or refunds of a company with this value of a field, and the next start key."""
    field, value = by
    condition: ConditionBase = Key(kind.name_of(field)).eq(value)
    if field == "tenant_id":
        condition &= Key("itemType").eq(kind.item_type)
    entries, last = table.query(
        INDEXES[field], condition, limit=limit, start=start, newest_first=True
    )
    prefix = kind.pk_pattern.partition("{")[0]
    own = [entry for entry in entries if entry.get("company", company) == company]
    keys = [key for entry in own if (key := str(entry[PARTITION_KEY])).startswith(prefix)]
    stored = table.get_many([pk(key) for key in keys]) if keys else []
    items = {item[PARTITION_KEY]: item for item in stored}
    found = [kind.read(items[key]) for key in keys if key in items]
    return [one for one in found if one.company == company], last
