"""
Parked events: lists them with their reasons, and replays them after the cause is fixed.

A replay follows the original path: same body, same message group, and the same verified source, so that the number's
ownership is checked again. The event is queued before the item is updated: after a crash in between the item is still
open, and the queued event is processed once like any duplicate.
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
from whatsapp.event import Event
from whatsapp.folders import parked_events
from whatsapp.inbound import splitter
from whatsapp.inbound.queued_events import parse_event
from whatsapp.recovery.parking import PARKED
from whatsapp.resources import COMMAND_LINE, Depot
from whatsapp.store.items import OPEN, REPLAYED, WebhookEvent

# Index entries read per call, before a position to continue from is returned.
ENTRIES_PER_CALL = 1_000
ENTRIES_PER_QUERY = 100
WAITING = frozenset({OPEN, REPLAYED})
_EVENT_ID = re.compile(r"[0-9a-f]{64}", re.ASCII)


class NotReplayable(Exception):
    """
    A replay cannot succeed, or there is nothing to replay; the item contains what is known.

    *why*: `unreadable` (the queue's text was no event), `malformed` (the provider's body contained no event), `gone`
    (over 30 days old), `damaged` (the object is not the one that was written).
    """

    def __init__(self, why: str) -> None:
        super().__init__(f"event_id: cannot be replayed: {why}")
        self.why = why


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Filter for parked events: of one company, or with None all, even without company; optional reason and states."""

    company: str | None
    reason: str | None = None
    states: frozenset[str] | None = None

    def includes(self, event: WebhookEvent) -> bool:
        """Whether an event matches the filter."""
        return (
            _is_parked(event)
            and self.company in {None, event.company}
            and self.reason in {None, event.reason}
            and (self.states is None or event.state in self.states)
        )


@dataclass(frozen=True, slots=True)
class Replay:
    """Outcome of one replay request. *number* is None if nothing was sent: already finished, or *refused*."""

    event: WebhookEvent
    number: int | None = None
    refused: str | None = None


type Position = Attributes | None


def parked(
    table: Table, wanted: Wanted, *, limit: int, start: Position = None
) -> tuple[list[WebhookEvent], Position]:
    """Return up to *limit* parked events, newest first, and the next position; fewer if many entries do not match."""
    found: list[WebhookEvent] = []
    for _ in range(ENTRIES_PER_CALL // ENTRIES_PER_QUERY):
        events, start = _page(table, wanted.company, start)
        fitting = [event for event in events if wanted.includes(event)]
        room = limit - len(found)
        found += fitting[:room]
        if len(fitting) > room:
            # Not the position where the index read stopped: matching events that did not fit come next.
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
    Queue one parked event again, even if a replay is already queued; nothing is sent for a finished one.

    *by* is the authenticated caller.

    Raises NotFound, NotReplayable and NotEnqueued.
    """
    event = store.events.get(depot.table, event_id) if _EVENT_ID.fullmatch(event_id) else None
    if event is None or not Wanted(company=company).includes(event):
        raise NotFound("event_id: parked event not found")
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
    Queue up to *limit* open events again and return the next position, None at the end.

    *tell* is called immediately for each, so a run that dies has reported its work. Events already queued are skipped;
    events that cannot be replayed are reported as refused. Stops when *is_over*. *by* is the authenticated caller.
    Raises NotEnqueued.
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
    # The number changes the deduplication id, because the queue drops ids seen within five minutes; the same number
    # sent concurrently or again after a lost response is one message.
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
    """Return the event as received. Raises NotReplayable."""
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
    """Whether Parley parked the event: a provider's field of the same name is stored under that type too."""
    return (
        event.webhook_event_type == PARKED
        and event.reason is not None
        and event.full_event is not None
    )
