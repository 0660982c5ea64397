"""The dead letters of the inbox: events that failed five times, and SNS messages that never became events."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from shared.aws.dead_letters import DeadLetters, Letter
from shared.aws.dynamodb import Table
from shared.aws.s3 import Bucket
from shared.aws.sqs_fifo import Entry, FifoQueue
from shared.events.recovery.port import NO_ERROR_REPORTED, NotReplayable
from shared.events.recovery.views import DeadLetter, Redriven
from shared.runtime import clock
from whatsapp import store
from whatsapp.inbound import webhook
from whatsapp.inbound.json_body import parse_body
from whatsapp.recovery.parking import note_of
from whatsapp.store.items import WebhookEvent

_TYPE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.]{0,127}", re.ASCII)


@dataclass(frozen=True, slots=True)
class _Notification:
    """An SNS message, extracted from the envelope of its failure."""

    topic: str
    message: str


@dataclass(frozen=True, slots=True)
class EventLetters:
    """Implements `DeadLetterQueue` for events of *queue*: `whatsapp.fifo`, or the queue of files or campaigns."""

    letters: DeadLetters
    table: Table
    queue: FifoQueue
    name: str = "events"

    def views(self, letters: Sequence[Letter]) -> list[DeadLetter]:
        """Show each letter with the note about its last attempt."""
        ids = [note_of(letter.body, NO_ERROR_REPORTED).event_id for letter in letters]
        notes = store.events.get_many(self.table, ids)
        return [
            self._view(letter, notes.get(event_id))
            for letter, event_id in zip(letters, ids, strict=True)
        ]

    def send_again(self, letter: Letter, deduplication: str, by: str) -> Redriven:
        """Queue the event again, unchanged."""
        self.queue.send([Entry(letter.body, letter.group, deduplication)])
        note = _mark_redriven(self.table, letter, by)
        return Redriven(id=letter.id, queue=self.name, correlation_id=note.correlation_id)

    def _view(self, letter: Letter, note: WebhookEvent | None) -> DeadLetter:
        shown = note_of(letter.body, NO_ERROR_REPORTED)
        attempts, redriven_at = None, None
        if note is not None:
            redriven_at = note.replayed_at
            # An older note describes the failure before the redrive.
            if redriven_at is None or note.processed_at > redriven_at:
                shown = note
                attempts = note.attempts
        return DeadLetter(
            id=letter.id,
            queue=self.name,
            kind=shown.event_type,
            reason=shown.reason or NO_ERROR_REPORTED,
            attempts=attempts,
            correlation_id=shown.correlation_id,
            received_at=shown.received_at,
            dead_since=clock.to_text(letter.dead_since),
            redriven_at=redriven_at,
        )


@dataclass(frozen=True, slots=True)
class NotificationLetters:
    """Implements `DeadLetterQueue` for SNS messages of *topics*; their events go to *queue*, large ones to *bucket*."""

    letters: DeadLetters
    table: Table
    queue: FifoQueue
    bucket: Bucket
    topics: Sequence[str]
    name: str = "social"

    def views(self, letters: Sequence[Letter]) -> list[DeadLetter]:
        """Show each letter with the error that Lambda wrote into it."""
        return [self._view(letter) for letter in letters]

    def send_again(self, letter: Letter, deduplication: str, by: str) -> Redriven:  # noqa: ARG002 - its events carry deduplication ids
        """Queue the events of the notification. Raises NotReplayable."""
        for notification in _notifications_in(letter, self.topics):
            webhook.take_social(notification.message, self.queue, self.bucket)
        _mark_redriven(self.table, letter, by)
        return Redriven(id=letter.id, queue=self.name)

    def _view(self, letter: Letter) -> DeadLetter:
        envelope = parse_body(letter.body) or {}
        context, response = (
            _part(envelope, name) for name in ("requestContext", "responsePayload")
        )
        attempts = context.get("approximateInvokeCount")
        error_type = str(response.get("errorType") or context.get("condition") or "")
        return DeadLetter(
            id=letter.id,
            queue=self.name,
            kind="notification",
            # Names of Parley's exceptions and of Lambda's conditions; free text could contain anything.
            reason=error_type if _TYPE_NAME.fullmatch(error_type) else NO_ERROR_REPORTED,
            attempts=attempts if isinstance(attempts, int) else None,
            dead_since=clock.to_text(letter.dead_since),
        )


def _mark_redriven(table: Table, letter: Letter, by: str) -> WebhookEvent:
    note = note_of(letter.body, NO_ERROR_REPORTED)
    store.events.mark_redriven(table, note, at=clock.to_text(clock.now_ms()), by=by)
    return note


def _notifications_in(letter: Letter, topics: Sequence[str]) -> list[_Notification]:
    """
    Return the SNS messages of a letter of the social function. Raises NotReplayable.

    Lambda writes `{requestContext, requestPayload: <its event>, responseContext, responsePayload}` (Lambda, "Retaining
    records of asynchronous invocations"). SNS writes undelivered messages; check: whether as its notification
    (`{Type, TopicArn, Message}`) or as the event for Lambda. Both are accepted.
    """
    envelope = parse_body(letter.body) or {}
    payload = envelope.get("requestPayload", envelope)
    records = payload.get("Records", [{"Sns": payload}]) if isinstance(payload, dict) else []
    try:
        notifications = [
            _Notification(str(record["Sns"]["TopicArn"]), str(record["Sns"]["Message"]))
            for record in records
        ]
    except (TypeError, KeyError):
        notifications = []
    if not notifications:
        raise NotReplayable("unreadable")
    if not all(notification.topic in topics for notification in notifications):
        raise NotReplayable("unknown_topic")
    return notifications


def _part(envelope: dict[str, Any], name: str) -> dict[str, Any]:
    part = envelope.get(name)
    return part if isinstance(part, dict) else {}
