"""
Number of partitions of gsi_list that share the entries of a company's lists.

A partition takes 1,000 write units a second: about 500 changed conversations. When DynamoDB throttles a company's
partition, the number doubles. It never falls, and the first partition keeps its name, so entries stay where they are
until they change, and are found there.

    throttled -> readers merge twice as many partitions, at once    -> EFFECT_MS later writers use them

Processes read the number once a minute. So each of them merges the further partitions before one of them is written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

from boto3.dynamodb.conditions import Attr

from shared.aws.dynamodb import ConditionFailed
from shared.inbox.items import PARTITION_KEY, CompanyLists, pk
from shared.runtime import clock
from shared.runtime.observability import logger

if TYPE_CHECKING:
    from shared.aws.dynamodb import Table

MOST: Final = 8  # about 4,000 changes a second
REREAD_MS: Final = 60 * clock.SECOND_MS
EFFECT_MS: Final = 2 * REREAD_MS
_MOST_HELD: Final = 10_000  # companies of one process

type _Held = dict[str, tuple[int, CompanyLists]]

_held: WeakKeyDictionary[Table, _Held] = WeakKeyDictionary()


def merged(table: Table, company: str) -> int:
    """Return the number of partitions that a list of the company is read from."""
    return _lists(table, company).partitions


def written(table: Table, company: str) -> int:
    """Return the number of partitions that entries of the company are written to."""
    lists = _lists(table, company)
    return lists.partitions if clock.now_ms() >= lists.since_ms else lists.earlier


def double(table: Table, company: str) -> None:
    """
    Double the partitions of a company's lists, up to MOST. Safe to repeat.

    Changes nothing before all writers use the present number: until then a throttled write says nothing about it.
    """
    stored, now = _stored(table, company), clock.now_ms()
    if stored.partitions >= MOST or (stored.since_ms and now < stored.since_ms + REREAD_MS):
        return
    doubled = CompanyLists(
        pk=CompanyLists.key(company),
        partitions=2 * stored.partitions,
        earlier=stored.partitions,
        since_ms=now + EFFECT_MS,
    )
    is_present = CompanyLists.attr("partitions").eq(stored.partitions)
    try:
        table.put(doubled.attributes(), when=Attr(PARTITION_KEY).not_exists() | is_present)
    except ConditionFailed:
        return  # Another run has doubled it.
    logger.warning("inbox lists have more partitions", extra={"partitions": doubled.partitions})


def forget() -> None:
    """Clear the numbers that this process has read."""
    _held.clear()


def _lists(table: Table, company: str) -> CompanyLists:
    held, now = _held.setdefault(table.source, {}), clock.now_ms()
    read_at, lists = held.get(company, (-REREAD_MS, None))
    if lists is None or now >= read_at + REREAD_MS:
        if len(held) >= _MOST_HELD:
            held.clear()
        lists = _stored(table, company)
        held[company] = (now, lists)
    return lists


def _stored(table: Table, company: str) -> CompanyLists:
    key = CompanyLists.key(company)
    item = table.get(pk(key))
    return CompanyLists.read(item) if item else CompanyLists(pk=key)
