"""The progress of the hourly refresh of all numbers."""

from boto3.dynamodb.conditions import Attr, ConditionBase

from shared.aws.dynamodb import ConditionFailed, Table
from whatsapp.store.items import pk
from whatsapp.store.items.accounts.refreshes import NumberRefresh
from whatsapp.store.items.item import PARTITION_KEY


def get(table: Table) -> NumberRefresh | None:
    """Return the progress (strongly consistent read)."""
    item = table.get(pk(NumberRefresh.pk_pattern))
    return NumberRefresh.read(item) if item else None


def advance(table: Table, seen: NumberRefresh | None, progress: NumberRefresh) -> bool:
    """
    Write *progress*, derived from *seen*; False after a concurrent write.

    A write whose response was lost counts as one: the number that it took is left out until the next hour.
    """
    unchanged: ConditionBase = Attr(PARTITION_KEY).not_exists()
    if seen is not None:
        position = NumberRefresh.attr("position")
        unchanged = NumberRefresh.attr("hour").eq(seen.hour) & (
            position.eq(seen.position) if seen.position else position.not_exists()
        )
    try:
        table.put(progress.attributes(), when=unchanged)
    except ConditionFailed:
        return False
    return True
