"""Payment configurations of tenants."""

from shared.aws.dynamodb import ConditionFailed, Table
from shared.failures import Permanent
from whatsapp.store.items import pk
from whatsapp.store.items.item import PARTITION_KEY
from whatsapp.store.items.tenants import PaymentConfig

_of = PaymentConfig.attr


def report(table: Table, config: PaymentConfig) -> bool:
    """
    Write the provider's report of a configuration; False when the stored one is as new or newer.

    Fields that the provider does not report (UPI id, category codes) are kept. Raises Permanent (`foreign_tenant`) if
    the configuration belongs to another company.
    """
    identity = {PARTITION_KEY, PaymentConfig.name_of("company")}
    reported = {name: value for name, value in config.attributes().items() if name not in identity}
    ours = _of("company").not_exists() | _of("company").eq(config.company)
    newer = _of("status_order").not_exists() | _of("status_order").lt(config.status_order)
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
