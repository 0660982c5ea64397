"""Dead-letter queues of SQS: letters looked at, put back, or taken away one by one."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from botocore.exceptions import BotoCoreError, ClientError

from shared.aws.sqs_fifo import messages_in

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from mypy_boto3_sqs import SQSClient

MOST_AT_ONCE = 10  # ReceiveMessage
# How long letters are away from others' eyes when whoever holds them dies; longer than holding them takes.
HELD_SECONDS = 120
# Looked at in search of certain letters.
MOST_LOOKED_AT = 1_000


@dataclass(frozen=True, slots=True)
class Letter:
    """One dead letter. *id* is its MessageId in the dead-letter queue; when it dies again it has another."""

    id: str
    body: str
    group: str  # empty in a standard queue
    receipt: str
    dead_since: int  # when it came here, milliseconds since 1970


@dataclass(frozen=True, slots=True)
class DeadLetters:
    """
    One dead-letter queue, standard or FIFO.

    SQS gives no list: letters are received, held, and put back. While letters of a FIFO queue's group are held it gives
    no more of that group, so what lies behind is only seen once those are gone.
    """

    client: SQSClient
    url: str
    wait_seconds: int = (
        1  # Without waiting, SQS asks only some of its servers and may miss letters.
    )

    def count(self) -> int:
        """About how many letters there are, held ones included."""
        return messages_in(self.client, self.url)

    def hold(self, most: int) -> list[Letter]:
        """Up to *most* letters (10 at most), away from others' eyes; empty when none can be had now."""
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
        """Letters to look through; those that were not removed go back when the block ends."""
        held = Held(self)
        try:
            yield held
        finally:
            held.put_back()


@dataclass(slots=True)
class Held:
    """Letters that are away from others' eyes. Whoever dies with them loses none: they come back by themselves."""

    box: DeadLetters
    _letters: dict[str, Letter] = field(default_factory=dict)

    def each(self, most: int) -> Iterator[Letter]:
        """Up to *most* letters, oldest first, each once; received in tens, as they are asked for."""
        seen = 0
        while seen < most and (letters := self.box.hold(most - seen)):
            come_again = any(letter.id in self._letters for letter in letters)
            self._letters |= {letter.id: letter for letter in letters}
            if come_again:
                return  # It took so long that what was held has come back: we have been through.
            yield from letters
            seen += len(letters)

    def remove(self, letter: Letter) -> None:
        """Take a letter away for good. Safe to repeat."""
        self.box.client.delete_message(QueueUrl=self.box.url, ReceiptHandle=letter.receipt)
        del self._letters[letter.id]

    def put_back(self) -> None:
        """Let others see the rest again, at once. What fails here happens by itself a little later."""
        with suppress(ClientError, BotoCoreError):
            for letter in self._letters.values():
                self.box.client.change_message_visibility(
                    QueueUrl=self.box.url, ReceiptHandle=letter.receipt, VisibilityTimeout=0
                )


class Redriven(Protocol):
    """What became of one letter: *refused* says why it cannot be put back, None where it was."""

    @property
    def refused(self) -> str | None:
        """Why it cannot be put back."""
        ...


def redrive[Done: Redriven](
    boxes: Sequence[tuple[DeadLetters, Callable[[Letter], Done]]],
    *,
    ids: Collection[str] | None,
    limit: int,
    tell: Callable[[Done], None],
    is_over: Callable[[], bool] = lambda: False,
) -> None:
    """
    Put the letters with these ids, or with None up to *limit* letters, back by what stands beside their queue.

    First it is put back, then the letter is taken away: where we die between the two it is in both. *tell* is told of
    each at once; a letter that is refused stays. Stops when *is_over*; what that raises flies on, and the rest stays.
    """
    done = 0

    def is_done() -> bool:
        return done >= (limit if ids is None else len(ids)) or is_over()

    for box, redrive_one in boxes:
        with box.opened() as held:
            for letter in held.each(MOST_LOOKED_AT) if not is_done() else ():
                if ids is not None and letter.id not in ids:
                    continue
                redriven = redrive_one(letter)
                if redriven.refused is None:
                    held.remove(letter)
                # What is refused stays: without ids it must not use up the limit at each call.
                done += ids is not None or redriven.refused is None
                tell(redriven)
                if is_done():
                    break
