"""SQS FIFO queues: entries with hashed groups and deduplication ids, sent in parallel batches."""

from __future__ import annotations

import hashlib
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from shared.runtime import trace_header
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.type_defs import SendMessageBatchRequestEntryTypeDef

# SQS accepts 10 entries and 1 MiB per call (SendMessageBatch); the difference to 1 MiB is for its own framing.
BATCH_ENTRIES = 10
BATCH_BYTES = 900_000
# A Meta POST may carry 1,000 updates: 100 calls. With eight in parallel, sending takes well under a second.
PARALLEL_CALLS = 8


class NotEnqueued(Transient):
    """The queue refused some entries. Report all of them as not accepted, so that the sender resends them."""


@dataclass(frozen=True, slots=True)
class Entry:
    """
    One message for a queue. *body* is ASCII JSON; the two ids are hex digests.

    *delay_seconds*, at most 900, hides the message at first; only standard queues have it.
    """

    body: str
    group: str
    deduplication: str
    delay_seconds: int = 0


def digest(*parts: str) -> str:
    """
    Return the SHA-256 of the *parts* in hex. Different splits into parts give different digests.

    Group and deduplication ids allow 128 characters without blanks or non-ASCII, and must not reveal an address.
    """
    # JSON, because a plain separator could occur inside a part.
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def to_json(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """
    Serialise as compact ASCII JSON: SQS refuses raw control characters, and lone surrogates have no UTF-8.

    Keys are sorted, so that equal values give equal texts and hashes.
    """
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"), sort_keys=True)


def messages_in(client: SQSClient, url: str) -> int:
    """Return the approximate number of messages in a queue, including messages in flight."""
    attributes = client.get_queue_attributes(
        QueueUrl=url,
        AttributeNames=["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"],
    )["Attributes"]
    return sum(int(count) for count in attributes.values())


@dataclass(eq=False)
class FifoQueue:
    """One FIFO queue, for sending; its client is created at first use."""

    make_client: Callable[[], SQSClient]
    url: str

    @cached_property
    def client(self) -> SQSClient:
        """The SQS client."""
        return self.make_client()

    @property
    def name(self) -> str:
        """The name of the queue, the last part of its URL."""
        return self.url.rpartition("/")[2]

    def send(self, entries: Iterable[Entry]) -> int:
        """
        Send all *entries* and return their number; raises NotEnqueued if any was refused.

        The messages carry the header of the current trace, which their worker continues (`shared.runtime.tracing`).
        Order within a group is guaranteed only for entries of one batch; no consumer relies on more, since providers
        repeat and reorder anyway. Resending is safe: SQS drops duplicates within five minutes, the workers drop later
        ones.
        """
        batches = list(_batches(entries))
        if len(batches) == 1:
            self._send_batch(batches[0])
        elif batches:
            _ = self.client  # created before the threads start: client creation is not thread-safe
            with ThreadPoolExecutor(PARALLEL_CALLS) as pool:
                # list() raises the first failure, after all calls have ended.
                list(pool.map(self._send_batch, batches))
        return sum(len(batch) for batch in batches)

    def _send_batch(self, batch: list[Entry]) -> None:
        request_entries = [self._request_entry(number, entry) for number, entry in enumerate(batch)]
        if trace := trace_header.current():
            for sent in request_entries:
                sent["MessageSystemAttributes"] = {
                    trace_header.ATTRIBUTE: {"DataType": "String", "StringValue": trace}
                }
        answer = self.client.send_message_batch(QueueUrl=self.url, Entries=request_entries)
        # SQS answers 200 and lists the refused entries.
        if failed := answer.get("Failed"):
            raise NotEnqueued(f"{len(failed)} of {len(batch)} entries refused: {failed[0]['Code']}")

    def _request_entry(self, number: int, entry: Entry) -> SendMessageBatchRequestEntryTypeDef:
        return {
            "Id": str(number),
            "MessageBody": entry.body,
            "MessageGroupId": entry.group,
            "MessageDeduplicationId": entry.deduplication,
        }


def _batches(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    batch: list[Entry] = []
    size = 0
    for entry in entries:
        if batch and (len(batch) == BATCH_ENTRIES or size + len(entry.body) > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(entry)
        size += len(entry.body)
    if batch:
        yield batch
