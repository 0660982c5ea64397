"""
The help desk's request limit, shared by all its callers: one rate in the state table (`rate_limits.gcra`).

The account may make 50 requests in any 30 seconds. After a pause 8 may be made at once, then one every 715 ms, so at
most 8 + 30,000 / 715 < 50 are made in any 30 seconds, by any number of workers. A 429 response closes the limit for
all callers until the time that the help desk gave; from then on requests are made one by one.

    take:   slot free  -> send the request
            none       -> wait in place if that is short, else Throttled: the queue retries the event
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from enum import IntEnum
from typing import TYPE_CHECKING

from richpanel.store.items import TokenBucket, key_of
from shared.aws.tables.rate_limits.gcra import Pace
from shared.aws.tables.rate_limits.limit import Rate
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from shared.aws.dynamodb import Attributes, Table

KEY = TokenBucket.patterns[0]
CAPACITY = 8
EVERY_MS = 715  # 1.4 a second
LEFT_AFTER_WAIT_MS = 15 * clock.SECOND_MS
JITTER_MS = 2 * clock.SECOND_MS
# For a 429 that gives no time.
BLOCK_MS = 10 * clock.SECOND_MS


class Priority(IntEnum):
    """The caller's priority; its value is the number of slots left for callers with a higher one."""

    CHAT = 0
    MAIL = 3
    BACKGROUND = 5  # sweep and admin

    @property
    def rate(self) -> Rate:
        """The rate of this priority: a smaller burst reserves slots for higher priorities."""
        return Rate(EVERY_MS, burst=CAPACITY - self)


# Mail waits longer in place: each return to the queue uses up one of its five receives.
LONGEST_WAIT_MS = {
    Priority.CHAT: 5 * clock.SECOND_MS,
    Priority.MAIL: 20 * clock.SECOND_MS,
    Priority.BACKGROUND: 5 * clock.SECOND_MS,
}


class Throttled(Transient):
    """No slot is free now; one may be after *wait_ms*, which includes jitter."""

    def __init__(self, wait_ms: int) -> None:
        super().__init__("throttled", wait_ms)


@dataclass(slots=True, eq=False)
class Limiter:
    """The limit in *table*, the state table."""

    table: Table
    # The stored free time as this process knows it, ms since 1970: saves a write (`Pace.take`).
    _last_seen: int = field(default=0, init=False)

    def take(self, priority: Priority, deadline_ms: int) -> None:
        """
        Take one slot for one request, which must follow at once. Raises Throttled.

        *deadline_ms*: end of this invocation. Waits for a slot at most 5 s, for mail 20 s, and for a closed limit to
        open as long as 15 s remain afterwards.
        """
        waited_ms, rate = 0, priority.rate
        while True:
            now = clock.now_ms()
            free_at = self._pace().take(KEY, rate, last_seen=self._last_seen)
            if free_at is None:
                # At least this process's own requests are counted, and at most the burst of this priority.
                self._last_seen = min(max(self._last_seen, now), now + rate.ahead_ms) + EVERY_MS
                return
            self._last_seen = free_at + rate.ahead_ms
            wait_ms = free_at - now
            # The wait for a slot is never longer than this, unless the limit is closed.
            if wait_ms <= (1 + priority) * EVERY_MS:
                waited_ms += wait_ms
            if (
                waited_ms > LONGEST_WAIT_MS[priority]
                or now + wait_ms + LEFT_AFTER_WAIT_MS > deadline_ms
            ):
                jitter_ms = random.randint(0, JITTER_MS)  # noqa: S311 - spreads load; not used for secrets
                raise Throttled(wait_ms + jitter_ms)
            clock.sleep_ms(wait_ms)

    def close(self, retry_after: str | None) -> None:
        """
        Close the limit until the time that a 429 gave: seconds, or an HTTP date. Never shortens a known time.

        Safe to repeat: the later time stays.
        """
        now = clock.now_ms()
        self._pace().hold(KEY, now + wait_named_by(retry_after, now), Priority.CHAT.rate)

    def _pace(self) -> Pace:
        facts = TokenBucket.named(
            updated_at=clock.to_text(clock.now_ms()), expires_at=TokenBucket.time_to_live()
        )
        return Pace(self.table, _key, facts)


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


def _key(subject: str) -> Attributes:
    return key_of(TokenBucket, subject)
