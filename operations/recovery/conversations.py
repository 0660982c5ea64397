"""Parked events and dead letters of the AI conversations, for `operations recovery`."""

import sys
from collections.abc import Collection, Iterator
from dataclasses import dataclass

import boto3

from conversations.recovery import replay
from conversations.recovery.replay import DeadEvent, Depot, Found, NotReplayable, Redriven
from conversations.store.items.conversation import ChannelMethod
from operations import arguments
from operations.recovery.port import PutBack, Shown, Tell, Wanted, put_back_of
from shared import clock
from shared.aws.dead_letters import DeadLetters
from shared.aws.dynamodb import Table
from shared.aws.s3 import Bucket
from shared.aws.sqs_fifo import FifoQueue

# Outputs of template.yaml.
LOG = "ConversationLogTableName"
BUCKET = "MediaBucketName"
INBOUND = "ConversationsInboundQueueUrl"
STATUSES = "ConversationsStatusesQueueUrl"
REPLIES = "ConversationsRepliesQueueUrl"
CHANNELS = {
    ChannelMethod.WHATSAPP: "ConversationsWhatsAppQueueUrl",
    ChannelMethod.SMS: "ConversationsSmsQueueUrl",
    ChannelMethod.EMAIL: "ConversationsEmailQueueUrl",
}
DEAD_LETTERS = "ConversationsDeadLettersUrl"


@dataclass(frozen=True, slots=True)
class ConversationEvents:
    """Implements `Unhandled` for the AI conversations."""

    depot: Depot

    def parked(self, wanted: Wanted) -> Iterator[Shown]:
        """Yield parked events, newest first."""
        for found in self._found(wanted, is_open=wanted.is_waiting):
            one = found.parked
            facts = one.model_dump(mode="json", exclude_none=True, exclude={"ttl", "body_object"})
            columns = (
                found.event_id, found.state, one.reason, one.event_type, one.source, found.at,
                f"replayed {one.replayed_at}" if one.replayed_at else None,
            )  # fmt: skip
            yield Shown(columns, {**facts, "id": found.event_id, "state": found.state})

    def replay(self, event_id: str, company: str | None, tell: Tell) -> None:
        """Put one parked event back on its queue."""
        try:
            found = replay.replay(self.depot, event_id, company)
        except NotReplayable as refusal:
            tell(PutBack(event_id, (), str(refusal)))
        else:
            tell(_put_back(found))

    def replay_all(self, wanted: Wanted, tell: Tell) -> None:
        """Put all open events that match *wanted* back on their queues."""
        # Listed completely first: an event that is parked again meanwhile is not replayed in a loop.
        for found in list(self._found(wanted, is_open=True)):
            try:
                again = replay.replay(self.depot, found.event_id)
            except NotReplayable as refusal:
                tell(_put_back(found, refusal.why))
            else:
                tell(_put_back(again))

    def replay_over_quota(self, company: str | None, tell: Tell) -> None:
        """Put the events above the quota back."""
        replay.replay_over_quota(
            self.depot, company, lambda kept, refused: tell(put_back_of(kept, refused))
        )

    def letters(self, limit: int) -> list[Shown]:
        """Return dead letters of the six queues."""
        return [_shown(dead) for dead in replay.letters(self.depot, limit)]

    def redrive(self, ids: Collection[str] | None, tell: Tell) -> None:
        """Put dead letters back on their queues."""

        def told(one: Redriven) -> None:
            what = f"refused: {one.refused}" if one.refused else "redriven"
            tell(PutBack(one.id, (one.id, one.queue, what), one.refused))

        replay.redrive(self.depot, ids=ids, limit=sys.maxsize, tell=told)

    def waiting(self) -> dict[str, int]:
        """Return the approximate number of letters in the dead-letter queue."""
        return {"conversations": self.depot.dead_letters.count()}

    def _found(self, wanted: Wanted, *, is_open: bool) -> Iterator[Found]:
        return replay.parked(
            self.depot.log, company=wanted.company, reason=wanted.reason, is_open=is_open
        )


def of_stack(stack: str) -> ConversationEvents:
    """Return the events of a deployment. Raises Refused."""
    names = (LOG, BUCKET, INBOUND, STATUSES, REPLIES, *CHANNELS.values(), DEAD_LETTERS)
    outputs = arguments.outputs_of(stack, *names)
    sqs = boto3.client("sqs")

    def queue(output: str) -> FifoQueue:
        return FifoQueue(lambda: sqs, outputs[output])

    depot = Depot(
        log=Table(boto3.client("dynamodb"), outputs[LOG]),
        bucket=Bucket(lambda: boto3.client("s3"), outputs[BUCKET]),
        inbound=queue(INBOUND),
        statuses=queue(STATUSES),
        replies=queue(REPLIES),
        channels={method: queue(output) for method, output in CHANNELS.items()},
        dead_letters=DeadLetters(sqs, outputs[DEAD_LETTERS]),
    )
    return ConversationEvents(depot)


def _put_back(found: Found, refused: str | None = None) -> PutBack:
    what = f"refused: {refused}" if refused else found.state
    return PutBack(found.event_id, (found.event_id, what, found.parked.reason), refused)


def _shown(dead: DeadEvent) -> Shown:
    since = clock.to_text(dead.letter.dead_since)
    attempts = f"{dead.attempts} attempts" if dead.attempts else None
    facts = {
        "id": dead.letter.id,
        "queue": dead.queue,
        "reason": dead.reason,
        "kind": dead.kind,
        "attempts": dead.attempts,
        "deadSince": since,
    }
    present = {name: fact for name, fact in facts.items() if fact is not None}
    columns = (dead.letter.id, dead.queue, dead.reason, dead.kind, attempts, f"dead since {since}")
    return Shown(columns, present)
