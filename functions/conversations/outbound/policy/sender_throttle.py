"""
Throttles senders that exceeded their provider's rate: their messages pause, then continue at a slow pace.

Many conversations share one number, so a rate error in one applies to all. Waiting messages return one after the other:
a record that is refused repeatedly because of its sender's own pace would become a dead letter.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conversations.store.items.base import key
from conversations.store.items.records import Rate as RateItem
from conversations.store.items.records import Throttled
from shared.aws.tables.rate_limits.gcra import Pace
from shared.aws.tables.rate_limits.limit import Rate
from shared.identity.keyed_hashes import keyed_hash
from shared.providers.outcomes import NotSent
from shared.runtime import clock

if TYPE_CHECKING:
    from shared.aws.dynamodb import Attributes, Table

# Twilio's send rate for any number; it queues messages beyond that: one per second.
SLOW = Rate(every_ms=clock.SECOND_MS, burst=3)
# Waiting messages form a queue that is slower than SLOW, which leaves capacity for new messages.
LINE = Rate(every_ms=1_500, burst=1)
FAR_MS = 270 * clock.SECOND_MS  # of the five minutes that a queue message is delayed at most
HELD_MS = 10 * clock.SECOND_MS  # if the provider gives no duration
SLOW_FOR_SECONDS = 600
SPREAD_MS = 30 * clock.SECOND_MS


@dataclass(frozen=True, slots=True, eq=False)
class Throttles:
    """The throttled senders in *log*."""

    log: Table

    def admit(self, sender: str) -> None:
        """
        Admit one message of a business address; normally costs one read.

        Raises NotSent if it has to wait, with the time until its place in the queue.
        """
        subject = keyed_hash("sender", sender)
        item = self.log.get(_throttled_key(subject))
        if item is None:
            return
        throttled = Throttled.read(item)
        pace = Pace(self.log, _throttled_key, Throttled.named(ttl=throttled.ttl))
        free_at = pace.take(subject, SLOW, last_seen=throttled.free_at or 0)
        if free_at is not None:
            line = Pace(self.log, _line_key)
            wait = line.line_up(keyed_hash("line", sender), LINE, free_at) - clock.now_ms()
            raise NotSent("sender_throttled", wait if wait < FAR_MS else FAR_MS + _spread())

    def hold(self, sender: str, wait_ms: int | None) -> int:
        """Throttle a business address after the provider's refusal; return this message's delay in milliseconds."""
        subject, wait = keyed_hash("sender", sender), wait_ms or HELD_MS
        ttl = clock.expires_in(wait // clock.SECOND_MS + SLOW_FOR_SECONDS)
        facts = {"item_type": Throttled.item_type, **Throttled.named(ttl=ttl)}
        Pace(self.log, _throttled_key, facts).hold(subject, clock.now_ms() + wait, SLOW)
        return wait + _spread()


def _throttled_key(subject: str) -> Attributes:
    return key(Throttled.partition(subject))


def _line_key(subject: str) -> Attributes:
    return key(RateItem.partition("pace", subject))


def _spread() -> int:
    return random.randrange(SPREAD_MS)  # noqa: S311 - spreads load, not used for security
