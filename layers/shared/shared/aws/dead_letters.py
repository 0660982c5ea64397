"""Dead-letter queues of SQS: add, list and delete single messages."""

from __future__ import annotations

import json
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from aws_lambda_powertools import single_metric
from aws_lambda_powertools.metrics import MetricUnit
from botocore.exceptions import BotoCoreError, ClientError

from shared.aws.sqs_fifo import Entry, FifoQueue, messages_in
from shared.aws.sqs_standard import StandardQueue
from shared.runtime.observability import count_condition, describe, logger

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
    from mypy_boto3_sqs import SQSClient

MOST_AT_ONCE = 10  # ReceiveMessage
# Visibility timeout of received letters, if their process dies; longer than any use of them takes.
HELD_SECONDS = 120


def add(client: SQSClient, queue_url: str, received: SQSRecord) -> None:
    """
    Move a received message to the dead-letter queue of its queue, as SQS itself does after too many receives; the
    caller then deletes it from its queue.

    Safe to repeat: another letter of the same message differs in nothing, and handling one twice has no further effect.
    """
    attributes = client.get_queue_attributes(QueueUrl=queue_url, AttributeNames=["RedrivePolicy"])[
        "Attributes"
    ]
    arn: str = json.loads(attributes["RedrivePolicy"])["deadLetterTargetArn"]
    name = arn.rpartition(":")[2]
    kind = FifoQueue if name.endswith(".fifo") else StandardQueue
    letters = kind(lambda: client, f"{queue_url.rpartition('/')[0]}/{name}")
    group = received.attributes.message_group_id or ""
    letters.send([Entry(received.body, group, received.message_id)])


def count_dead_letters(client: SQSClient, urls: Sequence[str]) -> None:
    """Count the messages of each queue, for the alarms, if there are any. A queue that fails is skipped and logged."""
    for url in urls:
        try:
            count = messages_in(client, url)
        except (ClientError, BotoCoreError) as failure:
            logger.warning("dead letters not counted", extra=describe(failure))
            continue
        if count:
            queue = url.rsplit("/", 1)[-1]
            logger.warning("dead letters present", extra={"queue": queue, "count": count})
            count_condition("DeadLetters")
            shared = {"service": "all"}  # one metric for the alarm DeadLettersOld
            with single_metric("DeadLetters", MetricUnit.Count, count, default_dimensions=shared):
                pass


@dataclass(frozen=True, slots=True)
class Letter:
    """One dead letter. *id* is its MessageId in the dead-letter queue; it changes on each move to the queue."""

    id: str
    body: str
    group: str  # empty in a standard queue
    receipt: str
    dead_since: int  # time of arrival in the dead-letter queue, milliseconds since 1970


@dataclass(eq=False)
class DeadLetters:
    """
    One dead-letter queue, standard or FIFO; its client is created at first use.

    SQS cannot list messages: letters are received, held in flight, and made visible again. While letters of a FIFO
    group are in flight, SQS returns no more of that group, so later ones can be seen only after the earlier ones are
    deleted.
    """

    make_client: Callable[[], SQSClient]
    url: str
    wait_seconds: int = (
        1  # With short polling, SQS queries only some of its servers and may miss letters.
    )

    @cached_property
    def client(self) -> SQSClient:
        """The SQS client."""
        return self.make_client()

    def count(self) -> int:
        """Return the approximate number of letters, including letters in flight."""
        return messages_in(self.client, self.url)

    def hold(self, most: int) -> list[Letter]:
        """Receive up to *most* letters (10 at most) and keep them in flight; empty if none are available now."""
        answer = self.client.receive_message(
            QueueUrl=self.url,
            MaxNumberOfMessages=min(most, MOST_AT_ONCE),
            VisibilityTimeout=HELD_SECONDS,
            WaitTimeSeconds=self.wait_seconds,
            MessageSystemAttributeNames=["MessageGroupId", "SentTimestamp"],
        )
        return [
            Letter(
                message["MessageId"],
                message["Body"],
                message["Attributes"].get("MessageGroupId", ""),
                message["ReceiptHandle"],
                int(message["Attributes"]["SentTimestamp"]),
            )
            for message in answer.get("Messages", [])
        ]

    @contextmanager
    def opened(self) -> Iterator[Held]:
        """Open the queue for reading; letters that were not removed become visible again when the block ends."""
        held = Held(self)
        try:
            yield held
        finally:
            held.put_back()


@dataclass(slots=True)
class Held:
    """Letters in flight (invisible to other consumers). If the process dies, they become visible after the timeout."""

    box: DeadLetters
    _letters: dict[str, Letter] = field(default_factory=dict)

    def each(self, most: int) -> Iterator[Letter]:
        """Yield up to *most* letters, oldest first, each once; received lazily in batches of ten."""
        seen = 0
        while seen < most and (letters := self.box.hold(most - seen)):
            come_again = any(letter.id in self._letters for letter in letters)
            self._letters |= {letter.id: letter for letter in letters}
            if come_again:
                return  # A visibility timeout has expired: all letters have been seen.
            yield from letters
            seen += len(letters)

    def remove(self, letter: Letter) -> None:
        """Delete a letter permanently. Idempotent."""
        self.box.client.delete_message(QueueUrl=self.box.url, ReceiptHandle=letter.receipt)
        del self._letters[letter.id]

    def put_back(self) -> None:
        """Make the remaining letters visible again. If a call fails, the visibility timeout does the same later."""
        with suppress(ClientError, BotoCoreError):
            for letter in self._letters.values():
                self.box.client.change_message_visibility(
                    QueueUrl=self.box.url, ReceiptHandle=letter.receipt, VisibilityTimeout=0
                )
