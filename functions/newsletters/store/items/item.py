"""The base of all items of the table, and the format of their timestamps."""

import re
from datetime import UTC, date, datetime
from typing import ClassVar, Final

from shared.aws.dynamodb import Attributes
from shared.aws.tables.items import Item, filled

PARTITION_KEY: Final = "PK"
SORT_KEY: Final = "SK"
INDEX: Final = "GSI1"
INDEX_PARTITION_KEY: Final = "GSI1PK"
INDEX_SORT_KEY: Final = "GSI1SK"


def timestamp(moment_ms: int) -> str:
    """Return milliseconds since 1970 as the contract writes moments: `YYYY-MM-DDTHH:MM:SSZ`, UTC."""
    return f"{datetime.fromtimestamp(moment_ms // 1_000, UTC):%Y-%m-%dT%H:%M:%SZ}"


class TableItem(Item):
    """
    An item with the keys `PK` and `SK`, each made from a pattern.

    Empty texts, lists and maps are stored, as the contract has them from the first write; absent values are not,
    except for *nullable* fields, whose None is stored as NULL.
    """

    partition: ClassVar[str]
    sort: ClassVar[str]
    nullable: ClassVar[frozenset[str]] = frozenset()
    ttl_days: ClassVar[int] = 0  # lifetime; 0: kept

    PK: str
    SK: str

    @classmethod
    def key(cls, partition: str, *parts: str) -> Attributes:
        """Return the whole key, with the id in the partition's pattern and *parts* in the pattern of the sort key."""
        return {
            PARTITION_KEY: filled(cls.partition, partition),
            SORT_KEY: filled(cls.sort, *parts),
        }

    def attributes(self) -> Attributes:
        """Return the item as it is stored."""
        values = self.model_dump(by_alias=True, mode="python")
        return {
            name: _without_absent(value)
            for name, value in values.items()
            if value is not None or name in self.nullable
        }


def _without_absent(value: object) -> object:
    """Return a value without the absent values of the maps in it."""
    if isinstance(value, dict):
        return {name: _without_absent(one) for name, one in value.items() if one is not None}
    if isinstance(value, list):
        return [_without_absent(one) for one in value]
    return value


def has_dated_form(form: re.Pattern[str], text: str) -> bool:
    """Return whether *text* has the *form* of an id, whose first group is a date that exists, `YYYYMMDD`."""
    found = form.fullmatch(text)
    if found is None:
        return False
    try:
        date.fromisoformat(found.group(1))
    except ValueError:
        return False
    return True
