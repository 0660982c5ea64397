"""Access patterns of the tombstones of erased addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from email_threads.store.items import ErasedAddress
from shared.aws.dynamodb import ConditionFailed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shared.aws.dynamodb import Table


def write(table: Table, subject: str, until: str) -> None:
    """Write the tombstone of a subject; a later one stays. Idempotent."""
    stored = ErasedAddress.attr("until")
    try:
        table.put(
            ErasedAddress.of(subject, until).attributes(),
            when=stored.not_exists() | stored.lte(until),
        )
    except ConditionFailed:
        return


def newest(table: Table, subjects: Iterable[str]) -> str:
    """Return the latest time of these subjects' tombstones; empty if there is none."""
    items = table.get_many([ErasedAddress.key(one) for one in dict.fromkeys(subjects)])
    return max((ErasedAddress.read(item).until for item in items), default="")
