"""Batches of FIFO queues: what fails comes back with what is behind it in its group, and holds up nobody else."""

import json
from dataclasses import dataclass, field
from io import StringIO
from typing import Any

import pytest
from botocore.exceptions import ClientError

from shared.aws.sqs_batch import Record, handle_each
from tests.integration.logs import counted, recorded

SECRET = "call me at +14155550123"


def told(message_id: str, group: str, *, attempt: int = 1) -> dict[str, Any]:
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
class Bench:
    """A worker that fails at some records; what it was asked to do, in order."""

    failing: frozenset[str] = frozenset()
    got: list[str] = field(default_factory=list)
    reported: list[tuple[str, int]] = field(default_factory=list)
    shown: list[tuple[Record, Exception]] = field(default_factory=list)

    def handle(self, record: Record) -> int:
        self.got.append(record.message_id)
        if record.message_id in self.failing:
            raise RuntimeError(SECRET)
        return len(record.body)

    def report(self, record: Record, handled: int) -> None:
        self.reported.append((record.message_id, handled))

    def show(self, record: Record, failure: Exception) -> None:
        self.shown.append((record, failure))

    def work(self, *records: dict[str, Any]) -> list[str]:
        """The ids of what comes back."""
        answer = handle_each(
            {"Records": [*records]},
            handle=self.handle,
            report=self.report,
            on_retry=self.show,
        )
        assert list(answer) == ["batchItemFailures"]
        return [entry["itemIdentifier"] for entry in answer["batchItemFailures"]]


def fail(*_: object) -> None:
    """What goes wrong beside the handling."""
    raise KeyError("something")


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> StringIO:
    counted("ComesBack")
    return recorded(monkeypatch)


def test_records_are_handled_and_reported_in_the_order_of_the_batch_and_none_comes_back() -> None:
    bench = Bench()

    assert bench.work(told("1", "a"), told("2", "b"), told("3", "a")) == []
    assert bench.got == ["1", "2", "3"]
    assert bench.reported == [("1", 9), ("2", 9), ("3", 9)]


def test_what_fails_comes_back_with_what_is_behind_it_in_its_group_unhandled() -> None:
    bench = Bench(frozenset({"2"}))

    back = bench.work(
        told("1", "a"), told("2", "a"), told("3", "b"), told("4", "a"), told("5", "b")
    )

    assert back == ["2", "4"]
    assert bench.got == ["1", "2", "3", "5"]
    assert [message_id for message_id, _ in bench.reported] == ["1", "3", "5"]


def test_a_batch_that_fails_whole_is_an_answer_and_no_error_of_the_function() -> None:
    assert Bench(frozenset({"1", "2"})).work(told("1", "a"), told("2", "b")) == ["1", "2"]


def test_a_record_that_comes_back_is_counted_and_logged_without_what_its_failure_said(
    log: StringIO,
) -> None:
    Bench(frozenset({"1"})).work(told("1", "a", attempt=3), told("2", "a"))

    (line,) = log.getvalue().splitlines()
    said = json.loads(line)
    assert {name: said[name] for name in ("message", "level", "error", "attempt")} == {
        "message": "retry scheduled",
        "level": "WARNING",
        "error": "RuntimeError",
        "attempt": 3,
    }
    assert SECRET not in line
    assert counted("ComesBack") == 1


def test_the_failure_is_shown_to_the_worker_before_the_record_comes_back() -> None:
    bench = Bench(frozenset({"2"}))

    bench.work(told("1", "a"), told("2", "b", attempt=5), told("3", "b"))

    ((record, failure),) = bench.shown
    assert isinstance(failure, RuntimeError)
    assert record == Record(
        message_id="2",
        body="body of 2",
        group="b",
        attempt=5,
        sent_at_ms=1_767_268_800_000,
        receipt="receipt of 2",
        queue="some.fifo",
    )


def test_a_failure_at_the_failure_is_logged_and_holds_up_no_other_group(
    log: StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(frozenset({"1"}))
    monkeypatch.setattr(bench, "show", fail)

    assert bench.work(told("1", "a"), told("2", "b"), told("3", "a")) == ["1", "3"]

    assert bench.got == ["1", "2"]
    last = json.loads(log.getvalue().splitlines()[-1])
    assert (last["message"], last["error"]) == ("retry hook failed", "KeyError")


def test_an_error_of_aws_without_a_code_comes_back_like_any_other(
    log: StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench()

    def refused(_record: Record) -> int:
        raise ClientError({"Error": {"Message": SECRET}}, "GetObject")

    monkeypatch.setattr(bench, "handle", refused)

    assert bench.work(told("1", "a")) == ["1"]
    (line,) = log.getvalue().splitlines()
    assert json.loads(line)["reason"] == "GetObject: no code"


def test_what_is_done_is_done_where_it_cannot_be_reported(
    log: StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench()
    monkeypatch.setattr(bench, "report", fail)

    assert bench.work(told("1", "a", attempt=5), told("2", "a")) == []

    assert bench.got == ["1", "2"]
    assert bench.shown == []
    assert [json.loads(line)["message"] for line in log.getvalue().splitlines()] == [
        "report hook failed",
        "report hook failed",
    ]


def test_no_body_shows_in_what_python_prints_of_a_record() -> None:
    record = Record.of(told("1", "a"))

    assert "body of 1" not in repr(record)
    assert "receipt of 1" not in repr(record)


def test_records_of_a_queue_without_groups_are_refused_before_any_is_handled() -> None:
    standard = told("2", "b")
    del standard["attributes"]["MessageGroupId"]
    bench = Bench()

    with pytest.raises(KeyError, match="MessageGroupId"):
        bench.work(told("1", "a"), standard)

    assert bench.got == []
