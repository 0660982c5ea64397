"""
Tenants of a company, and their payment configurations.

    TENANT#{company}:{tenant}    an item of this release
    TENANT#{tenant}              an item of an earlier release, which stays under its key; read if there is no other

An item of another company is never returned: two companies may have tenants of the same id.
"""

from collections.abc import Iterator

from boto3.dynamodb.conditions import Attr, Key

from shared.aws.dynamodb import Attributes, ConditionFailed, Table
from shared.runtime.failures import Transient
from whatsapp.store.accounts.orders.payment_lists import INDEXES
from whatsapp.store.items import Phone, pk
from whatsapp.store.items.accounts.tenants import PaymentConfig, Tenant
from whatsapp.store.items.item import PARTITION_KEY


def get(table: Table, company: str, tenant: str) -> Tenant | None:
    """Return a company's tenant (strongly consistent read)."""
    return _first(table, Tenant, company, (Tenant.of(company, tenant), Tenant.key(tenant)))


def save(table: Table, tenant: Tenant) -> Tenant:
    """Create a tenant or change its given fields; a field that is absent is kept. Safe to repeat."""
    company, earlier = str(tenant.company), Tenant.key(tenant.tenant_id)
    key = (
        earlier
        if _first(table, Tenant, company, (earlier,))
        else Tenant.of(company, tenant.tenant_id)
    )
    identity = {PARTITION_KEY, "createdAt"}
    facts = {name: value for name, value in tenant.attributes().items() if name not in identity}
    stored = table.update(pk(key), put=facts, put_once=Tenant.named(created_at=tenant.created_at))
    return Tenant.read(stored)


def get_config(table: Table, company: str, tenant: str, name: str) -> PaymentConfig | None:
    """Return a configuration of a company's tenant (strongly consistent read)."""
    keys = (PaymentConfig.of(company, tenant, name), PaymentConfig.key(tenant, name))
    return _first(table, PaymentConfig, company, keys)


def _first[Kind: (Tenant, PaymentConfig)](
    table: Table, kind: type[Kind], company: str, keys: tuple[str, ...]
) -> Kind | None:
    """Return the first item of the company under one of the keys."""
    for key in keys:
        item = table.get(pk(key))
        found = kind.read(item) if item else None
        if found is not None and found.company == company:
            return found
    return None


def all_configs_of(table: Table, company: str, tenant: str) -> Iterator[PaymentConfig]:
    """Yield all configurations of a company's tenant. Other companies' tenants of the same id are read, too."""
    start = None
    while True:
        page, start = configs_of(table, company, tenant, start=start)
        yield from page
        if start is None:
            return


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
    written without a change. Raises Transient after a concurrent change.
    """
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
            pk(seen.pk if seen else config.pk),
            put=facts,
            when=(Attr(PARTITION_KEY).exists() if seen else Attr(PARTITION_KEY).not_exists())
            & unchanged,
        )
    except ConditionFailed:
        raise Transient("payment_config_contended") from None


def report_config(table: Table, config: PaymentConfig) -> bool:
    """
    Write the provider's report of a configuration; False when the stored one is as new or newer.

    Fields that the provider does not report (UPI id, category codes) are kept.
    """
    company, earlier = str(config.company), PaymentConfig.key(config.tenant_id, config.config_name)
    seen = _first(table, PaymentConfig, company, (earlier,))
    identity = {PARTITION_KEY, PaymentConfig.name_of("company")}
    reported = {name: value for name, value in config.attributes().items() if name not in identity}
    newer = PaymentConfig.attr("status_order").not_exists() | PaymentConfig.attr("status_order").lt(
        config.status_order
    )
    try:
        table.update(
            pk(seen.pk if seen else config.pk),
            put=reported,
            put_once=PaymentConfig.named(company=config.company),
            when=newer,
        )
    except ConditionFailed:
        return False
    return True


def set_default_of_phone(table: Table, phone: str, name: str) -> None:
    """Store the configuration that a number's orders use by default. Safe to repeat."""
    table.update(
        pk(Phone.key(phone)),
        put=Phone.named(default_payment_config=name),
        when=Attr(PARTITION_KEY).exists(),
    )
