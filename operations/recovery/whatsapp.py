"""Parked events and dead letters of the WhatsApp inbox, for `operations recovery`."""

import sys
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import boto3
from pydantic import BaseModel

from operations import arguments
from operations.recovery import port
from operations.recovery.port import PutBack, Shown, Tell, put_back_of
from shared.aws.dead_letters import DeadLetters
from shared.aws.dynamodb import Table
from shared.aws.s3 import Bucket
from shared.aws.sqs_fifo import FifoQueue
from whatsapp.api.queries import NotFound
from whatsapp.api.views import Redriven, parked_view
from whatsapp.recovery import dead_letters, replay
from whatsapp.recovery.replay import NotReplayable, Position, Replay, Wanted
from whatsapp.resources import Depot

PAGE = 100
# Outputs of template.yaml.
TABLE = arguments.TABLE_OF_INBOX
BUCKET = "MediaBucketName"
QUEUE = "WhatsAppQueueUrl"
DEAD_LETTERS = "WhatsAppDeadLettersUrl"
SOCIAL_DEAD_LETTERS = "WhatsAppSocialDeadLettersUrl"
SOCIAL_TOPIC = "WhatsAppSocialTopicArn"


@dataclass(frozen=True, slots=True)
class InboxEvents:
    """Implements `Unhandled` for the WhatsApp inbox."""

    depot: Depot

    def parked(self, wanted: port.Wanted) -> Iterator[Shown]:
        """Yield parked events, newest first."""
        states = replay.WAITING if wanted.is_waiting else None
        which = Wanted(company=wanted.company, reason=wanted.reason, states=states)
        start: Position = None
        while True:
            events, start = replay.parked(self.depot.table, which, limit=PAGE, start=start)
            for view in map(parked_view, events):
                columns = (
                    view.event_id, view.state, view.reason, view.kind, view.company, view.phone, view.received_at,
                    f"replayed {view.replayed_at}" if view.replayed_at else None,
                    f"parked again {view.parked_again_at}" if view.parked_again_at else None,
                )  # fmt: skip
                yield Shown(columns, _facts(view))
            if start is None:
                return

    def replay(self, event_id: str, company: str | None, tell: Tell) -> None:
        """Put one parked event back on its queue."""
        try:
            tell(_put_back(replay.replay(self.depot, event_id, company)))
        except (NotFound, NotReplayable) as refusal:
            tell(PutBack(event_id, (), str(refusal)))

    def replay_all(self, wanted: port.Wanted, tell: Tell) -> None:
        """Put all open events that match *wanted* back on their queues."""
        which = Wanted(company=wanted.company, reason=wanted.reason)
        start: Position = None
        is_going_on = True
        while is_going_on:
            start = replay.replay_all(
                self.depot, which, limit=PAGE, start=start, tell=lambda one: tell(_put_back(one))
            )
            is_going_on = start is not None

    def replay_over_quota(self, company: str | None, tell: Tell) -> None:
        """Put the events above the quota back."""
        replay.replay_over_quota(
            self.depot, company, lambda kept, refused: tell(put_back_of(kept, refused))
        )

    def letters(self, limit: int) -> list[Shown]:
        """Return dead letters of both queues."""
        found = dead_letters.listed(self.depot, limit=limit).letters
        return [
            Shown(
                (
                    view.id, view.queue, view.reason, view.kind, view.correlation_id,
                    f"{view.attempts} attempts" if view.attempts else None, f"dead since {view.dead_since}",
                    f"redriven {view.redriven_at}" if view.redriven_at else None,
                ),
                _facts(view),
            )
            for view in found
        ]  # fmt: skip

    def redrive(self, ids: Collection[str] | None, tell: Tell) -> None:
        """Put dead letters back where they came from."""

        def told(one: Redriven) -> None:
            what = f"refused: {one.refused}" if one.refused else "redriven"
            columns = (one.id, one.queue, what, one.correlation_id or "")
            tell(PutBack(one.id, columns, one.refused))

        dead_letters.redrive(self.depot, ids=ids, limit=sys.maxsize, tell=told)

    def waiting(self) -> dict[str, int]:
        """Return the approximate number of letters in each dead-letter queue."""
        return dead_letters.waiting(self.depot)


def of_stack(stack: str) -> InboxEvents:
    """Return the events of a deployment. Raises Refused."""
    names = (TABLE, BUCKET, QUEUE, DEAD_LETTERS, SOCIAL_DEAD_LETTERS, SOCIAL_TOPIC)
    outputs = arguments.outputs_of(stack, *names)
    sqs = boto3.client("sqs")
    depot = Depot(
        table=Table(boto3.client("dynamodb"), outputs[TABLE]),
        bucket=Bucket(lambda: boto3.client("s3"), outputs[BUCKET]),
        queue=FifoQueue(lambda: sqs, outputs[QUEUE]),
        dead_letters=DeadLetters(sqs, outputs[DEAD_LETTERS]),
        social_dead_letters=DeadLetters(sqs, outputs[SOCIAL_DEAD_LETTERS]),
        social_topic_arns=(outputs[SOCIAL_TOPIC],),
    )
    return InboxEvents(depot)


def _put_back(one: Replay) -> PutBack:
    event = one.event
    what = f"refused: {one.refused}" if one.refused else event.state
    columns = (event.event_id, what, event.reason, event.correlation_id or "")
    return PutBack(event.event_id, columns, one.refused)


def _facts(view: BaseModel) -> dict[str, Any]:
    return view.model_dump(mode="json", by_alias=True, exclude_none=True)
