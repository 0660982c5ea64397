"""
Conversations of one project start and end at a rate, in virtual time: the conflicts and the writes of each item.

The code and its transactions are the real ones, on a table in memory. A transaction keeps its items for a time;
another one that wants one of them meanwhile conflicts.
"""

from __future__ import annotations

import heapq
import random
import threading
from collections import Counter
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final
from unittest import mock

import boto3
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws

from conversations.store.items.base import key
from conversations.store.items.routes import REF_ALPHABET, Active, Open
from conversations.store.limits import active_count, active_shards, quotas
from conversations.store.lists import open_list
from shared.aws.dynamodb import Table
from shared.aws.tables.rate_limits.limit import Limit
from shared.runtime import clock
from shared.runtime.failures import Transient
from tests.cost.limits import TRANSACTION_MS
from tests.simulation.clock import START_MS, Clock
from tests.simulation.effort import EFFORT
from tests.template import create_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PROJECT: Final = ("acme", "jobs")
COUNT: Final = Active.partition(*PROJECT)
LIVES_MS: Final = 200
PROCESSES: Final = 20  # that accept requests, and as many workers


@dataclass
class Simulation:
    """Threads of which one runs at a time, in the order of virtual time."""

    clock: Clock = field(default_factory=Clock)
    waiting: list[tuple[int, int, threading.Semaphore]] = field(default_factory=list)
    locked: dict[str, int] = field(default_factory=dict)
    conflicts: Counter[str] = field(default_factory=Counter)
    writes: Counter[str] = field(default_factory=Counter)
    refused: int = 0
    failed: int = 0
    open: int = 0
    most_open: int = 0
    turn: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    number: int = 0

    def sleep(self, ms: int) -> None:
        """Let the other threads run until *ms* are over."""
        mine = self._queued(ms)
        self.turn.release()
        mine.acquire()

    def start(self, at_ms: int, work: Callable[[], None]) -> None:
        """Run *work* in a thread from a time on."""
        mine = self._queued(at_ms)

        def run() -> None:
            mine.acquire()
            try:
                work()
            finally:
                self.turn.release()

        threading.Thread(target=run, daemon=True).start()

    def run(self) -> None:
        """Run all threads to their ends."""
        while self.waiting:
            at, _, mine = heapq.heappop(self.waiting)
            self.clock.ms = max(self.clock.ms, at)
            mine.release()
            self.turn.acquire()

    def _queued(self, ms: int) -> threading.Semaphore:
        mine = threading.Semaphore(0)
        self.number += 1
        heapq.heappush(self.waiting, (self.clock.ms + ms, self.number, mine))
        return mine

    def transact(self, send: Callable[..., Any], **given: Any) -> Any:
        """Make a transaction unless one of its items belongs to another one."""
        items = [key_of(write) for write in given["TransactItems"]]
        taken = [item for item in items if self.locked.get(item, 0) > self.clock.ms]
        if taken:
            self.conflicts.update(taken)
            raise conflict_at([item in taken for item in items])
        answer = send(**given)
        self.locked |= dict.fromkeys(items, self.clock.ms + TRANSACTION_MS)
        self.writes.update(items)
        self.sleep(TRANSACTION_MS)
        return answer


def key_of(write: dict[str, Any]) -> str:
    (change,) = write.values()
    stored = change.get("Item") or change["Key"]
    return f"{stored['pk']['S']} {stored['sk']['S']}"


def conflict_at(positions: list[bool]) -> ClientError:
    reasons = [{"Code": "TransactionConflict" if one else "None"} for one in positions]
    answer: Any = {
        "Error": {"Code": "TransactionCanceledException", "Message": "cancelled"},
        "CancellationReasons": reasons,
    }
    return ClientError(answer, "TransactWriteItems")


@pytest.fixture
def simulation() -> Iterator[Simulation]:
    simulated = Simulation()
    with (
        mock.patch.object(clock, "now_ms", simulated.clock.now_ms),
        mock.patch.object(clock, "sleep_ms", simulated.sleep),
        mock.patch.object(active_shards, "_conflicts", Memories()),
    ):
        yield simulated


class Memories(dict[Any, int]):
    """What each process remembers."""

    def get(self, about: Any, default: Any = None) -> Any:
        return super().get((about, process.number), default)

    def __setitem__(self, about: Any, value: int) -> None:
        super().__setitem__((about, process.number), value)


process = threading.local()


@pytest.fixture
def log(simulation: Simulation) -> Iterator[Table]:
    with mock_aws():
        client = boto3.client("dynamodb", region_name="us-east-1")
        create_table(client, "ConversationLogTable")
        table = Table(client, client.list_tables()["TableNames"][0])
        count = {"item_type": "ACTIVE", "active": 0, "is_complete": True, "is_split": True}
        table.put(key(COUNT) | count)
        send = client.transact_write_items
        with mock.patch.object(
            client, "transact_write_items", lambda **given: simulation.transact(send, **given)
        ):
            yield table


def converse(simulation: Simulation, log: Table, ref: str, most: int) -> None:
    """A conversation that one process accepts and another one ends."""
    process.number = random.randrange(PROCESSES)  # noqa: S311
    now = clock.to_text(clock.now_ms())
    opening = Open(
        ref=ref,
        conversation_status="initiated",
        channel_method="sms",
        since=now,
        last_activity_at=open_list.hour_of(now),
    )
    try:
        if not open_list.admit(log, *PROJECT, opening, most):
            simulation.refused += 1
            return
        simulation.open += 1
        simulation.most_open = max(simulation.most_open, simulation.open)
        simulation.sleep(LIVES_MS)
        process.number = -random.randrange(PROCESSES)  # noqa: S311
        simulation.open -= 1
        open_list.remove(log, *PROJECT, ref)
    except Transient:
        simulation.failed += 1


def simulate(simulation: Simulation, log: Table, most: int, rate: int, number: int) -> None:
    """Let a number of conversations start at a rate per second, and wait until all have ended."""
    rng = random.Random(1)  # noqa: S311
    random.seed(1)
    for one in range(number):
        ref = f"kk{''.join(rng.choices(REF_ALPHABET, k=24))}"
        at = one * clock.SECOND_MS // rate
        simulation.start(at, partial(converse, simulation, log, ref, most))
    simulation.run()


def counted(log: Table) -> int:
    """What the count and its shards have counted."""
    count = active_count.read(log, *PROJECT)
    shards = active_count.shards(log, *PROJECT, count)
    return count.active - sum(shard.free for shard in shards.values())


@pytest.mark.long
def test_a_project_starts_and_ends_500_conversations_a_second(
    simulation: Simulation, log: Table
) -> None:
    simulate(simulation, log, 20_000, 500, 250)

    assert simulation.refused == simulation.failed == 0
    assert simulation.conflicts.total() < 400
    assert simulation.writes[f"{COUNT} #"] < 15
    assert max(simulation.writes.values()) < 25
    assert simulation.clock.ms < START_MS + 1.5 * clock.SECOND_MS
    assert counted(log) == 0


@pytest.mark.long
def test_at_that_rate_no_conversation_is_above_the_limit_and_few_requests_fail(
    simulation: Simulation, log: Table
) -> None:
    others = active_shards.SHARDED_FROM - 20
    just = clock.to_text(clock.now_ms())
    log.update(key(COUNT), put=Active.named(active=others, recounted_at=just))

    simulate(simulation, log, active_shards.SHARDED_FROM, 500, 150)

    assert 15 <= simulation.most_open <= 20
    assert simulation.refused > 0
    assert simulation.failed < 15
    assert counted(log) == others


def test_a_small_limit_has_one_count_which_holds_20_conversations_a_second(
    simulation: Simulation, log: Table
) -> None:
    simulate(simulation, log, active_shards.SHARDED_FROM - 1, 20, 20)

    assert simulation.refused == simulation.failed == 0
    assert simulation.writes[f"{COUNT} #"] == 40
    assert active_count.read(log, *PROJECT).most is None


# First requests


LATENCY_MS = (1, 12)  # of a call that is no transaction
READS_AND_WRITES = ("update_item", "put_item", "delete_item", "query", "batch_get_item", "get_item")
QUOTA = (Limit(1_000, 60), Limit(50_000, 86_400))


@contextmanager
def with_latency(simulation: Simulation, log: Table) -> Iterator[None]:
    """Let other threads run before and after each call."""
    with ExitStack() as patches:
        for name in READS_AND_WRITES:
            send = getattr(log._client, name)

            def late(_send: Any = send, **given: Any) -> Any:
                simulation.sleep(random.randint(*LATENCY_MS))  # noqa: S311
                answer = _send(**given)
                simulation.sleep(random.randint(*LATENCY_MS))  # noqa: S311
                return answer

            patches.enter_context(mock.patch.object(log._client, name, late))
        yield


def first_request(simulation: Simulation, log: Table, project: tuple[str, str], ref: str) -> None:
    process.number = random.randrange(PROCESSES)  # noqa: S311
    now = clock.to_text(clock.now_ms())
    opening = Open(
        ref=ref,
        conversation_status="initiated",
        channel_method="sms",
        since=now,
        last_activity_at=open_list.hour_of(now),
    )
    try:
        wait = quotas.take_request(log, *project, QUOTA)
        if wait is not None or not open_list.admit(log, *project, opening, MOST_OF_FRESH):
            simulation.refused += 1
    except Transient:
        simulation.failed += 1


MOST_OF_FRESH = 60


@pytest.mark.parametrize(
    "runs",
    [range(1), pytest.param(range(1, 25 * EFFORT), marks=pytest.mark.long)],
    ids=["one run", "other runs"],
)
def test_50_parallel_first_requests_of_a_fresh_project_are_accepted_in_each_run(
    simulation: Simulation, log: Table, runs: range
) -> None:
    for run in runs:
        random.seed(run)
        project = (f"fresh-{run}", "jobs")
        with with_latency(simulation, log):
            for _ in range(50):
                ref = f"kk{''.join(random.choices(REF_ALPHABET, k=24))}"  # noqa: S311
                at = random.randint(0, 20)  # noqa: S311
                simulation.start(at, partial(first_request, simulation, log, project, ref))
            simulation.run()
        count = active_count.read(log, *project)
        assert (simulation.refused, simulation.failed) == (0, 0), f"run {run}"
        assert (count.active, count.is_complete) == (50, True), f"run {run}"


@pytest.mark.long
def test_parallel_first_requests_above_the_limit_are_refused_exactly(
    simulation: Simulation, log: Table
) -> None:
    project = ("full", "jobs")
    random.seed(1)
    with with_latency(simulation, log):
        for _ in range(MOST_OF_FRESH + 5):
            ref = f"kk{''.join(random.choices(REF_ALPHABET, k=24))}"  # noqa: S311
            simulation.start(0, partial(first_request, simulation, log, project, ref))
        simulation.run()

    assert (simulation.refused, simulation.failed) == (5, 0)
    assert active_count.read(log, *project).active == MOST_OF_FRESH
