"""What the rows of all three tables share."""

import re
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from boto3.dynamodb.conditions import Attr
from pydantic import BaseModel, ConfigDict

from shared import clock
from shared.aws.dynamodb import Attributes

TTL_ATTRIBUTE = "expires_at"  # of all three tables; epoch seconds
_PLACEHOLDER = re.compile(r"{(\w+)}")


@dataclass(frozen=True, slots=True)
class AtMost:
    """The bound of an attribute that holds several things: no row grows without one."""

    count: int


class Row(BaseModel):
    """One type of row. Absent and empty values are not stored; attributes that a newer version wrote are kept."""

    model_config = ConfigDict(extra="allow", defer_build=True, hide_input_in_errors=True)
    partition_key: ClassVar[str]
    patterns: ClassVar[tuple[str, ...]]  # of the partition key; the first is the usual one
    ttl_days: ClassVar[int]

    expires_at: int

    @classmethod
    def attr(cls, field: str) -> Attr:
        """The attribute of a field, for conditions. Raises KeyError for a field that is not declared."""
        return Attr(declared(cls, field))

    @classmethod
    def named(cls, **fields: Any) -> Attributes:  # noqa: ANN401 - values of any field
        """Field values as they are stored, for updates; `None` stands for "leave as it is"."""
        return {declared(cls, field): value for field, value in fields.items()}

    @classmethod
    def read(cls, attributes: Attributes) -> Self:
        """The row that *attributes* are."""
        return cls.model_validate(attributes)

    @classmethod
    def time_to_live(cls) -> int:
        """`expires_at` of a row that is written now."""
        return clock.expires_in(cls.ttl_days * clock.DAY_SECONDS)

    def attributes(self) -> Attributes:
        """The row as it is stored."""
        stored = self.model_dump(exclude_none=True)
        return {name: value for name, value in stored.items() if value not in ("", {}, [], set())}


def declared(row: type[Row], field: str) -> str:
    """*field*, which the row must have. Raises KeyError for another."""
    if field not in row.model_fields:
        raise KeyError(f"{row.__name__} has no {field}")
    return field


def filled(pattern: str, *parts: str) -> str:
    """*pattern* with *parts* in its places, in its order. Raises ValueError for an empty one."""
    names = _PLACEHOLDER.findall(pattern)
    if len(parts) != len(names) or not all(parts):
        raise ValueError(f"{pattern} needs {names}, none of them empty")
    return pattern.format(**dict(zip(names, parts, strict=True)))
