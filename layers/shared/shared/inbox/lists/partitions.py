"""
Number of partitions of gsi_list that share the entries of a company's lists.

A partition takes 1,000 write units a second: about 500 changed conversations. When DynamoDB throttles a company's
partition, the number doubles. It never falls, and the first partition keeps its name, so entries stay where they are
until they change, and are found there.

    throttled -> readers merge twice as many partitions, at once    -> EFFECT_MS later writers use them

Processes read the number once a minute. So each of them merges the further partitions before one of them is written.
The item of the number also says which webhooks want events of the company, so that a company without any costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

from boto3.dynamodb.conditions import Attr

from shared.aws.dynamodb import ConditionFailed
from shared.inbox.items import PARTITION_KEY, pk
from shared.inbox.lists.items import CompanyLists
from shared.runtime import clock
from shared.runtime.failures import Transient
from shared.runtime.observability import logger

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from boto3.dynamodb.conditions import ConditionBase

    from shared.aws.dynamodb import Table

MOST: Final = 8  # about 4,000 changes a second
REREAD_MS: Final = 60 * clock.SECOND_MS
EFFECT_MS: Final = 2 * REREAD_MS
_MOST_HELD: Final = 10_000  # companies of one process
_MOST_ROUNDS: Final = 8

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
    doubled = stored.model_copy(
        update={
            "partitions": 2 * stored.partitions,
            "earlier": stored.partitions,
            "since_ms": now + EFFECT_MS,
        }
    )
    try:
        table.put(doubled.attributes(), when=_as_read(stored))
    except ConditionFailed:
        return  # Another run has doubled it, or a webhook was changed: the next throttled write doubles it.
    logger.warning("inbox lists have more partitions", extra={"partitions": doubled.partitions})


def webhooks(table: Table, company: str) -> Mapping[str, list[str]]:
    """Return what each active webhook of the company wants; a process knows a change after REREAD_MS."""
    return _lists(table, company).webhooks


def set_webhooks(table: Table, company: str, read: Callable[[], Mapping[str, list[str]]]) -> None:
    """
    Store what the webhooks of a company want, which *read* returns: after what is stored was read, so that of
    concurrent changes none stores less than another. Safe to repeat. Raises Transient after many concurrent writes.
    """
    for _ in range(_MOST_ROUNDS):
        stored = _stored(table, company)
        wanted = read()
        if stored.webhooks == wanted:
            return
        changed = stored.model_copy(update={"webhooks": dict(wanted)})
        try:
            table.put(changed.attributes(), when=_as_read(stored))
        except ConditionFailed:
            continue
        return
    raise Transient("company_lists_contended")


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


def _as_read(stored: CompanyLists) -> ConditionBase:
    """Return a condition that the item is the one that was read, or that there is none yet."""
    webhooks = CompanyLists.attr("webhooks")
    same = webhooks.eq(stored.webhooks) if stored.webhooks else webhooks.not_exists()
    is_present = CompanyLists.attr("partitions").eq(stored.partitions) & same
    return Attr(PARTITION_KEY).not_exists() | is_present
