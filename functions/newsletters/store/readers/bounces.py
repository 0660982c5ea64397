"""Temporary bounces of an address, in a row: the fifth one says that mail does not reach it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from boto3.dynamodb.conditions import Attr

from newsletters.store.items import SoftBounces
from newsletters.store.items.item import PARTITION_KEY
from shared.aws.dynamodb import ConditionFailed
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from shared.aws.dynamodb import Table

MOST: Final = 5  # in a row, without a delivery between them
ROUNDS: Final = 4


def note(table: Table, company_id: str, recipient: str, mail: str, at: str) -> int:
    """
    Note the bounce of a mail, by the provider's id, and return how many there are in a row. A repeated event counts
    once. Raises Transient after many concurrent writes.
    """
    key = SoftBounces.key(company_id, recipient)
    for _ in range(ROUNDS):
        item = table.get(key)
        found = SoftBounces.read(item) if item else None
        mails = found.mails if found else []
        if mail in mails:
            return len(mails)
        made = SoftBounces(
            **key,
            mails=[*mails, mail][-MOST:],
            last_at=max(at, found.last_at) if found else at,
            ttl=clock.expires_in(SoftBounces.ttl_days * clock.DAY_SECONDS),
        )
        is_over = SoftBounces.attr("ttl").lte(clock.now_ms() // clock.SECOND_MS)
        absent = Attr(PARTITION_KEY).not_exists() | is_over
        try:
            table.put(
                made.attributes(), when=SoftBounces.attr("mails").eq(mails) if found else absent
            )
        except ConditionFailed:
            continue
        return len(made.mails)
    raise Transient("bounces_contended")


def forget(table: Table, company_id: str, recipient: str, delivered_at: str) -> None:
    """End a row of bounces that are older than a delivery. Reads first: most addresses have none."""
    key = SoftBounces.key(company_id, recipient)
    item = table.get(key)
    if item is not None and SoftBounces.read(item).last_at < delivered_at:
        try:
            table.delete(key, when=SoftBounces.attr("last_at").lt(delivered_at))
        except ConditionFailed:
            return  # a newer bounce was noted meanwhile
