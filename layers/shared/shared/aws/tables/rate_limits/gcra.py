"""
Rates: one action per interval in milliseconds, with a short burst after a pause.

The item holds one number, the time from which sending is free again (the "theoretical arrival time" of the generic cell
rate algorithm, ITU-T I.371). Each send advances it; sends are permitted while it is ahead by less than the burst.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from boto3.dynamodb.conditions import Attr, ConditionBase

from shared.aws.dynamodb import ConditionFailed
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Callable

    from shared.aws.dynamodb import Attributes, Table
    from shared.aws.tables.rate_limits.limit import Rate


@dataclass(frozen=True, slots=True)
class Pace:
    """
    The rates in *table*; *key_of* builds the key of a subject, such as a number or a pair of numbers, *more* are
    attributes of each item.
    """

    table: Table
    key_of: Callable[[str], Attributes]
    more: Attributes = field(default_factory=dict)

    def look(self, subject: str, rate: Rate) -> int | None:
        """Return when the next send is permitted (ms since 1970), None for now. Takes no slot. One read."""
        free_at, now = self._stored(subject), clock.now_ms()
        return free_at - rate.ahead_ms if free_at > now + rate.ahead_ms else None

    def take(self, subject: str, rate: Rate, *, last_seen: int = 0) -> int | None:
        """
        Take the next slot and return None; or take none and return when to retry (ms since 1970).

        One write after a pause, two within a burst. *last_seen*, the stored free time as the caller last saw it (ms
        since 1970), makes it one there too, and a read if no slot is free; a wrong value costs one call. A repeated
        call takes another slot: it delays others a little, and never exceeds the rate.
        """
        key, now, free = self.key_of(subject), clock.now_ms(), Attr("free_at")
        latest, facts = now + rate.ahead_ms, self._facts(rate)
        seen = last_seen if last_seen <= latest else self._stored(subject)
        # The stored time never decreases: each lost round leads on from pause to burst, and from burst to refusal.
        while seen <= latest:
            try:
                if seen > now:
                    # An addition, so that no read is needed and two concurrent calls both count.
                    within = free.gt(now) & free.lte(latest)
                    self.table.update(key, add={"free_at": rate.every_ms}, put=facts, when=within)
                else:
                    over = free.not_exists() | free.lte(now)
                    self.table.update(key, put={"free_at": now + rate.every_ms, **facts}, when=over)
            except ConditionFailed as refused:
                seen = _free_at(refused.existing)
            else:
                return None
        return seen - rate.ahead_ms

    def line_up(
        self, subject: str, rate: Rate, from_ms: int, when: ConditionBase | None = None
    ) -> int:
        """
        Take the next slot of a queue that begins at *from_ms*, however far off, and return its time (ms since 1970).

        One write, two if the queue is not empty: then *when* must hold, or ConditionFailed is raised. A repeated call
        takes another slot, which stays unused.
        """
        key, free, facts = self.key_of(subject), Attr("free_at"), self._facts(rate)
        with suppress(ConditionFailed):
            self.table.update(
                key,
                put={"free_at": from_ms + rate.every_ms, **facts},
                when=free.not_exists() | free.lte(from_ms),
            )
            return from_ms
        last = self.table.update(key, add={"free_at": rate.every_ms}, put=facts, when=when)
        return int(last["free_at"]) - rate.every_ms

    def line_up_until(self, subject: str, rate: Rate, from_ms: int, latest_ms: int) -> int | None:
        """As `line_up`, but take no slot and return None if the next one is later than *latest_ms*."""
        try:
            return self.line_up(subject, rate, from_ms, Attr("free_at").lte(latest_ms))
        except ConditionFailed:
            return None

    def hold(self, subject: str, until_ms: int, rate: Rate) -> None:
        """Permit nothing before *until_ms* (since 1970), because the provider reported too high a rate."""
        later, free = until_ms + rate.ahead_ms, Attr("free_at")
        with suppress(ConditionFailed):
            self.table.update(
                self.key_of(subject),
                put={"free_at": later, **self._facts(rate)},
                when=free.not_exists() | free.lt(later),
            )

    def _stored(self, subject: str) -> int:
        return _free_at(self.table.get(self.key_of(subject)))

    def _facts(self, rate: Rate) -> Attributes:
        lifetime = rate.burst * rate.every_ms // clock.SECOND_MS + clock.DAY_SECONDS
        return {self.table.ttl_attribute: clock.expires_in(lifetime), **self.more}


def _free_at(item: Attributes | None) -> int:
    return int(item.get("free_at", 0)) if item else 0
