"""
Frequency caps over sliding windows, not calendar days: two a day are also two around midnight.

An item holds as many times as its highest limit allows, under short hashes of the action ids. So a repeated action is
not counted again, and the time of the next permitted send is exact. The same map can be part of an item that is written
anyway (`free_at`, `with_moment`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from boto3.dynamodb.conditions import Attr

from shared.aws.dynamodb import TTL_ATTRIBUTE, ConditionFailed
from shared.aws.sqs_fifo import digest
from shared.aws.tables.rate_limits.limit import ROUNDS, Limit
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from shared.aws.dynamodb import Attributes, Table

# Short hash of an action id -> its time (ms since 1970).
type Moments = Mapping[str, int]

_HASH_CHARACTERS = 12  # enough to be unique among a few dozen actions


def free_at(moments: Moments, action_id: str, limits: Sequence[Limit], now_ms: int) -> int | None:
    """
    Return when one more may be sent, in ms since 1970; None for now.

    An action that is already counted is always permitted: its redelivery completes the permitted send.
    """
    if _short(action_id) in moments:
        return None
    waits = [limit.free_at(moments.values(), now_ms) for limit in limits]
    return max((wait for wait in waits if wait is not None), default=None)


def with_moment(
    moments: Moments, action_id: str, limits: Sequence[Limit], now_ms: int
) -> dict[str, int]:
    """Return the moments including one more action, without moments older than every limit."""
    oldest = now_ms - max(limit.within_ms for limit in limits)
    counted = {_short(action_id): now_ms} | dict(moments)
    newest_first = sorted(counted.items(), key=lambda entry: entry[1], reverse=True)
    newest = newest_first[: max(limit.most for limit in limits)]
    return {name: moment for name, moment in newest if moment > oldest}


@dataclass(frozen=True, slots=True)
class Caps:
    """The counters in *table*; *key_of* builds the key of a subject."""

    table: Table
    key_of: Callable[[str], Attributes]

    def look(self, subject: str, action_id: str, limits: Sequence[Limit]) -> int | None:
        """Return `free_at` of a subject without counting, so that an answer can be written first. One read."""
        return free_at(
            _moments(self.table.get(self.key_of(subject))), action_id, limits, clock.now_ms()
        )

    def take(self, subject: str, action_id: str, limits: Sequence[Limit]) -> int | None:
        """
        Count an action and return None; if the limit is reached, return when there is room (ms since 1970). Read and
        write.

        Idempotent with the same limits. Raises Transient if too many concurrent calls count the same subject.
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
                # Another call was faster; or our own write succeeded and its response was lost: then the item has our
                # action.
                seen = lost.existing
                continue
            return None
        raise Transient("cap_contended")

    def give_back(self, subject: str, action_id: str, limits: Sequence[Limit]) -> None:
        """Remove the count of an action that certainly was not sent. Idempotent. Raises Transient as `take`."""
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
        """Write the moments, unless the item has changed since it was read. Raises ConditionFailed."""
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
