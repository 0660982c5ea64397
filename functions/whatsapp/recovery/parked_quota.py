"""Counts parked events per company and day."""

from shared.aws.dynamodb import Attributes, Table
from shared.aws.tables.rate_limits.fixed_window import Quotas
from shared.events.recovery import quota
from whatsapp.store.items.events.quotas import ParkedQuota
from whatsapp.store.items.item import pk


def has_room(table: Table, company: str | None) -> bool:
    """Count one parked event of a company, or of the unknown ones; False above the quota."""
    marks = {"itemType": ParkedQuota.item_type}
    return quota.has_room(Quotas(table, _key, marks), company or "")


def _key(company: str) -> Attributes:
    # Not `ParkedQuota.key`: the events without a known company have an empty one.
    return pk(ParkedQuota.pk_pattern.format(company=company))
