"""
Parked events: listed with their reasons, and put back on the queue once the cause is gone.

A replay goes the same way as the first time: same body, same lane, and the source that vouched for it, so that it is
checked again whose number it is. First the queue, then the item: where we die between the two, the item is open still,
and what is on the queue is handled, once, as whatever comes twice.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from shared import clock
from shared.aws.dynamodb import Attributes, Table
from shared.aws.sqs_fifo import digest
from shared.aws.stored_objects import GONE, ObjectUnusable, Pointer, record
from shared.failures import Permanent
from shared.recovery import over_quota
from whatsapp import store
from whatsapp.api.queries import NotFound
from whatsapp.event import Event, parse_event
from whatsapp.folders import parked_events
from whatsapp.inbound import splitter
from whatsapp.recovery.parking import PARKED
from whatsapp.resources import COMMAND_LINE, Depot
from whatsapp.store.items import OPEN, REPLAYED, WebhookEvent

# What one call reads of the index; then comes a position to go on from.
ENTRIES_PER_CALL = 1_000
ENTRIES_PER_QUERY = 100
WAITING = frozenset({OPEN, REPLAYED})
_EVENT_ID = re.compile(r"[0-9a-f]{64}", re.ASCII)


class NotReplayable(Exception):
    """
    A replay could not end otherwise, or there is nothing to replay; the item tells what is known.

    *why*: `unreadable` (the queue's text was no event), `malformed` (the provider's body held none), `gone` (over 30
    days old), `damaged` (the object is not the one that was written).
    """

    def __init__(self, why: str) -> None:
        super().__init__(f"event_id: it cannot be replayed: {why}")
        self.why = why


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which parked events: of one company, or with None of all and of nobody; by reason and state, where given."""

    company: str | None
    reason: str | None = None
    states: frozenset[str] | None = None

    def includes(self, event: WebhookEvent) -> bool:
        """Whether it is one of them."""
        return (
            _is_parked(event)
            and self.company in {None, event.company}
            and self.reason in {None, event.reason}
            and (self.states is None or event.state in self.states)
        )


@dataclass(frozen=True, slots=True)
class Replay:
    """What became of one parked event. *number* is None where nothing was sent: it was over already, or *refused*."""

    event: WebhookEvent
    number: int | None = None
    refused: str | None = None


type Position = Attributes | None


def parked(
    table: Table, wanted: Wanted, *, limit: int, start: Position = None
) -> tuple[list[WebhookEvent], Position]:
    """Up to *limit* parked events, newest first, and where to go on; fewer where unwanted ones stand between them."""
    found: list[WebhookEvent] = []
    for _ in range(ENTRIES_PER_CALL // ENTRIES_PER_QUERY):
        events, start = _page(table, wanted.company, start)
        fitting = [event for event in events if wanted.includes(event)]
        room = limit - len(found)
        found += fitting[:room]
        if len(fitting) > room:
            # Not where the index stopped reading: what this page had no room for comes next.
            return found, store.events.position_of(found[-1], wanted.company)
        if start is None or len(found) == limit:
            break
    return found, start


def _page(
    table: Table, company: str | None, start: Position
) -> tuple[list[WebhookEvent], Position]:
    if company is None:
        return store.events.newest(table, PARKED, limit=ENTRIES_PER_QUERY, start=start)
    return store.events.newest_parked(table, company, limit=ENTRIES_PER_QUERY, start=start)


def replay(depot: Depot, event_id: str, company: str | None, *, by: str = COMMAND_LINE) -> Replay:
    """
    Put one parked event back on the queue, also one whose replay is on its way; nothing is sent when it is over.

    *by* is the authenticated caller.

    Raises NotFound, NotReplayable and NotEnqueued.
    """
    event = store.events.get(depot.table, event_id) if _EVENT_ID.fullmatch(event_id) else None
    if event is None or not Wanted(company=company).includes(event):
        raise NotFound("event_id: there is no such parked event")
    return _replay(depot, event, by) if event.state in WAITING else Replay(event)


def replay_all(
    depot: Depot,
    wanted: Wanted,
    *,
    limit: int,
    start: Position = None,
    tell: Callable[[Replay], None],
    is_over: Callable[[], bool] = lambda: False,
    by: str = COMMAND_LINE,
) -> Position:
    """
    Put up to *limit* open events back on the queue and return where to go on, None at the end.

    *tell* is told of each at once, so that a run that dies has told what it did. What is on its way is left alone; what
    cannot be replayed is told as refused. Stops when *is_over*. *by* is the authenticated caller. Raises NotEnqueued.
    """
    is_open = replace(wanted, states=frozenset({OPEN}))
    events, position = parked(depot.table, is_open, limit=limit, start=start)
    for event in events:
        try:
            tell(_replay(depot, event, by))
        except NotReplayable as refusal:
            tell(Replay(event, refused=refusal.why))
        if event is not events[-1] and is_over():
            return store.events.position_of(event, wanted.company)
    return position


def replay_over_quota(
    depot: Depot, company: str | None, tell: Callable[[over_quota.Kept, str | None], None]
) -> None:
    """
    Put the parked events above the quota back on the queue, all or those of one company. They have no items.

    *tell* gets each, and why it was refused. Raises NotEnqueued.
    """

    def send(deduplication: str, body: bytes) -> str | None:
        try:
            entry = splitter.queue_entry(_event_in(body))
        except NotReplayable as refusal:
            return refusal.why
        depot.queue.send([replace(entry, deduplication=deduplication)])
        return None

    over_quota.put_back(parked_events(depot.bucket), company, send, tell)


def _replay(depot: Depot, event: WebhookEvent, by: str) -> Replay:
    original = _original(depot, event)
    number = event.next_replay
    again = replace(original, replay_of=event.event_id, replay=number)
    # The number makes it another message for the queue, which drops what it has seen within five minutes; the same
    # number, sent by two at once or again after a lost answer, is one.
    deduplication = digest("replay", event.event_id, str(number))
    depot.queue.send([replace(splitter.queue_entry(again), deduplication=deduplication)])
    now = clock.to_text(clock.now_ms())
    store.events.mark_replayed(depot.table, event.event_id, replay=number, at=now, by=by)
    facts = {
        "replay_count": number,
        "replayed_at": now,
        "correlation_id": original.correlation_id,
    }
    return Replay(event.model_copy(update=facts), number)


def _original(depot: Depot, event: WebhookEvent) -> Event:
    """The event as it came. Raises NotReplayable."""
    try:
        body = parked_events(depot.bucket).get(Pointer.read(event.full_event))
    except ObjectUnusable as fault:
        if fault.reason in GONE:
            raise NotReplayable("gone") from None
        record(fault, "parked event")
        raise NotReplayable("damaged") from None
    return _event_in(body)


def _event_in(body: bytes) -> Event:
    """The event in the object of a parked one. Raises NotReplayable."""
    try:
        original = parse_event(body.decode("utf-8", "surrogatepass"))
    except Permanent:
        raise NotReplayable("unreadable") from None
    if original.kind == "malformed":
        raise NotReplayable("malformed")
    return original


def _is_parked(event: WebhookEvent) -> bool:
    """Whether we parked it: a provider's field may be called so too, and its event is kept under that name."""
    return (
        event.webhook_event_type == PARKED
        and event.reason is not None
        and event.full_event is not None
    )
