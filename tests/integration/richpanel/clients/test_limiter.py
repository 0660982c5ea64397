"""The account-wide request limit: many workers, one bucket, and the help desk's Retry-After."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from typing import Any

import pytest

from richpanel.store.items import TokenBucket, key_of
from richpanel.store.rate_limit import (
    CAPACITY,
    EVERY_MS,
    KEY,
    Limiter,
    Priority,
    Throttled,
    wait_named_by,
)
from shared.aws.dynamodb import Table
from shared.runtime import clock
from tests.integration.richpanel.conftest import NOW, Time

FAR = NOW + 60_000


def stored(table: Table) -> dict[str, Any]:
    row = table.get(key_of(TokenBucket, KEY))
    assert row is not None
    return row


def opens_at(table: Table) -> int:
    """The time at which the next chat call is allowed."""
    return int(stored(table)["free_at"]) - (CAPACITY - 1) * EVERY_MS


def test_a_full_bucket_gives_eight_tokens_at_once(state_table: Table, time: Time) -> None:
    for _ in range(8):
        Limiter(state_table).take(Priority.CHAT, FAR)

    assert time.ms == NOW
    assert stored(state_table) == {
        "conversation_id": "sys:limiter:richpanel",
        "free_at": NOW + 8 * EVERY_MS,
        "updated_at": "2026-03-02T13:00:00.000Z",
        "expires_at": NOW // 1_000 + 90 * 86_400,
    }


def test_the_ninth_waits_until_there_is_a_whole_token(state_table: Table, time: Time) -> None:
    for _ in range(9):
        Limiter(state_table).take(Priority.CHAT, FAR)

    assert time.ms == NOW + 715  # 1 / 1.4 s, rounded up


@pytest.mark.parametrize(("priority", "given"), [(Priority.MAIL, 5), (Priority.BACKGROUND, 3)])
def test_background_calls_leave_tokens_for_chats(
    state_table: Table, time: Time, priority: Priority, given: int
) -> None:
    limiter = Limiter(state_table)
    for _ in range(given):
        limiter.take(priority, FAR)
    assert time.ms == NOW

    for _ in range(8 - given):
        limiter.take(Priority.CHAT, FAR)
    assert time.ms == NOW


def test_a_caller_that_would_wait_longer_than_five_seconds_is_throttled_with_the_retry_time(
    state_table: Table, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(random, "randint", lambda low, high: 1_234)
    limiter = Limiter(state_table)
    for _ in range(8):
        limiter.take(Priority.CHAT, FAR)

    # A background call needs 6 free slots: 4,290 ms. Chats take the tokens that are added meanwhile.
    def sleep_while_chats_take(milliseconds: int) -> None:
        time.sleep_ms(milliseconds)
        monkeypatch.setattr(clock, "sleep_ms", time.sleep_ms)
        for _ in range(6):
            limiter.take(Priority.CHAT, FAR)

    monkeypatch.setattr(clock, "sleep_ms", sleep_while_chats_take)
    with pytest.raises(Throttled) as refusal:
        limiter.take(Priority.BACKGROUND, FAR)

    assert time.ms == NOW + 4_290
    assert refusal.value.wait_ms == 4_290 + 1_234  # the chats have emptied the bucket again


def test_a_caller_with_less_than_fifteen_seconds_left_after_the_wait_is_throttled(
    state_table: Table, time: Time
) -> None:
    limiter = Limiter(state_table)
    for _ in range(8):
        limiter.take(Priority.CHAT, FAR)

    with pytest.raises(Throttled):
        limiter.take(Priority.CHAT, NOW + 15_714)
    limiter.take(Priority.CHAT, NOW + 15_715)

    assert time.ms == NOW + 715


def test_a_429_closes_the_bucket_for_all_workers(state_table: Table, time: Time) -> None:
    Limiter(state_table).close("20")

    Limiter(state_table).take(Priority.CHAT, NOW + 60_000)

    assert time.ms == NOW + 20_000


def test_a_closed_bucket_opens_empty_and_then_gives_one_by_one(
    state_table: Table, time: Time
) -> None:
    limiter = Limiter(state_table)
    limiter.close("20")

    for _ in range(3):
        limiter.take(Priority.CHAT, FAR)

    assert time.waits == [20_000, EVERY_MS, EVERY_MS]


def test_a_closed_bucket_is_not_waited_for_if_too_little_time_remains(
    state_table: Table, time: Time
) -> None:
    Limiter(state_table).close("20")

    with pytest.raises(Throttled) as refusal:
        Limiter(state_table).take(Priority.CHAT, NOW + 34_999)

    assert time.ms == NOW
    assert 20_000 <= (refusal.value.wait_ms or 0) <= 22_000


@pytest.mark.parametrize("later", ["5", "Mon, 02 Mar 2026 13:00:05 GMT", "0", None])
def test_the_time_that_a_429_named_is_never_shortened(
    state_table: Table, time: Time, later: str | None
) -> None:
    limiter = Limiter(state_table)
    limiter.close("20")
    limiter.close(later)

    assert opens_at(state_table) == NOW + 20_000


def test_a_later_time_counts(state_table: Table, time: Time) -> None:
    limiter = Limiter(state_table)
    limiter.close("20")
    limiter.close("25")

    assert opens_at(state_table) == NOW + 25_000


@pytest.mark.parametrize(
    ("header", "wait_ms"),
    [
        ("7", 7_000),
        (" 7 ", 7_000),
        ("0", 0),
        ("Mon, 02 Mar 2026 13:00:30 GMT", 31_000),
        ("Mon, 02 Mar 2026 14:00:30 +0100", 31_000),
        ("Mon, 02 Mar 2026 12:00:00 GMT", 0),
        ("soon", 10_000),
        ("-5", 10_000),
        ("1.5", 10_000),
        ("\u0667", 10_000),
        ("", 10_000),
        (None, 10_000),
    ],
)
def test_retry_after_is_read_as_seconds_or_as_a_date(header: str | None, wait_ms: int) -> None:
    assert wait_named_by(header, NOW) == wait_ms


def test_an_expired_row_that_is_not_deleted_yet_is_continued(
    state_table: Table, time: Time
) -> None:
    limiter = Limiter(state_table)
    limiter.take(Priority.CHAT, FAR)
    time.ms += 91 * 86_400_000

    limiter.take(Priority.CHAT, time.ms + 60_000)

    assert stored(state_table)["free_at"] == time.ms + EVERY_MS


def test_a_clock_that_is_behind_does_not_refill_twice(state_table: Table, time: Time) -> None:
    limiter = Limiter(state_table)
    for _ in range(8):
        limiter.take(Priority.CHAT, FAR)
    time.ms = NOW - 5_000
    with pytest.raises(Throttled):
        limiter.take(Priority.CHAT, NOW + 10_000)

    time.ms = NOW + 715
    limiter.take(Priority.CHAT, FAR)

    assert stored(state_table)["free_at"] == NOW + 9 * EVERY_MS


def test_a_write_whose_response_was_lost_costs_a_token_and_grants_none(
    state_table: Table, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The SDK retries such a write, and the condition refuses its second attempt because of the first."""
    update = state_table.update
    attempts = iter([2])

    def repeated(*args: Any, **options: Any) -> Any:
        for _ in range(next(attempts, 1) - 1):
            update(*args, **options)
        return update(*args, **options)

    monkeypatch.setattr(state_table, "update", repeated)
    Limiter(state_table).take(Priority.CHAT, FAR)

    assert stored(state_table)["free_at"] == NOW + 2 * EVERY_MS


class ThreadScheduler:
    """
    Workers as threads of which one runs at a time, chosen by a seed at every write to the table and every wait.

    Time advances when all are waiting. So every order of reads, writes and waits can occur, and a seed reproduces
    it.
    """

    def __init__(self, time: Time, seed: int) -> None:
        self.time = time
        self.chance = random.Random(seed)  # noqa: S311 - has to come again
        self.sleeps_until: dict[int, int] = {}
        self.turn: dict[int, threading.Semaphore] = {}
        self.back = threading.Semaphore(0)
        self.failures: list[BaseException] = []
        self._me = threading.local()

    def pause(self, milliseconds: int = 0) -> None:
        """Called by a worker: pause it for at least this time and run another one."""
        me: int = self._me.number
        self.sleeps_until[me] = self.time.ms + milliseconds
        self.back.release()
        self.turn[me].acquire()

    def play(self, workers: list[Callable[[], None]]) -> None:
        """Run all workers to their end."""
        threads = []
        for number, worker in enumerate(workers):
            self.turn[number] = threading.Semaphore(0)
            self.sleeps_until[number] = self.time.ms
            threads.append(threading.Thread(target=self._run, args=(number, worker)))
            threads[-1].start()
        while self.sleeps_until:
            first = min(self.sleeps_until.values())
            self.time.ms = max(self.time.ms, first)
            ready = [n for n, until in self.sleeps_until.items() if until <= self.time.ms]
            chosen = self.chance.choice(ready)
            del self.sleeps_until[chosen]
            self.turn[chosen].release()
            self.back.acquire()
        for thread in threads:
            thread.join()
        if self.failures:
            raise self.failures[0]

    def _run(self, number: int, worker: Callable[[], None]) -> None:
        self._me.number = number
        self.turn[number].acquire()
        try:
            worker()
        except BaseException as failure:  # noqa: BLE001 - shown by play
            self.failures.append(failure)
        finally:
            self.back.release()


class PausingTable(Table):
    """Another worker may run before every call and after every write."""

    scheduler: ThreadScheduler

    def update(self, *args: Any, **options: Any) -> Any:
        self.scheduler.pause()
        try:
            return super().update(*args, **options)
        finally:
            self.scheduler.pause()


@pytest.mark.parametrize("seed", range(4))
def test_under_any_interleaving_at_most_fifty_requests_fall_into_thirty_seconds(
    state_table: Table, time: Time, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    scheduler = ThreadScheduler(time, seed)
    table = PausingTable(state_table._client, state_table.name, state_table.ttl_attribute)
    table.scheduler = scheduler
    monkeypatch.setattr(clock, "sleep_ms", scheduler.pause)
    given: list[tuple[int, Priority]] = []
    end = NOW + 45_000

    def worker(priority: Priority) -> Callable[[], None]:
        def work() -> None:
            while time.ms < end:
                try:
                    Limiter(table).take(priority, time.ms + 60_000)
                except Throttled as refusal:
                    scheduler.pause(refusal.wait_ms or 0)
                else:
                    given.append((time.ms, priority))
                    scheduler.pause(scheduler.chance.choice([0, 0, 20, 300]))

        return work

    priorities = [Priority.MAIL] * 6 + [Priority.CHAT] * 2 + [Priority.BACKGROUND]
    scheduler.play([worker(priority) for priority in priorities])

    times = [moment for moment, _ in given]
    busiest = max(sum(start <= t <= start + 30_000 for t in times) for start in times)
    assert busiest <= 50
    # The limiter must also grant tokens: 8 + 45,000 / 715 = 70 are available in this time.
    assert len(times) >= 63
    assert sum(priority is Priority.CHAT for _, priority in given) >= 10
