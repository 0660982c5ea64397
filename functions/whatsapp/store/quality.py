"""Quality ratings of numbers: permanent numbered entries, and the item that shows the newest ones."""

from boto3.dynamodb.conditions import Attr, ConditionBase

from shared.aws.dynamodb import ConditionFailed, Table
from whatsapp.store.items import pk
from whatsapp.store.items.accounts import QualityEntry, QualityRating
from whatsapp.store.items.item import PARTITION_KEY

_of = QualityRating.attr


def get(table: Table, phone: str) -> QualityRating | None:
    """Return a number's quality rating (strongly consistent read)."""
    item = table.get(pk(QualityRating.key(phone)))
    return QualityRating.read(item) if item else None


def add_entry(table: Table, entry: QualityEntry) -> QualityEntry:
    """Write an entry once and return it, or return the existing entry with its number."""
    try:
        table.put(entry.attributes(), when=Attr(PARTITION_KEY).not_exists())
    except ConditionFailed as refusal:
        if refusal.existing is None:
            raise
        return QualityEntry.read(refusal.existing)
    return entry


def replace(table: Table, seen: QualityRating | None, new: QualityRating) -> None:
    """Write *new*, derived from *seen*; does nothing after a concurrent write, including our own lost first attempt."""
    condition: ConditionBase = Attr(PARTITION_KEY).not_exists()
    if seen is not None:
        at = (
            _of("rating_at").eq(seen.rating_at) if seen.rating_at else _of("rating_at").not_exists()
        )
        condition = _of("history_count").eq(seen.history_count) & at
    try:
        table.put(new.attributes(), when=condition)
    except ConditionFailed:
        return
