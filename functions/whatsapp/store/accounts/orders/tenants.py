"""Tenants of a company, and their payment configurations."""

from boto3.dynamodb.conditions import Attr, Key

from shared.aws.dynamodb import Attributes, ConditionFailed, Table
from shared.runtime.failures import Permanent, Transient
from whatsapp.store.accounts.orders.payment_lists import INDEXES
from whatsapp.store.items import Phone, pk
from whatsapp.store.items.item import PARTITION_KEY
from whatsapp.store.items.tenants import PaymentConfig, Tenant


class Taken(Exception):
    """The tenant or its configuration belongs to another company."""


def get(table: Table, tenant: str) -> Tenant | None:
    """Return the tenant with this id (strongly consistent read)."""
    item = table.get(pk(Tenant.key(tenant)))
    return Tenant.read(item) if item else None


def save(table: Table, tenant: Tenant) -> Tenant:
    """Create a tenant or change its given fields; a field that is absent is kept. Safe to repeat. Raises Taken."""
    identity = {PARTITION_KEY, "createdAt"}
    facts = {name: value for name, value in tenant.attributes().items() if name not in identity}
    company = Tenant.attr("company")
    try:
        stored = table.update(
            pk(tenant.pk),
            put=facts,
            put_once=Tenant.named(created_at=tenant.created_at),
            when=Attr(PARTITION_KEY).not_exists() | company.eq(tenant.company),
        )
    except ConditionFailed:
        raise Taken from None
    return Tenant.read(stored)


def get_config(table: Table, tenant: str, name: str) -> PaymentConfig | None:
    """Return a tenant's configuration (strongly consistent read)."""
    item = table.get(pk(PaymentConfig.key(tenant, name)))
    return PaymentConfig.read(item) if item else None


def configs_of(
    table: Table,
    company: str,
    tenant: str,
    *,
    limit: int = 100,
    start: Attributes | None = None,
) -> tuple[list[PaymentConfig], Attributes | None]:
    """Return a page of a tenant's configurations, by name, and the next start key."""
    entries, last = table.query(
        INDEXES["tenant_id"],
        Key("tenantId").eq(tenant) & Key("itemType").eq(PaymentConfig.item_type),
        limit=limit,
        start=start,
    )
    items = table.get_many([pk(str(entry[PARTITION_KEY])) for entry in entries])
    configs = [PaymentConfig.read(item) for item in items]
    own = [config for config in configs if config.company == company]
    return sorted(own, key=lambda config: config.config_name), last


def write_config(table: Table, seen: PaymentConfig | None, config: PaymentConfig) -> None:
    """
    Write what a call learned about a configuration that the caller read; absent fields are kept, and nothing is
    written without a change. Raises Taken, and Transient after a concurrent change.
    """
    if seen is not None and seen.company != config.company:
        raise Taken
    old = seen.attributes() if seen else {}
    facts = {
        name: value
        for name, value in config.attributes().items()
        if name != PARTITION_KEY and old.get(name) != value
    }
    if not facts:
        return
    order = PaymentConfig.attr("status_order")
    unchanged = order.eq(seen.status_order) if seen and seen.status_order else order.not_exists()
    try:
        table.update(
            pk(config.pk),
            put=facts,
            when=(Attr(PARTITION_KEY).exists() if seen else Attr(PARTITION_KEY).not_exists())
            & unchanged,
        )
    except ConditionFailed as refusal:
        if (refusal.existing or {}).get("company", config.company) != config.company:
            raise Taken from None
        raise Transient("payment_config_contended") from None


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


def set_default_of_phone(table: Table, phone: str, name: str) -> None:
    """Store the configuration that a number's orders use by default. Safe to repeat."""
    table.update(
        pk(Phone.key(phone)),
        put=Phone.named(default_payment_config=name),
        when=Attr(PARTITION_KEY).exists(),
    )
