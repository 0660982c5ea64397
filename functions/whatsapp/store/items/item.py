"""The base of all items of the whatsapp table: one string key made from a pattern, camelCase attributes, `itemType`."""

from dataclasses import dataclass
from typing import ClassVar

from pydantic import ConfigDict
from pydantic.alias_generators import to_camel

from shared.aws.dynamodb import Attributes
from shared.aws.tables.items import Item, filled

PARTITION_KEY = "pk"


@dataclass(frozen=True, slots=True)
class AtMost:
    """
    The bound of a collection attribute, for `Annotated`: every collection has one.

    Writers enforce it, tests check it on every item that a run has stored, and the reference page prints it. Reads do
    not check it: an item over its bound must still be readable.
    """

    count: int
    what: str = "entries"


class WhatsAppItem(Item):
    """
    An item type. Fields are snake_case in Python and camelCase in the table; absent and empty ones are not stored.

    Unknown attributes of newer versions are preserved. `indexes`: the indexes that contain items of this type;
    `ttl_days`: their lifetime, None if they are kept or `ttl_note` describes it.
    """

    model_config = ConfigDict(alias_generator=to_camel)
    item_type: ClassVar[str]
    pk_pattern: ClassVar[str]
    indexes: ClassVar[tuple[str, ...]] = ()
    ttl_days: ClassVar[int | None] = None
    ttl_note: ClassVar[str] = ""

    pk: str
    company: str | None = None
    ttl: int | None = None  # epoch seconds

    @classmethod
    def key(cls, *parts: str) -> str:
        """
        Return the partition key with *parts* filled into the pattern, in its order. Raises ValueError for an empty
        part.
        """
        return filled(cls.pk_pattern, *parts)

    @classmethod
    def is_key(cls, pk: str) -> bool:
        """Whether a key is of an item of this type."""
        return pk.startswith(cls.pk_pattern.partition("{")[0])

    def attributes(self) -> Attributes:
        """Return the item as it is stored."""
        return {"itemType": self.item_type, **super().attributes()}


def pk(value: str) -> Attributes:
    """Return the complete key of the item with this partition key."""
    return {PARTITION_KEY: value}
