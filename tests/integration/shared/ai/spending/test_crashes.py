"""Reservations under crashes and concurrency: never above a bound, and at most one reservation too many for a crash."""

from __future__ import annotations

import random
import threading
from typing import TYPE_CHECKING, Any

import pytest

from shared.ai.spending import usage
from shared.ai.spending.bounds import DEFAULTS, STRANGERS_PERCENT, Kind
from shared.ai.spending.budget import Reservation, Spending
from tests.integration.shared.ai.spending.conftest import COMPANY, DATE, cause

if TYPE_CHECKING:
    from collections.abc import Callable

    from shared.aws.dynamodb import Table

KIND = Kind.MAIL_ANALYSIS
BOUNDS = DEFAULTS[KIND]
CALLS = 4  # of a reservation and its settlement
# Seeds of orders of calls.
orders = pytest.mark.parametrize(
    "seed", [*range(5), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(5, 25))]
)


class Killed(BaseException):
    """The process died."""


class Dying:
    """A table whose process dies at its call number *at*, before the call or after it."""

    def __init__(self, table: Table, at: int, *, is_after: bool) -> None:
        self._table, self._left, self._is_after = table, at, is_after

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._table, name)

        def made(*arguments: Any, **named: Any) -> Any:
            self._left -= 1
            if self._left == 0 and not self._is_after:
                raise Killed
            answer = call(*arguments, **named)
            if self._left == 0:
                raise Killed
            return answer

        return made


class Turns:
    """Lets threads make their calls one at a time, in an order that a seed decides."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 - orders threads; not used for secrets
        self._waiting: list[threading.Event] = []
        self._lock = threading.Condition()
        self._running = 0

    def run(self, *work: Callable[[], None]) -> None:
        """Run all work to its end."""
        threads = [threading.Thread(target=self._of(one)) for one in work]
        self._running = len(threads)
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=120)
        assert not any(thread.is_alive() for thread in threads)

    def wait(self) -> None:
        """Wait for the turn of this thread."""
        mine = threading.Event()
        with self._lock:
            self._waiting.append(mine)
            self._next()
        mine.wait(timeout=120)

    def _next(self) -> None:
        if self._waiting and len(self._waiting) == self._running:
            self._waiting.pop(self._random.randrange(len(self._waiting))).set()

    def _of(self, work: Callable[[], None]) -> Callable[[], None]:
        def done() -> None:
            try:
                work()
            finally:
                with self._lock:
                    self._running -= 1
                    self._next()

        return done


class InTurns:
    """A table whose calls wait for their turn: each is atomic, as in DynamoDB."""

    def __init__(self, table: Table, turns: Turns) -> None:
        self._table, self._turns = table, turns

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._table, name)

        def made(*arguments: Any, **named: Any) -> Any:
            self._turns.wait()
            return call(*arguments, **named)

        return made


def on(table: Any) -> Spending:
    """Spending on a table of these tests."""
    return Spending(table, 100, 1_000)


def used(table: Table) -> tuple[int, int]:
    """Units and micro-dollars of the company today."""
    days = usage.of_day(table, COMPANY, DATE, percent=100, most_percent=100)
    return next((day.units, day.micros) for day in days if day.kind is KIND)


@pytest.mark.parametrize("is_after", [False, True])
@pytest.mark.parametrize("at", range(1, CALLS + 1))
def test_a_crash_at_any_call_counts_the_cost_and_at_most_one_reservation_too_many(
    table: Table, at: int, is_after: bool
) -> None:
    paid = 0
    for spending in (on(Dying(table, at, is_after=is_after)), on(table)):
        try:
            reserved = spending.reserve(KIND, cause("1"), 500)
            assert isinstance(reserved, Reservation)
            paid += 300  # the call
            spending.settle(reserved, 300)
        except Killed:
            continue

    units, micros = used(table)
    assert 1 <= units <= 2
    assert paid <= micros <= paid + 500 + 500


@orders
def test_concurrent_reservations_never_exceed_the_bound_of_an_address(
    table: Table, seed: int
) -> None:
    usage.set_percents(table, COMPANY, {KIND: 10}, by="a person")  # 4 for strangers
    bound = BOUNDS.part(10).address.part(STRANGERS_PERCENT).units
    turns, granted = Turns(seed), []

    def reserve(number: int) -> None:
        reserved = on(InTurns(table, turns)).reserve(KIND, cause(str(number), f"s{number}"), 10)
        granted.append(isinstance(reserved, Reservation))

    turns.run(*(lambda number=number: reserve(number) for number in range(7)))

    assert sum(granted) == bound
    assert used(table) == (bound, 10 * bound)


@orders
def test_concurrent_messages_of_one_sender_never_exceed_its_bound(table: Table, seed: int) -> None:
    usage.set_percents(table, COMPANY, {KIND: 30}, by="a person")  # 3 for a sender
    turns, granted = Turns(seed), []

    def reserve(number: int) -> None:
        reserved = on(InTurns(table, turns)).reserve(KIND, cause(str(number)), 10)
        granted.append(isinstance(reserved, Reservation))

    turns.run(*(lambda number=number: reserve(number) for number in range(6)))

    assert sum(granted) == BOUNDS.part(30).sender.units
    assert used(table) == (sum(granted), 10 * sum(granted))


@orders
def test_concurrent_deliveries_of_one_event_count_once(table: Table, seed: int) -> None:
    turns, granted = Turns(seed), []

    def reserve() -> None:
        reserved = on(InTurns(table, turns)).reserve(KIND, cause("1"), 10)
        granted.append(isinstance(reserved, Reservation))

    turns.run(*[reserve] * 4)

    assert granted == [True] * 4
    assert used(table) == (1, 10)
