"""Base of the rows of all three tables."""

from dataclasses import dataclass
from typing import ClassVar

from shared.aws.tables.items import Item
from shared.runtime import clock

TTL_ATTRIBUTE = "expires_at"  # of all three tables; epoch seconds


@dataclass(frozen=True, slots=True)
class AtMost:
    """Maximum size of an attribute with several values: no row may grow without a bound."""

    count: int


class Row(Item):
    """One type of row. Absent and empty values are not stored; attributes written by a newer version are kept."""

    partition_key: ClassVar[str]
    patterns: ClassVar[tuple[str, ...]]  # of the partition key; the first is the usual one
    ttl_days: ClassVar[int]

    expires_at: int

    @classmethod
    def time_to_live(cls) -> int:
        """Return `expires_at` of a row that is written now."""
        return clock.expires_in(cls.ttl_days * clock.DAY_SECONDS)
