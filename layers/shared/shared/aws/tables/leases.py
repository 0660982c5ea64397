"""
Leases: the right of one worker to process an item, held in attributes of the item itself.

    (absent, or past its TTL) --claim--> held --finish--> finished: no owner, stops every later worker
                                         |  ^
                       release or expiry |  | take_over: next owner, attempts + 1
                                         v  |
                                         free

The owner is the fence. It is unique per invocation and every write here is conditional on it, so a worker whose lease
has expired changes nothing after another one took over. Calls that such a worker still makes elsewhere are not stopped:
side effects need the action ledger or conditions.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from boto3.dynamodb.conditions import Attr

from shared.aws.dynamodb import ConditionFailed
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from boto3.dynamodb.conditions import ConditionBase

    from shared.aws.dynamodb import Attributes, Table

# Lambda kills a worker at its timeout; the grace covers clock differences.
GRACE_MS = 5 * clock.SECOND_MS
AFTER_LEASE_MS = clock.SECOND_MS


class Held(Transient):
    """Another worker may still be processing *item*; after *wait_ms* its lease has expired."""

    def __init__(self, item: Attributes, wait_ms: int) -> None:
        super().__init__("lease_held", wait_ms)
        self.item = item


class Finished(Exception):
    """The work on *item* is complete."""

    def __init__(self, item: Attributes) -> None:
        super().__init__("finished")
        self.item = item


class LeaseLost(Transient):
    """Another worker took over the item: this one must not write anything more for it."""

    def __init__(self) -> None:
        super().__init__("lease_lost")


def expiry(remaining_ms: int, grace_ms: int = GRACE_MS) -> int:
    """Return when the lease of a worker with *remaining_ms* before its timeout expires, ms since 1970."""
    return clock.now_ms() + remaining_ms + grace_ms


@dataclass(frozen=True, slots=True)
class LeaseAttributes:
    """
    The attributes of an item class that hold its lease, by their stored names.

    *owner*: text, removed when the item is finished. *until*: expiry in ms since 1970, 0 once released. *attempts*:
    number of owners so far, 1 for the first.
    """

    owner: str
    until: str
    attempts: str | None = None


@dataclass(slots=True, eq=False)
class Leases:
    """The leases of one item class in *table*."""

    table: Table
    names: LeaseAttributes

    def acquire(
        self, key: Attributes, item: Attributes, *, again: Mapping[str, Any] | None = None
    ) -> Attributes:
        """
        Write *item* with its lease, or take over the existing item; return the item now stored.

        *again* is what a take-over writes besides the lease. Raises Held and Finished.
        """
        return self.take_over(key, self.claim(key, item), item, put=again)

    def claim(self, key: Attributes, item: Attributes) -> Attributes:
        """Write *item* unless one exists; return the stored item. An item past its TTL counts as absent."""
        absent = Attr(next(iter(key))).not_exists()
        over = Attr(self.table.ttl_attribute).lte(clock.now_ms() // clock.SECOND_MS)
        try:
            self.table.put(item, when=absent | over)
        except ConditionFailed as refusal:
            return refusal.existing or {}
        return item

    def take_over(
        self,
        key: Attributes,
        seen: Attributes,
        mine: Attributes,
        *,
        put: Mapping[str, Any] | None = None,
        when: ConditionBase | None = None,
    ) -> Attributes:
        """
        Give the item *seen* the owner and expiry of *mine*, unless *mine* has them; return the item now stored.

        Raises Held and Finished, also if another worker was faster.
        """
        if self._is_own(seen, mine):
            return seen  # This worker's own write; its response was lost.
        if self.is_held(seen) or self._is_finished(seen):
            raise self._refusal(seen)
        owner, until, attempts = self.names.owner, self.names.until, self.names.attempts
        lease = {owner: mine[owner], until: mine[until]}
        if attempts is not None:
            lease[attempts] = seen.get(attempts, 1) + 1
        unchanged = Attr(owner).eq(seen[owner]) & Attr(until).eq(seen[until])
        try:
            return self.table.update(
                key,
                put={**(put or {}), **lease},
                when=unchanged if when is None else unchanged & when,
            )
        except ConditionFailed as refusal:
            faster = refusal.existing or {}
            if self._is_own(faster, mine):
                return faster
            raise self._refusal(faster) from None

    def renew(self, key: Attributes, owner: str, until: int) -> None:
        """Extend the lease of *owner*. Raises LeaseLost."""
        try:
            self.table.update(key, put={self.names.until: until}, when=self._is_of(owner))
        except ConditionFailed:
            raise LeaseLost from None

    def finish(self, key: Attributes, owner: str, put: Mapping[str, Any]) -> None:
        """Write the result *put* and end the lease of *owner* for good. Raises LeaseLost."""
        lease = (self.names.owner, self.names.until)
        try:
            self.table.update(key, put=put, drop=lease, when=self._is_of(owner))
        except ConditionFailed as refusal:
            # Finished: possibly by this very write, whose response was lost.
            if not refusal.existing or not self._is_finished(refusal.existing):
                raise LeaseLost from None

    def release(self, key: Attributes, owner: str) -> None:
        """Free the item for the next worker at once, unless *owner* has lost or finished it."""
        with suppress(ConditionFailed):
            self.table.update(key, put={self.names.until: 0}, when=self._is_of(owner))

    def is_held(self, item: Attributes) -> bool:
        """Whether the worker of an unfinished item may be alive."""
        return not self._is_finished(item) and int(item[self.names.until]) > clock.now_ms()

    def _is_finished(self, item: Attributes) -> bool:
        return self.names.owner not in item

    def _is_own(self, item: Attributes, mine: Attributes) -> bool:
        return bool(item.get(self.names.owner) == mine[self.names.owner])

    def _is_of(self, owner: str) -> ConditionBase:
        return Attr(self.names.owner).eq(owner)

    def _refusal(self, item: Attributes) -> Held | Finished:
        if item and self._is_finished(item):
            return Finished(item)
        # An item deleted meanwhile is free: its next delivery writes it again.
        remaining_ms = max(0, int(item.get(self.names.until, 0)) - clock.now_ms())
        return Held(item, remaining_ms + AFTER_LEASE_MS)
