"""The base of all items of the whatsapp table: one string key made from a pattern, camelCase attributes, `itemType`."""

import re
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from boto3.dynamodb.conditions import Attr
from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from shared.aws.dynamodb import Attributes

PARTITION_KEY = "pk"
_PLACEHOLDER = re.compile(r"{(\w+)}")


@dataclass(frozen=True, slots=True)
class AtMost:
    """
    The bound of a collection attribute, for `Annotated`: every collection has one.

    Writers enforce it, tests check it on every item that a run has stored, and the reference page prints it. Reads do
    not check it: an item over its bound must still be readable.
    """

    count: int
    what: str = "entries"


class WhatsAppItem(BaseModel):
    """
    An item type. Fields are snake_case in Python and camelCase in the table; absent and empty ones are not stored.

    Unknown attributes of newer versions are preserved. `indexes`: the indexes that contain items of this type;
    `ttl_days`: their lifetime, None if they are kept or `ttl_note` describes it.
    """

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        extra="allow",
        defer_build=True,
        hide_input_in_errors=True,
    )
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
        names = _PLACEHOLDER.findall(cls.pk_pattern)
        if len(parts) != len(names) or not all(parts):
            raise ValueError(f"{cls.item_type} needs non-empty {names}")
        return cls.pk_pattern.format(**dict(zip(names, parts, strict=True)))

    @classmethod
    def attr(cls, field: str) -> Attr:
        """Return the attribute of a field, for conditions."""
        return Attr(cls.name_of(field))

    @classmethod
    def name_of(cls, field: str) -> str:
        """Return the stored name of a field."""
        return str(cls.model_fields[field].alias)

    @classmethod
    def named(cls, **fields: Any) -> Attributes:  # noqa: ANN401 - values of any field
        """Return field values under their stored names, for updates; `None` means "leave unchanged"."""
        return {cls.name_of(field): value for field, value in fields.items()}

    @classmethod
    def read(cls, attributes: Attributes) -> Self:
        """Parse stored attributes into an item."""
        return cls.model_validate(attributes)

    def attributes(self) -> Attributes:
        """Return the item as it is stored."""
        stored = self.model_dump(by_alias=True, exclude_none=True)
        return {
            "itemType": self.item_type,
            **{name: value for name, value in stored.items() if value not in ("", {}, [], set())},
        }


def pk(value: str) -> Attributes:
    """Return the complete key of the item with this partition key."""
    return {PARTITION_KEY: value}
