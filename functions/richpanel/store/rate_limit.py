"""
The help desk's request limit, shared by everybody who calls it: one token bucket in the state table.

The account may make 50 requests in any 30 seconds. The bucket holds 8 tokens and gains 1.4 a second, so no 30 seconds
see more than 8 + 30 x 1.4 = 50, however many workers take them. A request that is refused all the same closes the
bucket for all of them until the time that the help desk named.

    take:   read -> enough tokens? -> write tokens - 1, if `version` is still the one that was read -> go
                 -> too few, or closed -> wait for them here if that is short, else Throttled: the queue brings it back
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from decimal import Decimal
from email.utils import parsedate_to_datetime
from enum import IntEnum
from typing import TYPE_CHECKING

from richpanel.store.items import TokenBucket, key_of
from shared import clock
from shared.aws.dynamodb import ConditionFailed
from shared.failures import Transient

if TYPE_CHECKING:
    from shared.aws.dynamodb import Table

KEY = TokenBucket.patterns[0]
CAPACITY = Decimal(8)
REFILL_PER_MS = Decimal("0.0014")
LEFT_AFTER_WAIT_MS = 15 * clock.SECOND_MS
JITTER_MS = 2 * clock.SECOND_MS
# Of a 429 that names no time.
BLOCK_MS = 10 * clock.SECOND_MS
# A lost round is one that somebody else won. Ten workers, sweep and admin win at most twelve before it is our turn;
# the waits need the rest.
ROUNDS = 24


class Lane(IntEnum):
    """Who asks, and how many tokens it leaves to those who are more in a hurry."""

    CHAT = 0
    MAIL = 3
    BACKGROUND = 5  # sweep and admin


# Mail waits longer in place: what comes back to the queue instead uses up one of its five receives.
LONGEST_WAIT_MS = {
    Lane.CHAT: 5 * clock.SECOND_MS,
    Lane.MAIL: 20 * clock.SECOND_MS,
    Lane.BACKGROUND: 5 * clock.SECOND_MS,
}


class Throttled(Transient):
    """No token now; after *wait_ms*, which holds some jitter, there may be one."""

    def __init__(self, wait_ms: int) -> None:
        super().__init__("throttled", wait_ms)


@dataclass(frozen=True, slots=True)
class Limiter:
    """The bucket in *table*, the state table."""

    table: Table

    def take(self, lane: Lane, deadline_ms: int) -> None:
        """
        Take one token for one request, which has to follow at once. Raises Throttled.

        *deadline_ms*: when this invocation ends. A token is waited for at most 5 s, by mail 20 s; the end of a
        closed bucket for as long as 15 s are left after it.
        """
        waited_ms = 0
        bucket = self._read()
        for _ in range(ROUNDS):
            now = clock.now_ms()
            closed_ms = max(0, (bucket.blocked_until or 0) - now if bucket else 0)
            tokens = _tokens(bucket, now)
            short_ms = math.ceil(max(Decimal(0), 1 + lane - tokens) / REFILL_PER_MS)
            wait_ms = max(closed_ms, short_ms)
            if wait_ms == 0:
                try:
                    self._write(bucket, tokens=tokens - 1, refilled_at=_latest(bucket, now))
                except ConditionFailed as lost:
                    # Somebody was faster; or our own write was, and its answer was lost: one token is wasted then.
                    bucket = TokenBucket.read(lost.existing) if lost.existing else None
                    continue
                return
            if not closed_ms:
                waited_ms += wait_ms
            if (
                waited_ms > LONGEST_WAIT_MS[lane]
                or now + wait_ms + LEFT_AFTER_WAIT_MS > deadline_ms
            ):
                raise Throttled(wait_ms + _jitter_ms())
            clock.sleep_ms(wait_ms)
            bucket = self._read()
        raise Throttled(_jitter_ms())

    def close(self, retry_after: str | None) -> None:
        """
        Let nobody call before the time that a 429 named: seconds, or an HTTP date. Never shortens what is known.

        Safe to repeat: the later time stays.
        """
        now = clock.now_ms()
        until = now + wait_named_by(retry_after, now)
        bucket = self._read()
        for _ in range(ROUNDS):
            if bucket and (bucket.blocked_until or 0) >= until:
                return
            try:
                # The tokens stay as they are: whoever comes after the time named finds no more than 8.
                self._write(
                    bucket,
                    tokens=_tokens(bucket, now),
                    refilled_at=_latest(bucket, now),
                    blocked_until=until,
                )
            except ConditionFailed as lost:
                bucket = TokenBucket.read(lost.existing) if lost.existing else None
                continue
            return
        # So many write it that the next of them is told by the help desk itself.

    def _read(self) -> TokenBucket | None:
        found = self.table.get(key_of(TokenBucket, KEY))
        return TokenBucket.read(found) if found else None

    def _write(
        self,
        seen: TokenBucket | None,
        *,
        tokens: Decimal,
        refilled_at: int,
        blocked_until: int | None = None,
    ) -> None:
        """Write the bucket, unless it is no longer the one that was seen. Raises ConditionFailed."""
        version = TokenBucket.attr("version")
        self.table.update(
            key_of(TokenBucket, KEY),
            put=TokenBucket.named(
                tokens=tokens,
                refilled_at=refilled_at,
                blocked_until=blocked_until,
                version=seen.version + 1 if seen else 1,
                updated_at=clock.to_text(clock.now_ms()),
                expires_at=TokenBucket.time_to_live(),
            ),
            when=version.eq(seen.version) if seen else version.not_exists(),
        )


def wait_named_by(retry_after: str | None, now_ms: int) -> int:
    """Milliseconds from now that a `Retry-After` header asks for, rounded up; ten seconds for one that says nothing."""
    text = (retry_after or "").strip()
    if text.isascii() and text.isdecimal():
        return int(text) * clock.SECOND_MS
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return BLOCK_MS
    # A date has no fractions: its second may not have begun to be over.
    return max(0, math.ceil(moment.timestamp() * 1_000) + clock.SECOND_MS - now_ms)


def _tokens(bucket: TokenBucket | None, now: int) -> Decimal:
    """The tokens at *now*. A clock that is behind the last writer's refills nothing."""
    if bucket is None:
        return CAPACITY
    return min(CAPACITY, bucket.tokens + max(0, now - bucket.refilled_at) * REFILL_PER_MS)


def _latest(bucket: TokenBucket | None, now: int) -> int:
    """Where refilling goes on from: time that was counted once is not counted again by a clock that is behind."""
    return max(now, bucket.refilled_at) if bucket else now


def _jitter_ms() -> int:
    return random.randint(0, JITTER_MS)  # noqa: S311 - spreads load; nothing is kept secret by it
