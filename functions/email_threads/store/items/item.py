"""The base of all items of the table."""

from typing import ClassVar, Final

from shared.aws.dynamodb import Attributes
from shared.aws.items import Item, filled

PARTITION_KEY: Final = "conversation_id"


class ThreadItem(Item):
    """An item with the string key `conversation_id`, made from `pattern`."""

    pattern: ClassVar[str]

    @classmethod
    def key(cls, *parts: str) -> Attributes:
        """Return the key with *parts* filled into the pattern, in its order. Raises ValueError for an empty part."""
        return {PARTITION_KEY: filled(cls.pattern, *parts)}
