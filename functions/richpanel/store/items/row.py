"""Base of the rows of all three tables."""

import re
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from boto3.dynamodb.conditions import Attr
from pydantic import BaseModel, ConfigDict

from shared.aws.dynamodb import Attributes
from shared.runtime import clock

TTL_ATTRIBUTE = "expires_at"  # of all three tables; epoch seconds
_PLACEHOLDER = re.compile(r"{(\w+)}")


@dataclass(frozen=True, slots=True)
class AtMost:
    """Maximum size of an attribute with several values: no row may grow without a bound."""

    count: int


class Row(BaseModel):
    """One type of row. Absent and empty values are not stored; attributes written by a newer version are kept."""

    model_config = ConfigDict(extra="allow", defer_build=True, hide_input_in_errors=True)
    partition_key: ClassVar[str]
    patterns: ClassVar[tuple[str, ...]]  # of the partition key; the first is the usual one
    ttl_days: ClassVar[int]

    expires_at: int

    @classmethod
    def attr(cls, field: str) -> Attr:
        """Return the attribute of a field, for conditions. Raises KeyError for a field that is not declared."""
        return Attr(declared(cls, field))

    @classmethod
    def named(cls, **fields: Any) -> Attributes:  # noqa: ANN401 - values of any field
        """Return field values in stored form, for updates; `None` means "leave as it is"."""
        return {declared(cls, field): value for field, value in fields.items()}

    @classmethod
    def read(cls, attributes: Attributes) -> Self:
        """Parse a stored row."""
        return cls.model_validate(attributes)

    @classmethod
    def time_to_live(cls) -> int:
        """Return `expires_at` of a row that is written now."""
        return clock.expires_in(cls.ttl_days * clock.DAY_SECONDS)

    def attributes(self) -> Attributes:
        """Return the row as it is stored."""
        stored = self.model_dump(exclude_none=True)
        return {name: value for name, value in stored.items() if value not in ("", {}, [], set())}


def declared(row: type[Row], field: str) -> str:
    """Return *field* if the row declares it. Raises KeyError otherwise."""
    if field not in row.model_fields:
        raise KeyError(f"{row.__name__} has no {field}")
    return field


def filled(pattern: str, *parts: str) -> str:
    """Fill *pattern* with *parts* in order. Raises ValueError for a wrong number of parts or an empty one."""
    names = _PLACEHOLDER.findall(pattern)
    if len(parts) != len(names) or not all(parts):
        raise ValueError(f"{pattern} requires {names}, all non-empty")
    return pattern.format(**dict(zip(names, parts, strict=True)))
