"""
The rule by which companies share a queue and its concurrent runs.

    waits for a short time   the record runs, and nothing is counted
    waits for long           counted; a company has at most `share` of the runs, further records leave the queue
    left the queue           waits in the table, or delayed on a standard queue; people's messages wait where they are
    waits in the table       each round hands over the work of ROUND_MS, which companies `divide` equally

So a company without competitors uses nearly all runs, and a record of another company waits for the records of a round
at most, not for a backlog. The runs of a queue are one item of the table of attempts: a set with a member per run.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from botocore.exceptions import BotoCoreError, ClientError

from shared.aws.sqs_fifo import Entry, to_json
from shared.aws.tables import leases
from shared.aws.tables.attempts import KEY, TTL
from shared.runtime import clock
from shared.runtime.failures import OverShare

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from shared.aws.dynamodb import Attributes
    from shared.aws.tables.attempts import Attempts
    from shared.aws.workers.sqs_worker import Record

ROUND_MS: Final = 60 * clock.SECOND_MS
GRACE_MS: Final = 15 * clock.SECOND_MS
LATE_MS: Final = 10 * clock.SECOND_MS  # on a standard queue, which has no rounds
SPARE_PART: Final = 10
POSTPONED_SECONDS: Final = (60, 300)  # the first time
LONGEST_DELAY_SECONDS: Final = 900  # of SQS
POSTPONED_UNTIL: Final = "postponed_until"
POSTPONED: Final = "postponed"  # how often, up to MOST_DOUBLED
MOST_DOUBLED: Final = 4
RUNS: Final = "runs"
REFUSED_AT: Final = "refused_at"
SIZE: Final = "size"  # see Round
QUEUED: Final = "queued"
ROUND_AT: Final = "round_at"
_KEY_PATTERN: Final = "runs#{queue}"


def share(runs: int, companies: int) -> int:
    """
    Return how many of a queue's concurrent *runs* each of so many running *companies* may have: one to half of them.

    A tenth stays spare: these runs move records of the running companies out of the way of others.
    """
    spare = max(1, runs // SPARE_PART)
    return max(1, (runs - spare) // max(2, companies))


def divide(room: int, waiting: Mapping[str, int]) -> dict[str, int]:
    """
    Divide *room* among companies by the number of their *waiting* records: equally, without what one does not need.

    If there is less room than companies, those with the fewest records come first.
    """
    shares: dict[str, int] = {}
    fewest_first = sorted(waiting, key=lambda company: waiting[company])
    for position, company in enumerate(fewest_first):
        equal = -(-room // (len(fewest_first) - position))
        shares[company] = min(waiting[company], equal)
        room -= shares[company]
    return shares


@dataclass(frozen=True, slots=True)
class Round:
    """A queue after a round: *size* records are work for ROUND_MS, as far as is known, and *queued* were on it."""

    size: int
    queued: int

    def size_of_next(self, left: int, *, is_late: bool) -> int:
        """
        Return the size of the next round. The pace of this one shows it, if the round filled the queue.

        None *left* on the queue: larger by half. Some left: as large as what was handled. *is_late*: records were
        postponed, so it is half as large.
        """
        if self.queued != self.size:  # fewer waited, or the queue was full without them
            return self.size
        if is_late:
            return max(1, self.size // 2)
        return max(1, self.queued - left if left else self.size + self.size // 2)


@dataclass(frozen=True, slots=True)
class Runs:
    """
    The concurrent runs of a queue, counted while its records wait for long.

    *most* is the maximum concurrency of the queue's event source. *record_ms* estimates the time of a record, for the
    first round. A sweep begins a round every *round_ms*.
    """

    attempts: Attempts
    queue: str
    most: int
    record_ms: int = 3 * clock.SECOND_MS
    round_ms: int = ROUND_MS

    @property
    def late_ms(self) -> int:
        """Records of a round wait for up to a round; one that waits longer shows that the queue is too long."""
        return self.round_ms + GRACE_MS

    def begin(self, company: str, owner: str, until_ms: int) -> str | None:
        """
        Count a run of a company until `end`, or *until_ms* (since 1970); None, counting nothing, above its share.

        *owner* is unique per run, without `#`. One write, two above the share. A repeated call counts once.
        """
        run = f"{until_ms}#{owner}#{company}"
        lifetime = {TTL: clock.expires_in(clock.DAY_SECONDS)}
        stored = self.attempts.table.update(self._key(), add={RUNS: {run}}, put=lifetime)
        now = clock.now_ms()
        ended = {member for member in stored[RUNS] if int(member.partition("#")[0]) < now}
        counts = Counter(member.split("#", 2)[2] for member in stored[RUNS] - ended)
        is_above = counts[company] > share(self.most, len(counts))
        if is_above:
            refused = {REFUSED_AT: now}
            self.attempts.table.update(
                self._key(), put=refused, take_from_set={RUNS: ended | {run}}
            )
            return None
        if ended:
            self._remove(ended)
        return run

    def end(self, run: str) -> None:
        """Count a run no longer. Safe to repeat."""
        self._remove({run})

    def hand_over(self, left: int, waiting: Mapping[str, int]) -> dict[str, int]:
        """
        Begin a round: return how many of the records that wait in the table may join the queue, by company.

        *left* records are on the queue; if they are more than a round, a tenth of one joins them. One read and one
        write.
        """
        now = clock.now_ms()
        stored = self.attempts.table.get(self._key()) or {}
        size = max(1, self.most * self.round_ms // self.record_ms)
        passed_ms = now - int(stored.get(ROUND_AT, 0))
        if passed_ms < 2 * self.round_ms:
            size = int(stored[SIZE])
        if self.round_ms // 2 < passed_ms < 2 * self.round_ms:
            is_late = int(stored.get(REFUSED_AT, 0)) > now - self.round_ms
            size = Round(size, int(stored[QUEUED])).size_of_next(left, is_late=is_late)
        shares = divide(max(size - left, size // SPARE_PART, 1), waiting)
        begun = {SIZE: size, QUEUED: left + sum(shares.values()), ROUND_AT: now}
        lifetime = {TTL: clock.expires_in(clock.DAY_SECONDS)}
        self.attempts.table.update(self._key(), put=begun | lifetime)
        return shares

    def _remove(self, runs: set[str]) -> None:
        self.attempts.table.update(self._key(), take_from_set={RUNS: runs})

    def _key(self) -> Attributes:
        return {KEY: _KEY_PATTERN.format(queue=self.queue)}


@dataclass(frozen=True, slots=True)
class Waiting:
    """A record that a company waits for, *since_ms* (since 1970)."""

    company: str
    since_ms: int


@dataclass(frozen=True, slots=True)
class Sharing[T]:
    """
    How the companies share a queue whose runs handle one record each.

    *waiting_of* reads which company waits for a record, None for records that no company can be blamed for or that
    people wait for: those always run. It is asked only about records that were sent more than *late_ms* ago. *postpone*
    takes a record out of the queue, to the table or with a delay, and returns the result for the report.
    """

    runs: Runs
    waiting_of: Callable[[Record], Waiting | None]
    postpone: Callable[[Record], T]
    late_ms: int

    def handled(self, record: Record, handle: Callable[[Record], T]) -> T:
        """Handle a record, or postpone it if it has waited for long and its company is above its share."""
        now = clock.now_ms()
        # A retry waits by its own schedule, and was within the share.
        is_old = record.attempt == 1 and now - record.sent_at_ms > self.late_ms
        waiting = self.waiting_of(record) if is_old else None
        if waiting is None or now - waiting.since_ms <= self.late_ms:
            return handle(record)
        until = leases.expiry(record.context.get_remaining_time_in_millis())
        run = self.runs.begin(waiting.company, record.message_id, until)
        if run is None:
            return self.postpone(record)
        try:
            return handle(record)
        finally:
            # The record is handled, and the count ends by itself.
            with suppress(ClientError, BotoCoreError):
                self.runs.end(run)


def postponed(body: str) -> Entry:
    """
    Return the entry of a record that waits on its standard queue; `since_ms` reads until when.

    One to five minutes, and each time up to twice as long: looking at a long backlog again and again would fill the
    spare runs.
    """
    event = json.loads(body)
    times = int(event.get(POSTPONED, 0))
    seconds = _delay_seconds(times)
    event |= {
        POSTPONED_UNTIL: clock.now_ms() + seconds * clock.SECOND_MS,
        POSTPONED: min(times + 1, MOST_DOUBLED),
    }
    return Entry(to_json(event), "", "", seconds)


def hidden(record: Record) -> OverShare:
    """Return the failure that hides a record of a FIFO queue as long as `postponed`; its group keeps its order."""
    times = min(record.receives - 1, MOST_DOUBLED)
    return OverShare(_delay_seconds(times) * clock.SECOND_MS)


def _delay_seconds(times: int) -> int:
    first, last = (min(seconds << times, LONGEST_DELAY_SECONDS) for seconds in POSTPONED_SECONDS)
    return random.randint(min(first, last // 2), last)  # noqa: S311 - spreads load, not used for security


def since_ms(record: Record) -> int:
    """Return since when a record of a standard queue can run (ms since 1970): its sending, or the end of its delay."""
    return int(json.loads(record.body).get(POSTPONED_UNTIL, record.sent_at_ms))
