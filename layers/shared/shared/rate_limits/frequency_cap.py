"""
Frequency caps, counted by the moments of what was sent, not by the calendar: around midnight two a day stay two.

An item holds as many moments as its highest limit allows, under short hashes of the actions' ids. So an action that
comes again is not counted again, and the answer to "when is the next one free" is exact. The same map fits into an item
that is written anyway (`free_at`, `with_moment`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from boto3.dynamodb.conditions import Attr

from shared import clock
from shared.aws.dynamodb import TTL_ATTRIBUTE, ConditionFailed
from shared.aws.sqs_fifo import digest
from shared.failures import Transient
from shared.rate_limits.limit import ROUNDS, Limit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from shared.aws.dynamodb import Attributes, Table

# Short hash of an action's id -> when it was (ms since 1970).
type Moments = Mapping[str, int]

_HASH_CHARACTERS = 12  # of a few dozen actions no two share them


def free_at(moments: Moments, action_id: str, limits: Sequence[Limit], now_ms: int) -> int | None:
    """
    When one more may be sent, in ms since 1970; None for now.

    An action that is counted already is free: its redelivery finishes what was allowed.
    """
    if _short(action_id) in moments:
        return None
    waits = []
    for limit in limits:
        inside = sorted(moment for moment in moments.values() if moment > now_ms - limit.within_ms)
        if len(inside) >= limit.most:
            waits.append(inside[-limit.most] + limit.within_ms)
    return max(waits, default=None)


def with_moment(
    moments: Moments, action_id: str, limits: Sequence[Limit], now_ms: int
) -> dict[str, int]:
    """The same moments and that of one more action, without those that no limit looks at any more."""
    oldest = now_ms - max(limit.within_ms for limit in limits)
    counted = {_short(action_id): now_ms} | dict(moments)
    newest_first = sorted(counted.items(), key=lambda entry: entry[1], reverse=True)
    kept = newest_first[: max(limit.most for limit in limits)]
    return {name: moment for name, moment in kept if moment > oldest}


@dataclass(frozen=True, slots=True)
class Caps:
    """The counters in *table*; *key_of* makes the key of a subject."""

    table: Table
    key_of: Callable[[str], Attributes]

    def look(self, subject: str, action_id: str, limits: Sequence[Limit]) -> int | None:
        """As `free_at`, of a subject. Nothing is counted, so that an answer can be written first. One read."""
        return free_at(
            _moments(self.table.get(self.key_of(subject))), action_id, limits, clock.now_ms()
        )

    def take(self, subject: str, action_id: str, limits: Sequence[Limit]) -> int | None:
        """
        Count an action, unless it would be one too many: then, when there will be room (ms since 1970). Read and write.

        Safe to repeat with the same limits. Raises Transient where too many others count the same subject.
        """
        seen = self.table.get(self.key_of(subject))
        for _ in range(ROUNDS):
            moments, now = _moments(seen), clock.now_ms()
            wait = free_at(moments, action_id, limits, now)
            if wait is not None or _short(action_id) in moments:
                return wait
            try:
                self._write(subject, seen, with_moment(moments, action_id, limits, now), limits)
            except ConditionFailed as lost:
                # Somebody was faster; or our own write was, and its answer was lost: then it shows our action.
                seen = lost.existing
                continue
            return None
        raise Transient("cap_contended")

    def give_back(self, subject: str, action_id: str, limits: Sequence[Limit]) -> None:
        """Count an action no more: it certainly was not sent. Safe to repeat. Raises Transient as `take`."""
        seen = self.table.get(self.key_of(subject))
        for _ in range(ROUNDS):
            moments = dict(_moments(seen))
            if moments.pop(_short(action_id), None) is None:
                return
            try:
                self._write(subject, seen, moments, limits)
            except ConditionFailed as lost:
                seen = lost.existing
                continue
            return
        raise Transient("cap_contended")

    def _write(
        self, subject: str, seen: Attributes | None, moments: Moments, limits: Sequence[Limit]
    ) -> None:
        """Write the moments, unless the item is no longer the one that was seen. Raises ConditionFailed."""
        version = int(seen["version"]) if seen else 0
        longest = max(limit.within_seconds for limit in limits)
        self.table.put(
            {
                **self.key_of(subject),
                "moments": dict(moments),
                "version": version + 1,
                TTL_ATTRIBUTE: clock.expires_in(longest + clock.DAY_SECONDS),
            },
            when=Attr("version").eq(version) if seen else Attr("version").not_exists(),
        )


def _moments(item: Attributes | None) -> Moments:
    return {name: int(moment) for name, moment in item["moments"].items()} if item else {}


def _short(action_id: str) -> str:
    return digest(action_id)[:_HASH_CHARACTERS]
