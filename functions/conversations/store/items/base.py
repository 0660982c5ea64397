"""What all items of the conversation log share: two text keys made from patterns, and attributes in snake_case."""

import re
from typing import Any, ClassVar, Self

from boto3.dynamodb.conditions import Attr
from pydantic import BaseModel, ConfigDict

from shared import clock
from shared.aws.dynamodb import Attributes

PARTITION_KEY = "pk"
SORT_KEY = "sk"
ONLY = "#"  # the sort key of what has no siblings
_PLACEHOLDER = re.compile(r"{(\w+)}")


class LogItem(BaseModel):
    """
    One item type. Absent and empty values are not stored; attributes that a newer version wrote are kept.

    `ttl_days` is how long an item lives where the company does not say so (`retention_days`); None: it does, unless
    `ttl_note` says otherwise.
    """

    model_config = ConfigDict(extra="allow", defer_build=True, hide_input_in_errors=True)
    item_type: ClassVar[str]
    pk_pattern: ClassVar[str]
    sk_pattern: ClassVar[str]
    ttl_days: ClassVar[int | None] = None
    ttl_note: ClassVar[str] = ""

    ttl: int | None = None  # epoch seconds

    @classmethod
    def partition(cls, *parts: str) -> str:
        """The partition key with *parts* in the places of its pattern. Raises ValueError for an empty one."""
        return _filled(cls.pk_pattern, *parts)

    @classmethod
    def attr(cls, field: str) -> Attr:
        """The attribute of a field, or of a part of one (`turn.stage`), for conditions. Raises KeyError."""
        _declared(cls, field.partition(".")[0])
        return Attr(field)

    @classmethod
    def named(cls, **fields: Any) -> Attributes:  # noqa: ANN401 - values of any field
        """Field values as they are stored, for updates; None stands for "leave as it is". Raises KeyError."""
        return {_declared(cls, field): value for field, value in fields.items()}

    @classmethod
    def read(cls, attributes: Attributes) -> Self:
        """The item that *attributes* are."""
        return cls.model_validate(attributes)

    @classmethod
    def time_to_live(cls) -> int | None:
        """`ttl` of an item that is written now."""
        return None if cls.ttl_days is None else clock.expires_in(cls.ttl_days * clock.DAY_SECONDS)

    def attributes(self, key: Attributes) -> Attributes:
        """The item as it is stored under *key*."""
        stored = self.model_dump(exclude_none=True, mode="json")
        present = {name: value for name, value in stored.items() if value not in ("", {}, [])}
        return {**key, "item_type": self.item_type, **present}


def key(pk: str, sk: str = ONLY) -> Attributes:
    """The whole key of an item of the log."""
    return {PARTITION_KEY: pk, SORT_KEY: sk}


def _filled(pattern: str, *parts: str) -> str:
    names = _PLACEHOLDER.findall(pattern)
    if len(parts) != len(names) or not all(parts):
        raise ValueError(f"{pattern} needs {names}, none of them empty")
    return pattern.format(**dict(zip(names, parts, strict=True)))


def sort_key(pattern: str, *parts: str) -> str:
    """A sort key with *parts* in the places of its pattern. Raises ValueError for an empty one."""
    return _filled(pattern, *parts)


def _declared(item: type[LogItem], field: str) -> str:
    if field not in item.model_fields:
        raise KeyError(f"{item.__name__} has no {field}")
    return field
