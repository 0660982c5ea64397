"""The SQS worker: a record is handled, parked or retried, and a failed record blocks only its own message group."""

import json
from dataclasses import dataclass, field
from io import StringIO
from typing import Any

import pytest
from aws_lambda_powertools.utilities.typing import LambdaContext
from botocore.exceptions import ClientError

from shared.aws.workers.sqs_worker import Record, Worker, process
from shared.runtime.failures import NotDue, Permanent, Transient
from tests.integration.logs import counted, recorded

SECRET = "call me at +14155550123"
URL = "https://sqs.us-east-1.amazonaws.com/123456789012/some.fifo"
LAST = 5


def sqs_record(message_id: str, group: str, *, attempt: int = 1) -> dict[str, Any]:
    """A record as Lambda writes it (AWS, "Example Amazon SQS FIFO message event")."""
    return {
        "messageId": message_id,
        "receiptHandle": f"receipt of {message_id}",
        "body": f"body of {message_id}",
        "attributes": {
            "ApproximateReceiveCount": str(attempt),
            "SentTimestamp": "1767268800000",
            "SequenceNumber": "18849496460467696128",
            "MessageGroupId": group,
            "SenderId": "AIDAIO23YVJENQZJOL4VO",
            "MessageDeduplicationId": message_id,
            "ApproximateFirstReceiveTimestamp": "1767268800100",
        },
        "messageAttributes": {},
        "md5OfBody": "e4e68fb7bd0e697a0ae8f1bb342846b3",
        "eventSource": "aws:sqs",
        "eventSourceARN": "arn:aws:sqs:us-east-1:123456789012:some.fifo",
        "awsRegion": "us-east-1",
    }


@dataclass
class Queue:
    """An SQS client that records visibility timeouts and dead letters."""

    waits: list[int] = field(default_factory=list)
    letters: list[dict[str, Any]] = field(default_factory=list)
    is_down: bool = False
    refuses: bool = False

    def get_queue_attributes(self, *, QueueUrl: str, AttributeNames: list[str]) -> dict[str, Any]:
        assert (QueueUrl, AttributeNames) == (URL, ["RedrivePolicy"])
        target = "arn:aws:sqs:us-east-1:123456789012:letters.fifo"
        policy = {"deadLetterTargetArn": target, "maxReceiveCount": 1_000}
        return {"Attributes": {"RedrivePolicy": json.dumps(policy)}}

    def send_message_batch(self, *, QueueUrl: str, Entries: list[dict[str, Any]]) -> dict[str, Any]:
        assert QueueUrl == "https://sqs.us-east-1.amazonaws.com/123456789012/letters.fifo"
        if self.refuses:
            return {"Failed": [{"Id": "0", "Code": "InternalError"}]}
        self.letters += Entries
        return {"Successful": []}

    @property
    def dead(self) -> list[str]:
        """The ids of the messages that are dead letters."""
        return [letter["MessageDeduplicationId"] for letter in self.letters]

    def change_message_visibility(
        self, *, QueueUrl: str, ReceiptHandle: str, VisibilityTimeout: int
    ) -> None:
        assert QueueUrl == URL
        assert ReceiptHandle.startswith("receipt of ")
        if self.is_down:
            raise ClientError({"Error": {"Code": "Unavailable"}}, "ChangeMessageVisibility")
        self.waits.append(VisibilityTimeout)


@dataclass
class Counts:
    """The attempts of redelivered messages. *earlier*: those before this delivery, if some receives were none."""

    most: int = LAST
    earlier: dict[str, int] = field(default_factory=dict)
    is_down: bool = False

    def begin(self, message_id: str, receives: int) -> int:
        if self.is_down:
            raise ClientError({"Error": {"Code": "InternalServerError"}}, "UpdateItem")
        return self.earlier.get(message_id, receives - 1) + 1


@dataclass
class Bench:
    """A worker whose handling of some records fails, and the calls of its hooks in order."""

    failures: dict[str, Exception] = field(default_factory=dict)
    queue: Queue = field(default_factory=Queue)
    handled: list[str] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
    parked: list[tuple[str, str]] = field(default_factory=list)
    reported: list[tuple[str, str]] = field(default_factory=list)
    noted: list[tuple[str, str]] = field(default_factory=list)
    park_fails: bool = False
    counts: Counts = field(default_factory=Counts)
    due_ms: int = 0

    def handle(self, record: Record) -> str:
        self.records.append(record)
        self.handled.append(record.message_id)
        if failure := self.failures.get(record.message_id):
            raise failure
        return "done"

    def park(self, record: Record, refusal: Permanent) -> str:
        if self.park_fails:
            raise Transient("table_down")
        self.parked.append((record.message_id, refusal.reason))
        return "parked"

    def report(self, record: Record, result: str) -> None:
        self.reported.append((record.message_id, result))

    def note(self, record: Record, reason: str) -> None:
        self.noted.append((record.message_id, reason))

    def work(self, *records: dict[str, Any]) -> list[str]:
        """Return the ids of the records to retry."""
        worker: Worker[str] = Worker(
            sqs=self.queue,  # type: ignore[arg-type] # implements the methods that the worker calls
            queue_urls=[URL],
            tables=[],
            attempts=self.counts,  # type: ignore[arg-type] # implements the same
            handle=self.handle,
            park=self.park,
            report=self.report,
            note_dead_letter=self.note,
            due_ms=lambda _: self.due_ms,
        )
        answer = process(worker, {"Records": [*records]}, LambdaContext())
        assert list(answer) == ["batchItemFailures"]
        return [str(entry["itemIdentifier"]) for entry in answer["batchItemFailures"]]


def failing(*message_ids: str) -> Bench:
    return Bench({message_id: RuntimeError(SECRET) for message_id in message_ids})


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> StringIO:
    counted("RetryScheduled")
    return recorded(monkeypatch)


def test_records_are_handled_and_reported_in_the_order_of_the_batch() -> None:
    bench = Bench()

    assert bench.work(sqs_record("1", "a"), sqs_record("2", "b"), sqs_record("3", "a")) == []
    assert bench.handled == ["1", "2", "3"]
    assert bench.reported == [("1", "done"), ("2", "done"), ("3", "done")]


def test_a_failed_record_is_retried_with_the_later_records_of_its_group_unhandled() -> None:
    bench = failing("2")
    batch = [sqs_record(str(number), group) for number, group in enumerate("aabab", start=1)]

    assert bench.work(*batch) == ["2", "4"]
    assert bench.handled == ["1", "2", "3", "5"]
    assert [message_id for message_id, _ in bench.reported] == ["1", "3", "5"]


def test_skipped_records_become_visible_together_with_the_failed_one_of_their_group() -> None:
    bench = Bench({"1": Transient("busy", 90_000), "4": RuntimeError()})
    batch = [sqs_record(str(number), group) for number, group in enumerate("aabba", start=1)]

    assert bench.work(*batch) == ["1", "2", "4", "5"]
    assert bench.queue.waits == [90, 90, 20, 90]


def test_a_batch_in_which_every_record_fails_is_no_error_of_the_function() -> None:
    assert failing("1", "2").work(sqs_record("1", "a"), sqs_record("2", "b")) == ["1", "2"]


def test_the_record_says_which_delivery_it_is() -> None:
    bench = Bench()

    bench.work(sqs_record("1", "a", attempt=2), sqs_record("2", "b", attempt=LAST))

    first, last = bench.records
    assert (first.attempt, first.is_last, last.is_last) == (2, False, True)
    assert (first.queue, first.sent_at_ms) == ("some.fifo", 1_767_268_800_000)
    assert "body of" not in repr(first)


@pytest.mark.parametrize(
    ("attempt", "failure", "seconds"),
    [
        (1, RuntimeError(), 20),
        (2, RuntimeError(), 60),
        (4, RuntimeError(), 540),
        (4, Transient("busy"), 540),
        (1, Transient("throttled", 1_500), 2),
        (1, Transient("throttled", 0), 1),
        (1, Transient("closed", 86_400_000), 3_600),
    ],
)
def test_a_retry_waits_longer_each_time_or_as_long_as_the_failure_asks(
    attempt: int, failure: Exception, seconds: int
) -> None:
    bench = Bench({"1": failure})

    bench.work(sqs_record("1", "a", attempt=attempt))

    assert bench.queue.waits == [seconds]
    assert bench.noted == []


@pytest.mark.parametrize(
    ("failure", "reason"),
    [
        (Transient("not_sent", 1_000), "not_sent"),
        (RuntimeError(SECRET), "RuntimeError"),
        (
            ClientError({"Error": {"Code": "Throttled", "Message": SECRET}}, "PutItem"),
            "PutItem: Throttled",
        ),
        (ClientError({"Error": {"Message": SECRET}}, "PutItem"), "PutItem: no code"),
    ],
)
def test_after_the_last_attempt_the_reason_is_stored_without_the_text_of_the_failure(
    failure: Exception, reason: str
) -> None:
    bench = Bench({"1": failure})

    assert bench.work(sqs_record("1", "a", attempt=LAST)) == []
    assert bench.noted == [("1", reason)]
    assert bench.queue.dead == ["1"]


def test_a_dead_letter_has_body_and_group_and_the_later_records_of_its_group_are_handled() -> None:
    bench = failing("1")

    assert bench.work(sqs_record("1", "a", attempt=LAST), sqs_record("2", "a")) == []

    [letter] = bench.queue.letters
    assert (letter["MessageBody"], letter["MessageGroupId"]) == ("body of 1", "a")
    assert bench.handled == ["1", "2"]
    assert bench.queue.waits == []


def test_a_dead_letter_that_cannot_be_stored_is_stored_by_the_next_run_under_its_first_reason() -> (
    None
):
    bench = failing("1")
    bench.queue.refuses = True
    assert bench.work(sqs_record("1", "a", attempt=LAST)) == ["1"]
    assert bench.queue.waits == [20]

    bench.queue.refuses = False
    assert bench.work(sqs_record("1", "a", attempt=LAST + 1)) == []

    assert bench.queue.dead == ["1"]
    assert bench.handled == ["1"]
    assert bench.noted == [("1", "RuntimeError")]


def test_a_message_that_kills_every_run_becomes_a_dead_letter_without_another_one() -> None:
    bench = Bench()

    assert bench.work(sqs_record("1", "a", attempt=LAST + 1)) == []

    assert (bench.handled, bench.queue.dead) == ([], ["1"])


@pytest.mark.parametrize("receives", [2, LAST, LAST + 1, 900])
def test_receives_without_a_run_are_no_attempts(receives: int) -> None:
    bench = failing("1")
    bench.counts.earlier["1"] = 1

    assert bench.work(sqs_record("1", "a", attempt=receives)) == ["1"]

    assert [record.attempt for record in bench.records] == [2]
    assert (bench.queue.waits, bench.queue.dead, bench.noted) == ([60], [], [])


@pytest.mark.parametrize("receives", [2, 900])
def test_an_attempt_that_cannot_be_counted_does_not_begin(receives: int, log: StringIO) -> None:
    bench = Bench()
    bench.counts.is_down = True

    assert bench.work(sqs_record("1", "a", attempt=receives), sqs_record("2", "a")) == ["1", "2"]

    assert (bench.handled, bench.queue.dead) == ([], [])
    assert bench.queue.waits[0] == (60 if receives == 2 else 540)
    assert json.loads(log.getvalue().splitlines()[0])["message"] == "attempt not counted"


def test_a_permanent_failure_parks_the_record_with_its_reason_and_does_not_block_its_group() -> (
    None
):
    bench = Bench({"1": Permanent("unknown_phone")})

    assert bench.work(sqs_record("1", "a"), sqs_record("2", "a")) == []
    assert bench.parked == [("1", "unknown_phone")]
    assert bench.reported == [("1", "parked"), ("2", "done")]


@pytest.mark.parametrize("bug", [TypeError, ValueError, KeyError, AttributeError, RecursionError])
def test_a_bug_is_retried_and_parked_as_internal_error_at_the_last_attempt(
    bug: type[Exception], log: StringIO
) -> None:
    bench = Bench({"1": bug(SECRET)})

    assert bench.work(sqs_record("1", "a", attempt=LAST - 1)) == ["1"]
    assert bench.parked == []
    assert bench.work(sqs_record("1", "a", attempt=LAST)) == []
    assert bench.parked == [("1", "internal_error")]
    assert SECRET not in log.getvalue()


def test_a_record_that_cannot_be_parked_is_retried_and_becomes_a_dead_letter() -> None:
    bench = Bench({"1": Permanent("unknown_phone")}, park_fails=True)

    assert bench.work(sqs_record("1", "a")) == ["1"]
    assert bench.work(sqs_record("1", "a", attempt=LAST)) == []
    assert bench.noted == [("1", "table_down")]
    assert bench.queue.dead == ["1"]


def test_a_scheduled_retry_is_counted_and_logged_without_the_text_of_the_failure(
    log: StringIO,
) -> None:
    failing("1").work(sqs_record("1", "a", attempt=3), sqs_record("2", "a"))

    (line,) = log.getvalue().splitlines()
    entry = json.loads(line)
    assert (entry["message"], entry["error"], entry["attempt"]) == (
        "retry scheduled",
        "RuntimeError",
        3,
    )
    assert SECRET not in line
    assert counted("RetryScheduled") == 1


def fail(*_: object) -> None:
    raise KeyError("something")


def test_a_failure_while_the_retry_is_scheduled_is_logged_and_does_not_block_other_groups(
    log: StringIO,
) -> None:
    bench = failing("1")
    bench.queue.is_down = True

    assert bench.work(sqs_record("1", "a"), sqs_record("2", "b"), sqs_record("3", "a")) == [
        "1",
        "3",
    ]
    assert bench.handled == ["1", "2"]
    last = json.loads(log.getvalue().splitlines()[-1])
    assert (last["message"], last["error"]) == ("retry not scheduled", "ClientError")


def test_a_record_is_done_even_if_it_cannot_be_reported(
    log: StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench()
    monkeypatch.setattr(bench, "report", fail)

    assert bench.work(sqs_record("1", "a", attempt=LAST), sqs_record("2", "a")) == []
    assert bench.handled == ["1", "2"]
    assert bench.noted == []
    messages = [json.loads(line)["message"] for line in log.getvalue().splitlines()]
    assert messages == ["report hook failed", "report hook failed"]


def test_a_record_that_is_not_due_is_hidden_until_its_time_and_nothing_has_failed(
    log: StringIO,
) -> None:
    bench = Bench({"1": NotDue(4_200)})

    assert bench.work(sqs_record("1", "a", attempt=LAST), sqs_record("2", "a")) == ["1", "2"]
    assert bench.queue.waits == [5, 5]
    assert (bench.noted, bench.queue.letters) == ([], [])
    assert "retry scheduled" not in log.getvalue()
    assert counted("RetryScheduled") == 0


def test_a_receive_before_the_time_of_a_record_is_no_attempt() -> None:
    bench = Bench(due_ms=1_767_268_800_101)  # a millisecond after the first receive

    bench.work(sqs_record("1", "a", attempt=2), sqs_record("2", "b", attempt=LAST))

    assert [record.attempt for record in bench.records] == [1, LAST - 1]
