"""Writes of whole items in place of what the caller has read, so that two people do not overwrite each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from boto3.dynamodb.conditions import Attr

from shared.aws.dynamodb import ConditionFailed

if TYPE_CHECKING:
    from shared.aws.dynamodb import Attributes, Table
    from shared.aws.tables.items import Item

_AT: Final = "updated_at"  # the field that differs after every write


class ChangedMeanwhile(Exception):
    """The item is another one than the caller has read."""


@dataclass(frozen=True, slots=True)
class Seen:
    """The `updated_at` of the item that the caller has read; None: there was none."""

    updated_at: str | None


def put(table: Table, key: Attributes, item: Item, seen: Seen | None) -> None:
    """
    Write an item with an `updated_at` in place of the one that was *seen*; None: in place of any. Repeatable: what is
    stored may already be the same by the same person. Raises ChangedMeanwhile.
    """
    at = type(item).attr(_AT)
    when = None
    if seen is not None:
        is_absent = Attr(next(iter(key))).not_exists()
        when = is_absent if seen.updated_at is None else at.eq(seen.updated_at)
    try:
        table.put(item.attributes(), when=when)
    except ConditionFailed as refusal:
        name, wanted = type(item).name_of(_AT), item.attributes()
        if {**(refusal.existing or {}), name: wanted[name]} != wanted:
            raise ChangedMeanwhile("seen: it was changed meanwhile") from None
