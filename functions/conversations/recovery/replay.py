"""
Replays parked events and redrives dead letters of the six queues.

An event is sent to the queue of its type, in its original message group, under a new deduplication id. It is sent
before the replay is recorded: after a crash between the two it is sent again, and the workers handle duplicates once.
The order of replays does not matter, since workers accept events in any order.
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
NO_REASON = "no_error_reported"  # killed, timed out, or the reason could not be written
_DAY = len("2026-03-01")
_inbound, _files, _statuses, _triggers = map(
    TypeAdapter[Any], (InboundMessage, FileStored, DeliveryStatus, ReplyTrigger)
)


class NotReplayable(Exception):
    """
    An event that cannot be replayed.

    *why*: `unreadable`, `gone` (its body, or its conversation), `damaged` (its body is not the one that was parked),
    `erased`, or `not_there`.
    """

    def __init__(self, why: str) -> None:
        super().__init__(f"cannot be replayed: {why}")
        self.why = why


@dataclass(frozen=True, slots=True, kw_only=True)
class Depot:
    """Storage of parked events and dead letters, and the queues to which they are sent again."""

    log: Table
    bucket: Bucket
    inbound: FifoQueue
    statuses: FifoQueue
    replies: FifoQueue
    channels: Mapping[ChannelMethod, FifoQueue]
    dead_letters: DeadLetters


@dataclass(frozen=True, slots=True)
class Found:
    """A parked event and the time when it was parked."""

    at: str
    parked: Parked

    @property
    def event_id(self) -> str:
        """Public id of the event: `<time>.<parked id>`."""
        return f"{self.at}.{self.parked.parked_id}"

    @property
    def state(self) -> str:
        """`open` until the event is replayed. An event that is parked again is a new event."""
        return REPLAYED if self.parked.replays else OPEN


@dataclass(frozen=True, slots=True)
class Redriven:
    """Result of redriving one dead letter; *refused* is the `why` of `NotReplayable`."""

    id: str
    queue: str
    refused: str | None = None


@dataclass(frozen=True, slots=True)
class DeadEvent:
    """A dead letter and the recorded reason of its last failure."""

    letter: Letter
    kind: str | None
    queue: str
    reason: str
    attempts: int | None = None


def parked(
    log: Table, *, company: str | None = None, reason: str | None = None, is_open: bool = True
) -> Iterator[Found]:
    """
    Yield parked events, newest first; with *is_open* only those that were not replayed.

    With *company* only the events of that company are read, however many others there are.
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
    Send a parked event to its queue, even if it was replayed before. With *company* it must belong to that company.

    Raises NotReplayable and NotEnqueued.
    """
    at, _, parked_id = event_id.rpartition(".")
    one = unhandled.one_parked(depot.log, at, parked_id) if at and parked_id else None
    if one is None or company not in {None, one.company_id}:
        raise NotReplayable("not_there")
    queue, entry = _way_of(depot, _text(depot, one))
    number = (one.replays or 0) + 1
    # SQS drops duplicates for five minutes: a retry with the same number after a lost response is sent once.
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
    """Return up to *limit* (at most 100) dead letters with their reasons; they stay in the queue."""
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
    """Send the letters *ids*, or with None up to *limit*, to their original queues. Raises NotEnqueued."""

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
    """Return the queue and entry of an event by its type. Raises NotReplayable."""
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
