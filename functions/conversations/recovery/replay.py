"""
What could not be handled, put back: parked events, and dead letters of the six queues.

An event goes back on the queue that its kind belongs to, in the lane that it had, under a new deduplication id. First
the queue, then the note: where we die between the two it is put back once more, and handled once, as whatever comes
twice. Any order ends in the same state, since the workers take events in any.
"""

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import TypeAdapter, ValidationError

from conversations import commands
from conversations.folders import parked_events
from conversations.initiation.context_object import ContextObject
from conversations.privacy import subjects
from conversations.recovery import parking
from conversations.store import orphans, states, unhandled
from conversations.store.items.base import SORT_KEY
from conversations.store.items.conversation import ChannelMethod
from conversations.store.items.records import Parked
from shared import clock
from shared.aws.dead_letters import DeadLetters, Letter
from shared.aws.dead_letters import redrive as put_back
from shared.aws.dynamodb import Attributes, Table
from shared.aws.dynamodb_json import storable
from shared.aws.s3 import Bucket
from shared.aws.sqs_fifo import Entry, FifoQueue, digest
from shared.aws.stored_objects import GONE, ObjectUnusable, Pointer, record
from shared.event_queues import file_entry, inbound_entry, status_entry
from shared.events import DeliveryStatus, FileStored, InboundMessage, ReplyTrigger
from shared.failures import Permanent
from shared.recovery import over_quota

OPEN, REPLAYED = "open", "replayed"
NO_REASON = "no_error_reported"  # killed, timed out, or unable to say
_DAY = len("2026-03-01")
_inbound, _files, _statuses, _triggers = map(
    TypeAdapter[Any], (InboundMessage, FileStored, DeliveryStatus, ReplyTrigger)
)


class NotReplayable(Exception):
    """
    *why*: `unreadable`, `gone` (its text, or its conversation), `damaged` (its text is not the one that was parked),
    `erased`, or `not_there`.
    """

    def __init__(self, why: str) -> None:
        super().__init__(f"it cannot be replayed: {why}")
        self.why = why


@dataclass(frozen=True, slots=True, kw_only=True)
class Depot:
    """Where events lie that could not be handled, and the queues that they came by."""

    log: Table
    bucket: Bucket
    inbound: FifoQueue
    statuses: FifoQueue
    replies: FifoQueue
    channels: Mapping[ChannelMethod, FifoQueue]
    dead_letters: DeadLetters


@dataclass(frozen=True, slots=True)
class Found:
    """A parked event, and when it was parked."""

    at: str
    parked: Parked

    @property
    def event_id(self) -> str:
        """What people name it by."""
        return f"{self.at}.{self.parked.parked_id}"

    @property
    def state(self) -> str:
        """Open until it is put back; parked once more it is another event."""
        return REPLAYED if self.parked.replays else OPEN


@dataclass(frozen=True, slots=True)
class Redriven:
    """What became of one dead letter."""

    id: str
    queue: str
    refused: str | None = None


@dataclass(frozen=True, slots=True)
class DeadEvent:
    """A dead letter, and what is known of its death."""

    letter: Letter
    kind: str | None
    queue: str
    reason: str
    attempts: int | None = None


def parked(
    log: Table, *, company: str | None = None, reason: str | None = None, is_open: bool = True
) -> Iterator[Found]:
    """
    Parked events, newest first; with *is_open* those that were not put back.

    With *company* its own alone are read, however many others have parked.
    """
    for found in _of_company(log, company) if company else _of_all(log):
        if reason in {None, found.parked.reason} and (found.state == OPEN or not is_open):
            yield found


def _of_company(log: Table, company: str) -> Iterator[Found]:
    for place in orphans.of(log, subjects.of_company(company), newest_first=True):
        at, _, parked_id = str(place[SORT_KEY]).partition("#")
        one = unhandled.one_parked(log, at, parked_id)
        if one is not None:
            yield Found(at, one)


def _of_all(log: Table) -> Iterator[Found]:
    now = clock.now_ms()
    for age in range((Parked.ttl_days or 0) + 1):
        day = clock.to_text(now - age * clock.DAY_SECONDS * clock.SECOND_MS)[:_DAY]
        start: Attributes | None = None
        while True:
            page, start = unhandled.newest_parked(log, day, start)
            yield from (Found(at, one) for at, one in page)
            if start is None:
                break


def replay(depot: Depot, event_id: str, company: str | None = None) -> Found:
    """
    Put a parked event, with *company* one of its own, back on its queue, also one that was before.

    Raises NotReplayable and NotEnqueued.
    """
    at, _, parked_id = event_id.rpartition(".")
    one = unhandled.one_parked(depot.log, at, parked_id) if at and parked_id else None
    if one is None or company not in {None, one.company_id}:
        raise NotReplayable("not_there")
    queue, entry = _way_of(depot, _text(depot, one))
    number = (one.replays or 0) + 1
    # The queue drops what it has seen within five minutes; the same number, sent again after a lost answer, is one.
    queue.send([replace(entry, deduplication=digest("replay", event_id, str(number)))])
    unhandled.note_replay(depot.log, at, parked_id, number)
    return Found(at, one.model_copy(update={"replays": number}))


def replay_over_quota(
    depot: Depot, company: str | None, tell: Callable[[over_quota.Kept, str | None], None]
) -> None:
    """
    Put the parked events above the quota back on their queues, all or those of one company. They have no items.

    *tell* gets each, and why it was refused. Raises NotEnqueued.
    """

    def send(deduplication: str, body: bytes) -> str | None:
        try:
            queue, entry = _way_of(depot, body.decode())
        except NotReplayable as refusal:
            return refusal.why
        queue.send([replace(entry, deduplication=deduplication)])
        return None

    over_quota.put_back(parked_events(depot.bucket), company, send, tell)


def letters(depot: Depot, limit: int) -> list[DeadEvent]:
    """Up to *limit* (100 at most) dead letters with their reasons; all of them stay."""
    with depot.dead_letters.opened() as held:
        found = list(held.each(limit))
    notes = unhandled.why_dead(depot.log, [parking.letter_hash(letter.body) for letter in found])
    events = []
    for letter in found:
        note = notes.get(parking.letter_hash(letter.body))
        events.append(
            DeadEvent(
                letter,
                parking.type_of(letter.body),
                note.source if note else "",
                note.reason if note else NO_REASON,
                note.attempts if note else None,
            )
        )
    return events


def redrive(
    depot: Depot,
    *,
    ids: Collection[str] | None,
    limit: int,
    tell: Callable[[Redriven], None],
    is_over: Callable[[], bool] = lambda: False,
) -> None:
    """Put these letters, or with None up to *limit*, back on the queues that they come from. Raises NotEnqueued."""

    def redrive_one(letter: Letter) -> Redriven:
        try:
            queue, entry = _way_of(depot, letter.body)
        except NotReplayable as refusal:
            return Redriven(letter.id, "", refusal.why)
        queue.send([replace(entry, deduplication=digest("redrive", letter.id))])
        return Redriven(letter.id, queue.url.rpartition("/")[2])

    put_back([(depot.dead_letters, redrive_one)], ids=ids, limit=limit, tell=tell, is_over=is_over)


def _text(depot: Depot, one: Parked) -> str:
    if one.body_object is None:
        raise NotReplayable("erased")
    try:
        return parked_events(depot.bucket).get(Pointer.read(one.body_object)).decode()
    except ObjectUnusable as fault:
        if fault.reason in GONE:
            raise NotReplayable("gone") from None
        record(fault, "parked event")
        raise NotReplayable("damaged") from None


def _way_of(depot: Depot, body: str) -> tuple[FifoQueue, Entry]:
    """The queue of an event and its place there, by what it is. Raises NotReplayable."""
    try:
        event = json.loads(body)
        kind = event.get("type") if isinstance(event, dict) else None
        if kind in {"inbound_message", "human_reply"}:
            entry = inbound_entry(_inbound.validate_python(storable(event)))
            return depot.inbound, replace(entry, body=body)
        if kind == "file_stored":
            entry = file_entry(_files.validate_python(storable(event)))
            return depot.inbound, replace(entry, body=body)
        if kind == "delivery_status":
            entry = status_entry(_statuses.validate_python(storable(event)))
            return depot.statuses, replace(entry, body=body)
        if kind == "reply_trigger":
            ref = _triggers.validate_json(body).ref
            return depot.replies, Entry(body, digest(ref), "")
        record = commands.read(body)
    except (ValueError, ValidationError, Permanent):
        raise NotReplayable("unreadable") from None
    if isinstance(record, ContextObject):
        data = record.conversation_data
        lane = digest(data.conversation_ref or data.conversation_id)
        return depot.channels[_asked_channel(record)], Entry(body, lane, "")
    state = states.read(depot.log, record.ref)
    if state is None:
        raise NotReplayable("gone")
    return depot.channels[state.channel_method], Entry(body, digest(record.ref), "")


def _asked_channel(context: ContextObject) -> ChannelMethod:
    asked = context.frontend_payload.get("request_data")
    channel = str(asked.get("channel_method")).lower() if isinstance(asked, dict) else ""
    try:
        return ChannelMethod(channel)
    except ValueError:
        raise NotReplayable("unreadable") from None
