"""
The queues that companies share, in virtual time: positions of records and counts of runs, with one company's backlog
beside single records of others.

The rule is the real one; a record is handled in the time that the queue's work takes. Its counts are one item, here in
memory, so that 100,000 records are simulated in seconds; a short run shows that moto's table has the same effect.
"""

from __future__ import annotations

import heapq
import json
import random
from collections import Counter, defaultdict, deque
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar, Final

import boto3
import pytest
from moto import mock_aws

from shared.aws.tables.attempts import Attempts
from shared.aws.workers import fair_shares
from shared.aws.workers.fair_shares import ROUND_MS, Runs, Sharing, Waiting
from shared.aws.workers.sqs_worker import Record
from shared.runtime import clock
from tests.simulation.clock import Clock
from tests.simulation.effort import long_except
from tests.template import create_table, parameters, resources

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shared.aws.dynamodb import Attributes

LARGE, OTHER, THIRD = "large", "other", "third"
REFUSAL_MS = 50  # reading the record, the count, and the write that postpones it
PER_SECOND = 20  # records of a company: calls of the API that it may make, ApiCompanyPercent


@dataclass(frozen=True)
class Kind:
    """A shared queue: the parameter with its concurrent runs, the time of a record, and where records wait."""

    parameter: str
    record_ms: int
    estimate_ms: int = 3_000
    is_in_table: bool = False
    round_ms: int = ROUND_MS

    @cached_property
    def runs(self) -> int:
        return int(parameters({})[self.parameter])

    @property
    def late_ms(self) -> int:
        in_rounds = self.round_ms + fair_shares.GRACE_MS
        return in_rounds if self.is_in_table else fair_shares.LATE_MS


KINDS: Final = {
    "first messages": Kind("ChannelMaxConcurrency", 3_000, is_in_table=True),
    "agents' messages": Kind("ChannelMaxConcurrency", 3_000),  # hidden as long as files are delayed
    "replies": Kind("ReplyMaxConcurrency", 5_000, is_in_table=True),
    "fast replies": Kind("ReplyMaxConcurrency", 500, is_in_table=True),
    "steps of newsletters": Kind(
        "NewsletterMaxConcurrency", 20_000, 20_000, is_in_table=True, round_ms=5 * ROUND_MS
    ),
    "files": Kind("MediaMaxConcurrency", 2_000),
    "mails that a model reads": Kind("EmailMaxConcurrency", 3_000),
}
# The rule of each queue that invokes a function: a kind above, or why its events need no shares.
IN_ORDER: Final = "handled faster than routes accept events, see tests.cost.limits"
ONE_ACCOUNT: Final = "of one company"
PAGES: Final = "delayed by five seconds, see tests.simulation.whatsapp.actions.test_campaign_queue"
RULES: Final = {
    "ConversationsWhatsAppQueue": "first messages",
    "ConversationsSmsQueue": "first messages",
    "ConversationsEmailQueue": "first messages",
    "ConversationsRepliesQueue": "replies",
    "ConversationsAgentsQueue": "agents' messages",
    "NewsletterStepsQueue": "steps of newsletters",
    "NewsletterExportsQueue": "steps of newsletters",
    "WhatsAppJobsQueue": "files",
    "ConversationsMediaQueue": "files",
    "WhatsAppCampaignsQueue": PAGES,
    "EmailThreadsQueue": "mails that a model reads",
    "WhatsAppQueue": IN_ORDER,
    "ConversationsInboundQueue": IN_ORDER,
    "ConversationsStatusesQueue": IN_ORDER,
    "EmailInboundQueue": IN_ORDER,
    "RichpanelQueue": ONE_ACCOUNT,
    "RichpanelLiveQueue": ONE_ACCOUNT,
}


class Item:
    """The one item of the table of attempts that the counts of a queue need."""

    def __init__(self) -> None:
        self.stored: dict[str, Any] = {}

    def get(self, _key: Attributes) -> Attributes:
        return self.stored

    def update(
        self,
        _key: Attributes,
        *,
        add: Attributes | None = None,
        put: Attributes | None = None,
        take_from_set: Attributes | None = None,
    ) -> Attributes:
        """As `shared.aws.dynamodb.Table.update`; the values of *add* are sets."""
        self.stored |= put or {}
        for name, members in (add or {}).items():
            self.stored[name] = self.stored.get(name, set()) | members
        for name, members in (take_from_set or {}).items():
            self.stored[name] = self.stored.get(name, set()) - members
        return self.stored


@dataclass
class Queue:
    """A queue with its event source, and the table where records wait that left it."""

    clock: Clock
    kind: Kind
    shared_runs: Runs
    visible: deque[Record] = field(default_factory=deque)
    coming: list[tuple[int, int, Record]] = field(
        default_factory=list
    )  # by the time when they arrive
    table: dict[str, deque[Record]] = field(default_factory=lambda: defaultdict(deque))
    began: dict[str, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))
    running: Counter[str] = field(default_factory=Counter)
    most_at_once: Counter[str] = field(default_factory=Counter)
    ends: list[tuple[int, int, Record, str | None]] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=count)
    # A run of the simulation ends later than its call: it is counted until then.
    counted: ClassVar[list[str]] = []

    @property
    def sharing(self) -> Sharing[str]:
        return Sharing(self.shared_runs, waiting_of, self.postpone, self.kind.late_ms)

    def send(self, company: str, at_ms: int, since_ms: int | None = None) -> None:
        """Enqueue a record of a company at a time."""
        number = next(self.numbers)
        body = json.dumps({"company": company, "since": at_ms if since_ms is None else since_ms})
        record = Record(
            message_id=str(number), body=body, queue="queue", attempt=1, is_last=False,
            sent_at_ms=at_ms, context=CONTEXT,
        )  # fmt: skip
        heapq.heappush(self.coming, (at_ms, number, record))

    def run_until(self, end_ms: int) -> None:
        """Advance the clock: records arrive, runs end and start, and each minute the sweep hands over a round."""
        while True:
            due = [one[0][0] for one in (self.coming, self.ends) if one]
            following = self.kind.round_ms * (self.clock.ms // self.kind.round_ms + 1)
            now = min([*due, following])
            if now > end_ms:
                break
            self.clock.ms = max(self.clock.ms, now)
            if now == following and self.kind.is_in_table:
                self.sweep()
            while self.coming and self.coming[0][0] <= now:
                self.visible.append(heapq.heappop(self.coming)[2])
            while self.ends and self.ends[0][0] <= now:
                self.end(*heapq.heappop(self.ends)[2:])
            while self.visible and len(self.ends) < self.kind.runs:
                self.start(self.visible.popleft())
        self.clock.ms = end_ms

    def start(self, record: Record) -> None:
        self.counted.clear()
        outcome = self.sharing.handled(record, lambda _: "handled")
        company = company_of(record)
        lasts = REFUSAL_MS
        if outcome == "handled":
            lasts = self.kind.record_ms
            self.began[company].append((json.loads(record.body)["since"], self.clock.ms))
            self.running[company] += 1
            self.most_at_once[company] = max(self.most_at_once[company], self.running[company])
        end = (self.clock.ms + lasts, next(self.numbers), record, next(iter(self.counted), None))
        heapq.heappush(self.ends, end if outcome == "handled" else (*end[:3], "refused"))

    def end(self, record: Record, run: str | None) -> None:
        if run == "refused":
            return
        self.running[company_of(record)] -= 1
        if run is not None:
            END(self.shared_runs, run)

    def postpone(self, record: Record) -> str:
        if self.kind.is_in_table:
            self.table[company_of(record)].append(record)
        else:
            entry = fair_shares.postponed(record.body)
            later = replace(record, body=entry.body, sent_at_ms=self.clock.ms)
            at = self.clock.ms + entry.delay_seconds * 1_000
            heapq.heappush(self.coming, (at, next(self.numbers), later))
        return "postponed"

    def sweep(self) -> None:
        left = len(self.visible)
        waiting = {name: len(records) for name, records in self.table.items() if records}
        shares = self.shared_runs.hand_over(left, waiting)
        for company, number in shares.items():
            for _ in range(number):
                record = self.table[company].popleft()
                self.send(company, self.clock.ms, json.loads(record.body)["since"])

    def waits(self, company: str) -> list[int]:
        """How long each started record of a company has waited, ms."""
        return [began - since for since, began in self.began[company]]


END = Runs.end
# A function has all of its time when it begins a record.
CONTEXT: Any = SimpleNamespace(get_remaining_time_in_millis=lambda: 120_000)


def waiting_of(record: Record) -> Waiting:
    return Waiting(company_of(record), fair_shares.since_ms(record))


def company_of(record: Record) -> str:
    return str(json.loads(record.body)["company"])


@pytest.fixture
def virtual(monkeypatch: pytest.MonkeyPatch) -> Clock:
    virtual = Clock(ms=1_767_268_800_000)
    monkeypatch.setattr(clock, "now_ms", virtual.now_ms)
    monkeypatch.setattr(Runs, "end", lambda _, run: Queue.counted.append(run))
    return virtual


@pytest.fixture
def queue(request: pytest.FixtureRequest, virtual: Clock) -> Queue:
    """A queue of a kind, with its counts in memory."""
    kind = KINDS[request.param]
    attempts: Any = SimpleNamespace(table=Item())  # as much as is used
    runs = Runs(attempts, "queue", kind.runs, kind.estimate_ms, kind.round_ms)
    return Queue(virtual, kind, runs)


def fill(queue: Queue, company: str, number: int) -> None:
    """Let a company send so many records, as fast as it may."""
    begin = queue.clock.ms
    for position in range(number):
        queue.send(company, begin + position * 1_000 // PER_SECOND)


# The other two are delayed as files are.
UNLIKE = [one for one in KINDS if one not in {"agents' messages", "mails that a model reads"}]
# Records that wait on a standard queue come back every quarter of an hour: more than 30,000 fill its spare runs. Those
# in a table wait in the same way at any number; two queues show it for 100,000.
BACKLOGS = dict.fromkeys(UNLIKE, 30_000) | {"first messages": 100_000, "replies": 100_000}
every_queue = pytest.mark.parametrize("queue", UNLIKE, indirect=True)


@pytest.mark.parametrize(
    ("queue", "number"),
    long_except(
        [*((kind, 400) for kind in KINDS), *BACKLOGS.items()],
        [(kind, 400) for kind in KINDS],
    ),
    indirect=["queue"],
)
def test_single_records_of_others_pass_the_backlog_of_one_company(
    queue: Queue, number: int
) -> None:
    """Until the backlog is handled, which takes hours."""
    begin = queue.clock.ms
    fill(queue, LARGE, number)
    fill(queue, THIRD, number // 100)
    lasts = number * max(1_000 // PER_SECOND, queue.kind.record_ms // queue.kind.runs)
    moments = [begin + position * lasts // 40 + 61_000 for position in range(40)]
    for moment in moments:
        queue.send(OTHER, moment)
    queue.run_until(begin + lasts + 61_000 + queue.kind.late_ms)

    # A round that is already on the queue, and the end of a run.
    assert max(queue.waits(OTHER)) <= queue.kind.late_ms + ROUND_MS + queue.kind.record_ms
    assert len(queue.waits(OTHER)) == len(moments)


def test_every_queue_of_the_template_has_a_rule_and_the_concurrency_of_its_kind() -> None:
    """A new queue fails here until its rule is named."""
    sources: dict[str, str] = {}
    for function in resources("AWS::Serverless::Function").values():
        for event in function["Properties"].get("Events", {}).values():
            if event["Type"] == "SQS":
                queue = event["Properties"]["Queue"]["Fn::GetAtt"].removesuffix(".Arn")
                most = event["Properties"]["ScalingConfig"]["MaximumConcurrency"]
                sources[queue] = most["Ref"] if isinstance(most, dict) else ""

    assert sources.keys() == RULES.keys()
    for queue, rule in RULES.items():
        if rule in KINDS:
            assert sources[queue] == KINDS[rule].parameter, queue


@every_queue
def test_a_company_alone_has_nearly_all_of_the_runs(queue: Queue) -> None:
    number = min(6 * queue.kind.runs * ROUND_MS // queue.kind.record_ms, 600)
    begin = queue.clock.ms
    fill(queue, LARGE, number)
    least = max(number * queue.kind.record_ms // queue.kind.runs, number * 1_000 // PER_SECOND)
    queue.run_until(begin + 3 * least // 2 + 3 * queue.kind.round_ms)

    assert len(queue.waits(LARGE)) == number


def test_companies_divide_a_round_equally_without_what_one_does_not_need() -> None:
    assert fair_shares.divide(10, {LARGE: 900, THIRD: 800}) == {LARGE: 5, THIRD: 5}
    assert fair_shares.divide(10, {LARGE: 900, THIRD: 2}) == {LARGE: 8, THIRD: 2}
    assert fair_shares.divide(1, {LARGE: 900, THIRD: 800}) == {LARGE: 0, THIRD: 1}


@every_queue
def test_two_companies_with_a_backlog_share_the_runs_equally(queue: Queue) -> None:
    begin = queue.clock.ms
    for company in (LARGE, THIRD):
        fill(queue, company, 500)
    queue.run_until(begin + 6 * ROUND_MS)
    handled = {company: len(queue.waits(company)) for company in (LARGE, THIRD)}

    assert abs(handled[LARGE] - handled[THIRD]) <= 0.2 * handled[LARGE] + queue.kind.runs


@pytest.mark.parametrize("queue", ["first messages", "files"], indirect=True)
def test_counts_in_moto_have_the_same_effect_as_counts_in_memory(queue: Queue) -> None:
    def began(one: Queue) -> dict[str, list[tuple[int, int]]]:
        random.seed(1)
        fill(one, LARGE, 150)
        fill(one, THIRD, 50)
        one.run_until(one.clock.ms + 3 * one.kind.late_ms)
        return one.began

    at = queue.clock.ms
    in_memory = began(queue)
    queue.clock.ms = at
    with mock_aws():
        client = boto3.client("dynamodb")
        attempts = Attempts(lambda: client, create_table(client, "AttemptsTable"), 5)
        runs = replace(queue.shared_runs, attempts=attempts)
        in_moto = began(Queue(queue.clock, queue.kind, runs))

    assert in_memory == in_moto
    assert len(in_memory) == 2
