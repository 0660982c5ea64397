"""The base of item classes: a table's attributes as a pydantic model, and keys from patterns."""

import re
from typing import Any, Self
from zlib import crc32

from boto3.dynamodb.conditions import Attr
from pydantic import BaseModel, ConfigDict

from shared.aws.dynamodb import Attributes

_PLACEHOLDER = re.compile(r"{(\w+)}")
_ABSENT: tuple[object, ...] = ("", {}, [], set())


class Item(BaseModel):
    """
    One type of item. Absent and empty values are not stored; attributes written by a newer version are kept.

    A field is stored under its alias if it has one. Methods that take the name of a field raise KeyError if the class
    does not declare it.
    """

    model_config = ConfigDict(
        extra="allow", populate_by_name=True, defer_build=True, hide_input_in_errors=True
    )

    @classmethod
    def name_of(cls, field: str) -> str:
        """Return the stored name of a field."""
        if field not in cls.model_fields:
            raise KeyError(f"{cls.__name__} has no {field}")
        return cls.model_fields[field].alias or field

    @classmethod
    def attr(cls, field: str) -> Attr:
        """Return the attribute of a field, for conditions."""
        return Attr(cls.name_of(field))

    @classmethod
    def named(cls, **fields: Any) -> Attributes:  # noqa: ANN401 - values of any field
        """Return field values under their stored names, for updates; `None` means "leave unchanged"."""
        return {cls.name_of(field): value for field, value in fields.items()}

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
        raise ValueError(f"{pattern} needs non-empty {names}")
    return pattern.format(**dict(zip(names, parts, strict=True)))


def shard_of(name: str, shards: int) -> int:
    """Return the number of the partition, of *shards*, that has the entry *name*: even, the same in each process."""
    return crc32(name.encode()) % shards
