"""Base class of all items of the conversation log: two text keys built from patterns, attributes in snake_case."""

from typing import Any, ClassVar, Self

from boto3.dynamodb.conditions import Attr
from pydantic import BaseModel, ConfigDict

from shared.aws.dynamodb import Attributes
from shared.aws.tables.items import filled
from shared.runtime import clock

PARTITION_KEY = "pk"
SORT_KEY = "sk"
ONLY = "#"  # sort key of a partition's only item


class LogItem(BaseModel):
    """
    One item type. Absent and empty values are not stored; attributes written by a newer version are kept.

    `ttl_days` is the fixed lifetime of an item; None: the company's `retention_days` applies, unless `ttl_note` names
    another rule.
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
        """Fill the partition key pattern with *parts*. Raises ValueError for an empty or missing part."""
        return filled(cls.pk_pattern, *parts)

    @classmethod
    def attr(cls, field: str) -> Attr:
        """Return the attribute of a field or nested field (`turn.stage`) for conditions. Raises KeyError."""
        _declared(cls, field.partition(".")[0])
        return Attr(field)

    @classmethod
    def named(cls, **fields: Any) -> Attributes:  # noqa: ANN401 - values of any field
        """Return field values in stored form for updates; None means "unchanged". Raises KeyError."""
        return {_declared(cls, field): value for field, value in fields.items()}

    @classmethod
    def read(cls, attributes: Attributes) -> Self:
        """Parse stored *attributes*."""
        return cls.model_validate(attributes)

    @classmethod
    def time_to_live(cls) -> int | None:
        """Return the `ttl` (epoch seconds) of an item written now; None without `ttl_days`."""
        return None if cls.ttl_days is None else clock.expires_in(cls.ttl_days * clock.DAY_SECONDS)

    def attributes(self, key: Attributes) -> Attributes:
        """Return the item in stored form under *key*."""
        stored = self.model_dump(exclude_none=True, mode="json")
        present = {name: value for name, value in stored.items() if value not in ("", {}, [])}
        return {**key, "item_type": self.item_type, **present}


def key(pk: str, sk: str = ONLY) -> Attributes:
    """Return the whole key of a log item."""
    return {PARTITION_KEY: pk, SORT_KEY: sk}


def sort_key(pattern: str, *parts: str) -> str:
    """Fill a sort key pattern with *parts*. Raises ValueError for an empty or missing part."""
    return filled(pattern, *parts)


def _declared(item: type[LogItem], field: str) -> str:
    if field not in item.model_fields:
        raise KeyError(f"{item.__name__} has no {field}")
    return field
