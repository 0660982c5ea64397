"""Public profiles of the business's numbers."""

from boto3.dynamodb.conditions import Attr, ConditionBase

from shared.aws.dynamodb import ConditionFailed, Table
from shared.runtime.failures import Transient
from whatsapp.store.items import pk
from whatsapp.store.items.accounts.accounts import BusinessProfile
from whatsapp.store.items.item import PARTITION_KEY


def get(table: Table, profile_pk: str) -> BusinessProfile | None:
    """Return the stored profile (strongly consistent read)."""
    item = table.get(pk(profile_pk))
    return BusinessProfile.read(item) if item else None


def replace(table: Table, profile: BusinessProfile) -> None:
    """
    Write *profile*, derived from the previous revision. Raises Transient after a concurrent write.

    A write whose response was lost counts as a concurrent write: the repeated call reads it.
    """
    unchanged: ConditionBase = BusinessProfile.attr("revision").eq(profile.revision - 1)
    if profile.revision == 1:
        unchanged = Attr(PARTITION_KEY).not_exists()
    try:
        table.put(profile.attributes(), when=unchanged)
    except ConditionFailed:
        raise Transient("profile_contended") from None
