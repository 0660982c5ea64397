"""The base of all items of the table."""

from datetime import UTC, datetime
from typing import ClassVar, Final

from shared.aws.dynamodb import Attributes
from shared.aws.tables.items import Item, filled

PARTITION_KEY: Final = "conversation_id"


def date_of(ttl: int) -> str:
    """Return the UTC date of a TTL (epoch seconds): the partition of TTLIndex."""
    return f"{datetime.fromtimestamp(ttl, UTC):%Y-%m-%d}"


class ThreadItem(Item):
    """An item with the string key `conversation_id`, made from `pattern`."""

    pattern: ClassVar[str]

    @classmethod
    def key(cls, *parts: str) -> Attributes:
        """Return the key with *parts* filled into the pattern, in its order. Raises ValueError for an empty part."""
        return {PARTITION_KEY: filled(cls.pattern, *parts)}
