"""FIFO queues: batches, ids, and entries that the queue refuses."""

from typing import Any

import pytest

from shared.aws.sqs_fifo import BATCH_BYTES, Entry, FifoQueue, NotEnqueued, digest, to_json


class RecordingSqs:
    def __init__(self, refuse: str = "") -> None:
        self.batches: list[list[dict[str, Any]]] = []
        self._refuse = refuse

    def send_message_batch(self, *, QueueUrl: str, Entries: list[dict[str, Any]]) -> dict[str, Any]:
        self.batches.append(Entries)
        refused = [e for e in Entries if e["MessageBody"] == self._refuse]
        return {"Failed": [{"Id": e["Id"], "Code": "InternalError"} for e in refused]}


def entries(count: int, size: int = 10) -> list[Entry]:
    return [Entry(str(number).zfill(size), "group", str(number)) for number in range(count)]


def test_all_entries_are_sent_in_batches_of_at_most_ten() -> None:
    sqs = RecordingSqs()

    sent = FifoQueue(lambda: sqs, "url").send(entries(25))  # type: ignore[arg-type, return-value] # a fake with the one method that is used

    assert sent == 25
    assert sorted(len(batch) for batch in sqs.batches) == [5, 10, 10]
    bodies = {entry["MessageBody"] for batch in sqs.batches for entry in batch}
    assert bodies == {entry.body for entry in entries(25)}


def test_a_batch_stays_below_the_size_limit_of_sqs() -> None:
    sqs = RecordingSqs()

    FifoQueue(lambda: sqs, "url").send(entries(4, size=BATCH_BYTES // 2))  # type: ignore[arg-type, return-value] # as above

    assert [len(batch) for batch in sqs.batches] == [2, 2]


def test_without_entries_no_call_is_made() -> None:
    sqs = RecordingSqs()

    assert FifoQueue(lambda: sqs, "url").send([]) == 0  # type: ignore[arg-type, return-value] # as above
    assert sqs.batches == []


@pytest.mark.parametrize("count", [3, 25])
def test_one_refused_entry_of_any_batch_is_a_failure_of_the_whole(count: int) -> None:
    sqs = RecordingSqs(refuse=entries(count)[-1].body)

    with pytest.raises(NotEnqueued, match=r"^1 of "):
        FifoQueue(lambda: sqs, "url").send(entries(count))  # type: ignore[arg-type, return-value] # as above


def test_a_digest_depends_on_the_ends_of_its_parts() -> None:
    assert digest("a", "bc") != digest("ab", "c")
    assert digest("a") != digest("a", "")


def test_json_on_the_queue_is_ascii_for_every_text() -> None:
    text = to_json({"text": "Grüße \ud83d\ude00 \x00 \ud800"})

    assert text.isascii()
    assert text == '{"text":"Gr\\u00fc\\u00dfe \\ud83d\\ude00 \\u0000 \\ud800"}'


def test_messages_have_the_header_of_the_current_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    header = "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1"
    monkeypatch.setenv("_X_AMZN_TRACE_ID", f"Self=1-2-3;{header};Lineage=1:a87bd80c:0")
    sqs = RecordingSqs()

    FifoQueue(lambda: sqs, "url").send(entries(11))  # type: ignore[arg-type, return-value] # as above

    carried = {"DataType": "String", "StringValue": f"{header};Lineage=1:a87bd80c:0"}
    sent = [entry["MessageSystemAttributes"] for batch in sqs.batches for entry in batch]
    assert sent == [{"AWSTraceHeader": carried}] * 11


@pytest.mark.parametrize("header", ["", "Root=1-2-3;Parent=4;Sampled=1", "Root=\u00e4"])
def test_a_header_that_sqs_would_refuse_is_not_sent(
    monkeypatch: pytest.MonkeyPatch, header: str
) -> None:
    monkeypatch.setenv("_X_AMZN_TRACE_ID", header)
    sqs = RecordingSqs()

    FifoQueue(lambda: sqs, "url").send(entries(1))  # type: ignore[arg-type, return-value] # as above

    assert [entry.keys() for entry in sqs.batches[0]] == [
        {"Id", "MessageBody", "MessageGroupId", "MessageDeduplicationId"}
    ]
