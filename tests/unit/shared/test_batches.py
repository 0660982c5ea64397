"""Batches of FIFO queues: what fails comes back with what is behind it in its group, and holds up nobody else."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from shared.batches import Record, handle_each
from shared.failures import Transient
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


def batch(*records: dict[str, Any]) -> dict[str, Any]:
    return {"Records": list(records)}


def fails_at(*message_ids: str) -> tuple[Callable[[Record], None], list[str]]:
    """Something that handles records but for these, and the ids of those that it got, in order."""
    got: list[str] = []

    def handle(record: Record) -> None:
        got.append(record.message_id)
        if record.message_id in message_ids:
            raise RuntimeError(SECRET)

    return handle, got


def nothing(_record: Record, _failure: Exception) -> None:
    """Nothing is to be done before a record comes back."""


def ids(answer: dict[str, list[dict[str, str]]]) -> list[str]:
    return [entry["itemIdentifier"] for entry in answer["batchItemFailures"]]


def test_records_are_handled_in_the_order_of_the_batch_and_none_comes_back() -> None:
    handle, got = fails_at()

    answer = handle_each(batch(told("1", "a"), told("2", "b"), told("3", "a")), handle, nothing)

    assert answer == {"batchItemFailures": []}
    assert got == ["1", "2", "3"]


def test_what_fails_comes_back_with_what_is_behind_it_in_its_group_unhandled() -> None:
    handle, got = fails_at("2")

    answer = handle_each(
        batch(told("1", "a"), told("2", "a"), told("3", "b"), told("4", "a"), told("5", "b")),
        handle,
        nothing,
    )

    assert ids(answer) == ["2", "4"]
    assert got == ["1", "2", "3", "5"]


def test_a_batch_that_fails_whole_is_an_answer_and_no_error_of_the_function() -> None:
    handle, _ = fails_at("1", "2")

    answer = handle_each(batch(told("1", "a"), told("2", "b")), handle, nothing)

    assert ids(answer) == ["1", "2"]


def test_a_record_that_comes_back_is_counted_and_logged_without_what_its_failure_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    log = recorded(monkeypatch)
    counted("ComesBack")
    handle, _ = fails_at("1")

    handle_each(batch(told("1", "a", attempt=3), told("2", "a")), handle, nothing)

    (line,) = log.getvalue().splitlines()
    said = json.loads(line)
    assert {name: said[name] for name in ("message", "level", "error", "attempt")} == {
        "message": "record comes back",
        "level": "WARNING",
        "error": "RuntimeError",
        "attempt": 3,
    }
    assert SECRET not in line
    assert counted("ComesBack") == 1


def test_the_failure_is_shown_to_the_worker_before_the_record_comes_back() -> None:
    handle, _ = fails_at("2")
    shown: list[tuple[Record, Exception]] = []

    handle_each(
        batch(told("1", "a"), told("2", "b", attempt=5), told("3", "b")),
        handle,
        lambda record, failure: shown.append((record, failure)),
    )

    ((record, failure),) = shown
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


def test_no_body_shows_in_what_python_prints_of_a_record() -> None:
    record = Record.of(told("1", "a"))

    assert "body of 1" not in repr(record)
    assert "receipt of 1" not in repr(record)


def test_a_failure_at_the_failure_brings_the_whole_batch_back() -> None:
    handle, _ = fails_at("1")

    def fail(_record: Record, _failure: Exception) -> None:
        raise Transient("also")

    with pytest.raises(Transient, match="also"):
        handle_each(batch(told("1", "a"), told("2", "b")), handle, fail)


def test_records_of_a_queue_without_groups_are_refused_before_any_is_handled() -> None:
    standard = told("2", "b")
    del standard["attributes"]["MessageGroupId"]
    handle, got = fails_at()

    with pytest.raises(KeyError, match="MessageGroupId"):
        handle_each(batch(told("1", "a"), standard), handle, nothing)

    assert got == []
