"""
The help desk's request limit, shared by all its callers: one token bucket in the state table.

The account may make 50 requests in any 30 seconds. The bucket holds 8 tokens and gains 1.4 a second, so at most
8 + 30 x 1.4 = 50 are taken in any 30 seconds, by any number of workers. A 429 response closes the bucket for all
callers until the time that the help desk gave.

    take:   read -> enough tokens? -> write tokens - 1, if `version` is unchanged -> send the request
                 -> too few, or closed -> wait in place if that is short, else Throttled: the queue retries the event
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
# For a 429 that gives no time.
BLOCK_MS = 10 * clock.SECOND_MS
# A round is lost only to another caller. Ten workers, sweep and admin win at most twelve rounds first; the waits need
# the rest.
ROUNDS = 24


class Lane(IntEnum):
    """The caller's priority; its value is the number of tokens left for callers with a higher one."""

    CHAT = 0
    MAIL = 3
    BACKGROUND = 5  # sweep and admin


# Mail waits longer in place: each return to the queue uses up one of its five receives.
LONGEST_WAIT_MS = {
    Lane.CHAT: 5 * clock.SECOND_MS,
    Lane.MAIL: 20 * clock.SECOND_MS,
    Lane.BACKGROUND: 5 * clock.SECOND_MS,
}


class Throttled(Transient):
    """No token is available now; one may be after *wait_ms*, which includes jitter."""

    def __init__(self, wait_ms: int) -> None:
        super().__init__("throttled", wait_ms)


@dataclass(frozen=True, slots=True)
class Limiter:
    """The bucket in *table*, the state table."""

    table: Table

    def take(self, lane: Lane, deadline_ms: int) -> None:
        """
        Take one token for one request, which must follow at once. Raises Throttled.

        *deadline_ms*: end of this invocation. Waits for a token at most 5 s, for mail 20 s, and for a closed bucket to
        open as long as 15 s remain afterwards.
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
                    # Another caller was faster; or this write succeeded, its response was lost and a token is wasted.
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
        Close the bucket until the time that a 429 gave: seconds, or an HTTP date. Never shortens a known time.

        Safe to repeat: the later time stays.
        """
        now = clock.now_ms()
        until = now + wait_named_by(retry_after, now)
        bucket = self._read()
        for _ in range(ROUNDS):
            if bucket and (bucket.blocked_until or 0) >= until:
                return
            try:
                # The token count stays unchanged: at the reopening there are at most 8.
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
        # Under this much contention the next caller learns the limit from the help desk's own 429.

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
        """Write the bucket, unless it changed since it was read. Raises ConditionFailed."""
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
    """Return the wait of a `Retry-After` header in ms from now, rounded up; ten seconds if it is absent or invalid."""
    text = (retry_after or "").strip()
    if text.isascii() and text.isdecimal():
        return int(text) * clock.SECOND_MS
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return BLOCK_MS
    # A date has no fractions of a second: wait until its second is over.
    return max(0, math.ceil(moment.timestamp() * 1_000) + clock.SECOND_MS - now_ms)


def _tokens(bucket: TokenBucket | None, now: int) -> Decimal:
    """Return the tokens at *now*. A clock behind the last writer's refills nothing."""
    if bucket is None:
        return CAPACITY
    return min(CAPACITY, bucket.tokens + max(0, now - bucket.refilled_at) * REFILL_PER_MS)


def _latest(bucket: TokenBucket | None, now: int) -> int:
    """Return the time from which to refill, so that a clock that is behind never counts time twice."""
    return max(now, bucket.refilled_at) if bucket else now


def _jitter_ms() -> int:
    return random.randint(0, JITTER_MS)  # noqa: S311 - spreads load; not used for secrets
