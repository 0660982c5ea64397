"""
An account with ten concurrent executions, and work on all queues: throttling delays work, and makes no dead letter.

Workers, counts of attempts and limits of the queues are the real ones, with other handlers. Lambda is simulated as AWS
documents it. An event source reads no more than its maximum of batches. A batch that finds no free execution is retried
with growing pauses until its visibility timeout ends, and then left to its next receive, which SQS counts. A request
that finds none is answered with 5xx, and Meta sends it again after growing pauses.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import count
from random import Random
from statistics import median
from typing import TYPE_CHECKING, Any
from unittest import mock

import boto3
import pytest
from moto import mock_aws

import shared.runtime.clock
from shared.aws.sqs_fifo import Entry
from shared.aws.tables.attempts import Attempts
from shared.aws.workers.sqs_worker import Record, Worker, process
from shared.runtime.failures import Transient
from tests import template
from tests.simulation.clock import Clock
from tests.simulation.invocations import Invocation
from tests.simulation.processes import quiet
from tests.simulation.queues.fifo import FifoQueue, Queued, is_for_dead_letters, redrive_policy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from shared.runtime.failures import Permanent

STAGE = {"Stage": "local"}
EXECUTIONS = 10
LOWEST = 2  # AWS's minimum for an event source
FIRST_PAUSE_MS, LONGEST_PAUSE_MS = 1_000, 60_000
# The time of a run: a batch of messages is stored in one or two seconds, a model's answer takes 6, a step 15.
SHARE_OF_TIMEOUT = 0.05
# From the end of a run to the start of the next one: the event source deletes messages and reads others.
BETWEEN_RUNS_MS = 50
WEBHOOK_MS = 200


class NoExecution(Exception):
    """All concurrent executions are in use."""


@dataclass
class Source:
    """A queue with its event source and its function."""

    name: str
    queue: FifoQueue
    batch: int
    run_ms: int
    is_fifo: bool


def sources(clock: Clock) -> Iterator[Source]:
    """The queues of the template that functions read."""
    queues = {
        template.resolved({"Fn::GetAtt": f"{name}.Arn"}, **STAGE): template.properties(
            name, **STAGE
        )
        for name in template.resources("AWS::SQS::Queue")
    }
    for function in sorted(template.resources("AWS::Serverless::Function")):
        wanted = template.properties(function, **STAGE)
        for event in wanted.get("Events", {}).values():
            if event["Type"] != "SQS":
                continue
            facts = queues[event["Properties"]["Queue"]]
            is_fifo, name = facts.get("FifoQueue", False), facts["QueueName"]
            queue = FifoQueue.of(facts, clock)
            timeout = wanted.get("Timeout") or template.template()["Globals"]["Function"]["Timeout"]
            run_ms = int(timeout * 1_000 * SHARE_OF_TIMEOUT)
            yield Source(name, queue, event["Properties"]["BatchSize"], run_ms, is_fifo)


@dataclass
class Account:
    """Its executions and everything that starts one. `done` has the delays in milliseconds by queue."""

    clock: Clock
    chance: Random
    sources: list[Source]
    fails: Callable[[str, int], bool] = lambda *_: False
    executions: int = EXECUTIONS
    running: int = 0
    throttled: Counter[str] = field(default_factory=Counter)
    done: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    runs: Counter[str] = field(default_factory=Counter)
    accepted: list[int] = field(default_factory=list)  # delays of requests
    refused: int = 0
    _due: list[tuple[int, int, Callable[[], None]]] = field(default_factory=list)
    _order: Iterator[int] = field(default_factory=count)

    def at(self, ms: int, act: Callable[[], None]) -> None:
        """Do something at a time."""
        heapq.heappush(self._due, (ms, next(self._order), act))

    def play(self, until_ms: int) -> None:
        """Let time pass until all work is done."""
        while self._due and self._due[0][0] <= until_ms:
            ms, _, act = heapq.heappop(self._due)
            self.clock.ms = max(self.clock.ms, ms)
            act()

    def request(self, sent_ms: int, then: Callable[[], None], attempt: int = 0) -> None:
        """A provider's webhook: accepted, or answered with 5xx and sent again later."""
        if self.running >= self.executions:
            self.refused += 1
            pause = min(FIRST_PAUSE_MS * 2**attempt, LONGEST_PAUSE_MS)
            self.at(self.clock.ms + pause, lambda: self.request(sent_ms, then, attempt + 1))
            return
        self.running += 1

        def end() -> None:
            self.running -= 1
            self.accepted.append(self.clock.ms - sent_ms)
            then()

        self.at(self.clock.ms + WEBHOOK_MS, end)

    def poll(self, source: Source) -> None:
        """One of the event source's batches at a time: read, invoke, delete."""
        batch = source.queue.receive(source.batch)
        if not batch:
            later = source.queue.next_visible_at()
            if source.queue.messages:
                self.at(max(later or 0, self.clock.ms + 1_000), lambda: self.poll(source))
            return
        self.invoke(source, batch, self.clock.ms, FIRST_PAUSE_MS)

    def invoke(self, source: Source, batch: list[Queued], read_ms: int, pause_ms: int) -> None:
        """Start the function, or try again later, or leave the batch to its next receive."""
        if self.running >= self.executions:
            self.throttled[source.name] += 1
            again = self.clock.ms + self.chance.randint(pause_ms // 2, pause_ms)
            if again < read_ms + source.queue.visibility_ms:
                longer = min(2 * pause_ms, LONGEST_PAUSE_MS)
                self.at(again, lambda: self.invoke(source, batch, read_ms, longer))
            else:
                self.at(read_ms + source.queue.visibility_ms, lambda: self.poll(source))
            return
        self.running += 1
        self.at(self.clock.ms + source.run_ms, lambda: self.finish(source, batch))

    def finish(self, source: Source, batch: list[Queued]) -> None:
        """The end of a run: what it handled is deleted."""
        self.running -= 1
        event = {"Records": [message.as_record(source.name) for message in batch]}
        with quiet():
            run: Any = Invocation(self.clock)  # has what the worker uses of Lambda's context
            answer = process(self.worker(source), event, run)
        failed = {entry["itemIdentifier"] for entry in answer["batchItemFailures"]}
        for message in batch:
            if message.message_id not in failed:
                source.queue.delete(message.receipt)
        self.at(self.clock.ms + BETWEEN_RUNS_MS, lambda: self.poll(source))

    def worker(self, source: Source) -> Worker[str]:
        """The real one, whose handler fails if it has to."""

        def handle(record: Record) -> str:
            self.runs[record.message_id] += 1
            if self.fails(record.message_id, self.runs[record.message_id]):
                raise Transient("busy")
            self.done[source.name].append(self.clock.ms - record.sent_at_ms)
            return "done"

        def park(record: Record, refusal: Permanent) -> str:
            raise AssertionError(refusal.reason)

        return Worker(
            sqs=Sqs(source.queue),  # type: ignore[arg-type] # implements the calls of the worker
            queue_urls=[f"https://sqs/{source.name}"],
            tables=[],
            attempts=ATTEMPTS,
            handle=handle,
            park=park,
            report=lambda *_: None,
        )


@dataclass
class Sqs:
    """The client of one queue."""

    queue: FifoQueue

    def change_message_visibility(
        self, *, ReceiptHandle: str, VisibilityTimeout: int, **_: Any
    ) -> None:
        self.queue.hide(ReceiptHandle, VisibilityTimeout)

    def get_queue_attributes(self, *, QueueUrl: str, **_: Any) -> dict[str, Any]:
        return redrive_policy(QueueUrl)

    def send_message_batch(self, *, QueueUrl: str, Entries: list[dict[str, Any]]) -> dict[str, Any]:
        assert is_for_dead_letters(QueueUrl.rpartition("/")[2])
        return self.queue.bury(Entries)


ATTEMPTS = Attempts(
    lambda: boto3.client("dynamodb", region_name=template.REGION), "parley-local-attempts", 5
)


@pytest.fixture(params=range(3))
def account(request: pytest.FixtureRequest) -> Iterator[Account]:
    with mock_aws():
        template.create_table(boto3.client("dynamodb"), "AttemptsTable", **STAGE)
        ATTEMPTS.__dict__.pop("table", None)
        clock = Clock()
        with mock.patch.object(shared.runtime.clock, "now_ms", clock.now_ms):
            made = list(sources(clock))
            for number, source in enumerate(made):
                source.queue._ids = number * 1_000_000
            yield Account(clock, Random(request.param), made)  # noqa: S311 - a seed makes the run repeatable


def fill(source: Source, messages: int) -> None:
    """Put messages of as many conversations on a queue."""
    for number in range(messages):
        if source.is_fifo:
            source.queue.put(Entry("{}", f"group-{number}", f"message-{number}"))
        else:
            source.queue.put_standard(source.name, "{}" + " " * number)


def busy(account: Account, *, messages: int, hours: int) -> None:
    """Work on all queues at once, and a webhook every ten seconds meanwhile."""
    start = account.clock.ms
    for source in account.sources:
        fill(source, messages)
        for _ in range(LOWEST):
            account.at(start, lambda source=source: account.poll(source))  # type: ignore[misc] # a default
    for number in range(messages):
        sent = start + number * 10_000
        account.at(sent, lambda sent=sent: account.request(sent, lambda: None))  # type: ignore[misc] # a default
    account.play(start + hours * 3_600_000)


def dead(account: Account) -> int:
    return sum(len(source.queue.dead_letters) for source in account.sources)


def test_throttling_alone_makes_no_dead_letter_and_all_work_is_done_once(account: Account) -> None:
    busy(account, messages=56, hours=24)

    assert sum(account.throttled.values()) > 100
    assert account.refused > 100
    assert len(account.sources) == 17
    assert dead(account) == 0
    assert {name: len(delays) for name, delays in account.done.items()} == {
        source.name: 56 for source in account.sources
    }
    assert set(account.runs.values()) == {1}
    assert len(account.accepted) == 56


def test_webhooks_are_delayed_less_than_the_usual_queue_and_the_longest_runs_more(
    account: Account,
) -> None:
    """A request needs one execution for a moment and is sent again; a queue waits for its whole backlog."""
    busy(account, messages=56, hours=24)

    usual = {name: median(delays) for name, delays in account.done.items()}
    last = {name: max(delays) for name, delays in account.done.items()}
    longest = max(source.run_ms for source in account.sources)
    assert median(account.accepted) < median(usual.values())
    assert max(account.accepted) < max(last.values())
    slow = [source.name for source in account.sources if source.run_ms == longest]
    assert min(last[name] for name in slow) > median(last.values())


def test_messages_that_no_function_takes_for_a_day_are_handled_afterwards(account: Account) -> None:
    start = account.clock.ms
    account.executions = 0
    busy(account, messages=2, hours=24)
    assert account.runs == {}
    receives = [message.receives for source in account.sources for message in source.queue.messages]
    assert max(receives) > 100

    account.executions = EXECUTIONS
    account.play(start + 72 * 3_600_000)

    assert dead(account) == 0
    assert sum(map(len, account.done.values())) == 2 * 17
    assert len(account.accepted) == 2


def test_a_failure_after_many_throttled_receives_is_retried_as_any_other(account: Account) -> None:
    """Only the first receive counts as an attempt without a run: three failures are retried, a fourth is the last."""
    account.fails = lambda message, run: run <= 3 or message.endswith("1")
    account.executions = 0
    start = account.clock.ms
    busy(account, messages=2, hours=24)

    account.executions = EXECUTIONS
    account.play(start + 72 * 3_600_000)

    assert sum(map(len, account.done.values())) == 17
    assert dead(account) == 17
    assert set(account.runs.values()) == {4}
