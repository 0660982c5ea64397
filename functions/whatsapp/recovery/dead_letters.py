"""
Dead letters: events that failed five times, and SNS messages that never became events. Lists them with their reasons
and redrives them.

A redrive queues the event first and then deletes the letter: after a crash in between it is in both places, and is
processed once like any duplicate.
"""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from shared import clock
from shared.aws.dead_letters import Letter
from shared.aws.dead_letters import redrive as put_back
from shared.aws.sqs_fifo import Entry, digest
from whatsapp import store
from whatsapp.api.views import DeadLetters, DeadLetterView, Redriven
from whatsapp.inbound import webhook
from whatsapp.inbound.splitter import parse_body
from whatsapp.recovery.parking import NO_ERROR_REPORTED, note_of
from whatsapp.resources import COMMAND_LINE, Depot
from whatsapp.store.items import WebhookEvent

EVENTS, SOCIAL = "events", "social"
_TYPE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.]{0,127}", re.ASCII)

type Tell = Callable[[Redriven], None]
type IsOver = Callable[[], bool]


class _Refused(Exception):
    """The letter cannot be redriven: *why*."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


@dataclass(frozen=True, slots=True)
class _Notification:
    """An SNS message, extracted from the envelope of its failure."""

    topic: str
    message: str


def listed(depot: Depot, *, limit: int) -> DeadLetters:
    """Return up to *limit* letters (100 at most) of each queue, without deleting any."""
    with depot.dead_letters.opened() as held:
        letters = list(held.each(limit))
        notes = _notes_of(depot, letters)
        views = [_event_view(letter, notes.get(_note_id(letter))) for letter in letters]
    with depot.social_dead_letters.opened() as held:
        views += [_social_view(letter) for letter in held.each(limit)]
    return DeadLetters(letters=views, waiting=waiting(depot))


def waiting(depot: Depot) -> dict[str, int]:
    """Return the approximate number of letters in each queue."""
    return {EVENTS: depot.dead_letters.count(), SOCIAL: depot.social_dead_letters.count()}


def redrive(
    depot: Depot,
    *,
    ids: Collection[str] | None,
    limit: int,
    tell: Tell,
    is_over: IsOver = lambda: False,
    by: str = COMMAND_LINE,
) -> None:
    """
    Redrive the letters with these ids, or with None up to *limit* letters, to their source.

    *tell* is called immediately for each. A letter that cannot be redriven stays, reported as refused: `unreadable`
    or `unknown_topic`. Stops when *is_over*. *by* is the authenticated caller.

    Raises NotEnqueued; letters not redriven by then stay.
    """
    put_back(
        [
            (depot.dead_letters, lambda letter: _redrive_event(depot, letter, by)),
            (depot.social_dead_letters, lambda letter: _redrive_social(depot, letter, by)),
        ],
        ids=ids,
        limit=limit,
        tell=tell,
        is_over=is_over,
    )


def _redrive_event(depot: Depot, letter: Letter, by: str) -> Redriven:
    # The letter's id makes the deduplication id differ from the failed message's: the queue drops ids seen within five
    # minutes. Redriving the same letter twice uses the same id.
    entry = Entry(letter.body, letter.group, digest("redrive", letter.id))
    depot.queue.send([entry])
    note = note_of(letter.body, NO_ERROR_REPORTED)
    store.events.mark_redriven(depot.table, note, at=clock.to_text(clock.now_ms()), by=by)
    return Redriven(id=letter.id, queue=EVENTS, correlation_id=note.correlation_id)


def _redrive_social(depot: Depot, letter: Letter, by: str) -> Redriven:
    try:
        notifications = _notifications_in(letter, depot.social_topic_arns)
    except _Refused as refusal:
        return Redriven(id=letter.id, queue=SOCIAL, refused=refusal.why)
    for notification in notifications:
        webhook.take_social(notification.message, depot.queue, depot.bucket)
    note = note_of(letter.body, NO_ERROR_REPORTED)
    store.events.mark_redriven(depot.table, note, at=clock.to_text(clock.now_ms()), by=by)
    return Redriven(id=letter.id, queue=SOCIAL)


def _notifications_in(letter: Letter, topics: Sequence[str]) -> list[_Notification]:
    """
    Return the SNS messages of a letter of the social function. Raises _Refused.

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
        raise _Refused("unreadable")
    if not all(notification.topic in topics for notification in notifications):
        raise _Refused("unknown_topic")
    return notifications


def _notes_of(depot: Depot, letters: Sequence[Letter]) -> dict[str, WebhookEvent]:
    return store.events.get_many(depot.table, [_note_id(letter) for letter in letters])


def _note_id(letter: Letter) -> str:
    return note_of(letter.body, NO_ERROR_REPORTED).event_id


def _event_view(letter: Letter, note: WebhookEvent | None) -> DeadLetterView:
    shown = note_of(letter.body, NO_ERROR_REPORTED)
    attempts, redriven_at = None, None
    if note is not None:
        redriven_at = note.replayed_at
        # An older note describes the failure before the redrive.
        if redriven_at is None or note.processed_at > redriven_at:
            shown = note
            attempts = note.attempts
    return DeadLetterView(
        id=letter.id,
        queue=EVENTS,
        kind=shown.event_type,
        reason=shown.reason or NO_ERROR_REPORTED,
        attempts=attempts,
        correlation_id=shown.correlation_id,
        received_at=shown.received_at,
        dead_since=clock.to_text(letter.dead_since),
        redriven_at=redriven_at,
    )


def _social_view(letter: Letter) -> DeadLetterView:
    envelope = parse_body(letter.body) or {}
    context, response = (_part(envelope, name) for name in ("requestContext", "responsePayload"))
    attempts = context.get("approximateInvokeCount")
    said = str(response.get("errorType") or context.get("condition") or "")
    return DeadLetterView(
        id=letter.id,
        queue=SOCIAL,
        kind="notification",
        # Names of our own exceptions and of Lambda's conditions; free text could contain anything.
        reason=said if _TYPE_NAME.fullmatch(said) else NO_ERROR_REPORTED,
        attempts=attempts if isinstance(attempts, int) else None,
        dead_since=clock.to_text(letter.dead_since),
    )


def _part(envelope: dict[str, Any], name: str) -> dict[str, Any]:
    part = envelope.get(name)
    return part if isinstance(part, dict) else {}
