"""
Quotas: a maximum per minute and per day (UTC), for limits too high to store the time of each action.

One item per subject holds a bucket for each limit: its window number and its count. While all windows are current, one
conditional addition counts in all of them at once, without a read.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING

from boto3.dynamodb.conditions import Attr

from shared.aws.dynamodb import TTL_ATTRIBUTE, ConditionFailed
from shared.aws.tables.rate_limits.limit import ROUNDS, Limit
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from boto3.dynamodb.conditions import ConditionBase

    from shared.aws.dynamodb import Attributes, Table


@dataclass(slots=True, eq=False)
class Quotas:
    """The buckets in *table*; *key_of* builds the key of a subject, *more* are attributes of each item."""

    table: Table
    key_of: Callable[[str], Attributes]
    more: Attributes = field(default_factory=dict)

    def take(self, subject: str, limits: Sequence[Limit]) -> int | None:
        """
        Count one and return None; or count nothing and return when there is room again (ms since 1970).

        A repeated call counts again: callers with an idempotency key check it first. One write, two in the first call
        of a window. Raises Transient if too many concurrent calls begin the same window.
        """
        key, now = self.key_of(subject), clock.now_ms()
        windows = {limit: _bucket(limit, now) for limit in limits}
        for _ in range(ROUNDS):
            try:
                self._add(key, windows)
            except ConditionFailed as refused:
                seen = refused.existing
            else:
                return None
            windows = {limit: _bucket(limit, now, seen) for limit in limits}
            used = {limit: _used(seen, limit, windows[limit]) for limit in limits}
            full = [limit for limit in limits if used[limit] >= limit.most]
            if full:
                return max((windows[limit] + 1) * limit.within_ms for limit in full)
            if self._has_begun(key, seen, windows, used):
                return None
        raise Transient("quota_contended")

    def _add(self, key: Attributes, windows: Mapping[Limit, int]) -> None:
        """Count one in current windows. Raises ConditionFailed if one of them is not current, or full."""
        self.table.update(
            key,
            add={_count(limit): 1 for limit in windows},
            when=_all(
                Attr(_window(limit)).eq(bucket) & Attr(_count(limit)).lt(limit.most)
                for limit, bucket in windows.items()
            ),
        )

    def _has_begun(
        self,
        key: Attributes,
        seen: Attributes | None,
        windows: Mapping[Limit, int],
        used: Mapping[Limit, int],
    ) -> bool:
        """Begin the windows that are not current, and count one; return False if another call has changed the item."""
        limits = [*windows]
        counted = {_count(limit): used[limit] + 1 for limit in limits}
        begun = {_window(limit): windows[limit] for limit in limits}
        longest = max(limit.within_seconds for limit in limits)
        expiry = clock.expires_in(longest + clock.DAY_SECONDS)
        try:
            self.table.put(
                {**key, **self.more, **counted, **begun, TTL_ATTRIBUTE: expiry},
                when=_as_seen(seen, limits),
            )
        except ConditionFailed:
            return False
        return True


def _bucket(limit: Limit, now: int, item: Attributes | None = None) -> int:
    """Return the window number; a window begun by a process with a faster clock stays in use."""
    begun = item.get(_window(limit), 0) if item else 0
    return max(now // limit.within_ms, int(begun))


def _used(item: Attributes | None, limit: Limit, bucket: int) -> int:
    is_current = item is not None and item.get(_window(limit)) == bucket
    return int(item[_count(limit)]) if item and is_current else 0


def _as_seen(item: Attributes | None, limits: Sequence[Limit]) -> ConditionBase:
    """Build the condition that the counts are unchanged since the item was read."""
    names = [name for limit in limits for name in (_window(limit), _count(limit))]
    if item is None:
        return Attr(names[0]).not_exists()
    return _all(
        Attr(name).eq(item[name]) if name in item else Attr(name).not_exists() for name in names
    )


def _all(conditions: Iterable[ConditionBase]) -> ConditionBase:
    return reduce(and_, conditions)


def _count(limit: Limit) -> str:
    return f"count_{limit.within_seconds}"


def _window(limit: Limit) -> str:
    return f"window_{limit.within_seconds}"
