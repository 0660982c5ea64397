"""SQS FIFO queues: entries with hashed groups and deduplication ids, sent in parallel batches."""

from __future__ import annotations

import hashlib
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from shared.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.type_defs import SendMessageBatchRequestEntryTypeDef

# SQS takes 10 entries and 1 MiB a call (SendMessageBatch); the rest of the MiB is for its own framing.
BATCH_ENTRIES = 10
BATCH_BYTES = 900_000
# A Meta POST may carry 1,000 updates: 100 calls. Eight at a time keep it well under a second.
PARALLEL_CALLS = 8


class NotEnqueued(Transient):
    """The queue refused some entries. Tell the sender that nothing was taken: it sends all of them again."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One message for a FIFO queue. *body* is ASCII JSON; the two ids are hex digests."""

    body: str
    group: str
    deduplication: str


def digest(*parts: str) -> str:
    """
    SHA-256 in hex of the *parts*, unambiguous in where one ends.

    Group and deduplication ids allow 128 characters without blanks or non-ASCII, and must not show an address.
    """
    # JSON, because a plain separator could be part of a part.
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def to_json(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """
    Compact JSON in ASCII: SQS refuses raw control characters, and lone surrogates have no UTF-8.

    Keys are sorted, so that equal values give equal texts and hashes.
    """
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"), sort_keys=True)


def messages_in(client: SQSClient, url: str) -> int:
    """About how many messages a queue holds, those included that somebody has received and not deleted."""
    attributes = client.get_queue_attributes(
        QueueUrl=url,
        AttributeNames=["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"],
    )["Attributes"]
    return sum(int(count) for count in attributes.values())


@dataclass(frozen=True)
class FifoQueue:
    """One FIFO queue, for sending; its client is made at the first use."""

    make_client: Callable[[], SQSClient]
    url: str

    @cached_property
    def client(self) -> SQSClient:
        """The SQS client."""
        return self.make_client()

    def send(self, entries: Iterable[Entry]) -> int:
        """
        Put all *entries* on the queue and return their number; raises NotEnqueued when one was refused.

        Order within a group holds for entries of one batch only; nobody relies on more, since providers repeat and
        reorder anyway. Sending again is safe: SQS drops what it took within five minutes, the workers the rest.
        """
        batches = list(_batches(entries))
        if len(batches) == 1:
            self._send_batch(batches[0])
        elif batches:
            _ = self.client  # made before the threads ask for it: making one is not safe among them
            with ThreadPoolExecutor(PARALLEL_CALLS) as pool:
                # list() raises the first failure, after every call has ended.
                list(pool.map(self._send_batch, batches))
        return sum(len(batch) for batch in batches)

    def _send_batch(self, batch: list[Entry]) -> None:
        wire: list[SendMessageBatchRequestEntryTypeDef] = [
            {
                "Id": str(number),
                "MessageBody": entry.body,
                "MessageGroupId": entry.group,
                "MessageDeduplicationId": entry.deduplication,
            }
            for number, entry in enumerate(batch)
        ]
        answer = self.client.send_message_batch(QueueUrl=self.url, Entries=wire)
        # SQS answers 200 and lists what it refused.
        if failed := answer.get("Failed"):
            raise NotEnqueued(f"{len(failed)} of {len(batch)} entries refused: {failed[0]['Code']}")


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
