"""The base of item classes: a table's attributes as a pydantic model, and keys from patterns."""

import re
from typing import ClassVar, Self

from boto3.dynamodb.conditions import Attr
from pydantic import BaseModel, ConfigDict

from shared.aws.dynamodb import Attributes

_PLACEHOLDER = re.compile(r"{(\w+)}")
_ABSENT: tuple[object, ...] = ("", {}, [], set())


class Item(BaseModel):
    """
    One type of item. Absent and empty values are not stored; attributes written by a newer version are kept.

    A field is stored under its alias if it has one. `pattern` is the pattern of the partition key.
    """

    model_config = ConfigDict(
        extra="allow", populate_by_name=True, defer_build=True, hide_input_in_errors=True
    )
    partition_key: ClassVar[str]
    pattern: ClassVar[str]

    @classmethod
    def key(cls, *parts: str) -> Attributes:
        """Return the key with *parts* filled into the pattern, in its order. Raises ValueError for an empty part."""
        return {cls.partition_key: filled(cls.pattern, *parts)}

    @classmethod
    def name_of(cls, field: str) -> str:
        """Return the stored name of a field. Raises KeyError for a field that is not declared."""
        return cls.model_fields[field].alias or field

    @classmethod
    def attr(cls, field: str) -> Attr:
        """Return the attribute of a field, for conditions. Raises KeyError for a field that is not declared."""
        return Attr(cls.name_of(field))

    @classmethod
    def read(cls, attributes: Attributes) -> Self:
        """Parse a stored item."""
        return cls.model_validate(attributes)

    def attributes(self) -> Attributes:
        """Return the item as it is stored."""
        return stored(self)


def stored(model: BaseModel) -> Attributes:
    """Return a model, or a part of an item, as it is stored: without absent and empty values."""
    values = model.model_dump(by_alias=True, exclude_none=True)
    return {name: value for name, value in values.items() if value not in _ABSENT}


def filled(pattern: str, *parts: str) -> str:
    """Fill a key pattern with *parts* in order. Raises ValueError for a wrong number of parts or an empty one."""
    names = _PLACEHOLDER.findall(pattern)
    if len(parts) != len(names) or not all(parts):
        raise ValueError(f"{pattern} requires {names}, all non-empty")
    return pattern.format(**dict(zip(names, parts, strict=True)))
