"""
Parked events: lists them with their reasons, and replays them after the cause is fixed.

An event is queued before its replay is recorded: after a crash in between it is still open, and the queued event is
processed once like any duplicate.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from shared import clock
from shared.aws.sqs_fifo import digest
from shared.recovery import over_quota
from shared.recovery.port import COMMAND_LINE, Filter, NotFound, NotReplayable
from shared.recovery.states import OPEN, REPLAYED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from shared.aws.sqs_fifo import Entry, FifoQueue
    from shared.recovery.over_quota import Kept
    from shared.recovery.port import Parked, ParkedStore, Position
    from shared.recovery.views import ParkedEvent

# Entries read per call, before a position to continue from is returned.
ENTRIES_PER_CALL = 1_000
ENTRIES_PER_QUERY = 100
_REPLAYABLE = frozenset({OPEN, REPLAYED})


@dataclass(frozen=True, slots=True)
class Replay:
    """Outcome of one replay. *number* is None if nothing was sent: the event is finished, or *refused* with a code."""

    event: ParkedEvent
    number: int | None = None
    refused: str | None = None


def listed[Item](
    store: ParkedStore[Item], wanted: Filter, *, limit: int, start: Position = None
) -> tuple[list[Parked[Item]], Position]:
    """Return up to *limit* parked events, newest first, and the next position; fewer if many entries do not match."""
    found: list[Parked[Item]] = []
    for _ in range(ENTRIES_PER_CALL // ENTRIES_PER_QUERY):
        events, start = store.page(wanted.company, limit=ENTRIES_PER_QUERY, start=start)
        matching = [event for event in events if wanted.includes(event.view)]
        room = limit - len(found)
        found += matching[:room]
        if len(matching) > room:
            # Not the position where the index read stopped: matching events that did not fit come next.
            return found, store.position_of(found[-1], wanted.company)
        if start is None or len(found) == limit:
            break
    return found, start


def replay[Item](
    store: ParkedStore[Item], event_id: str, company: str | None, *, by: str = COMMAND_LINE
) -> Replay:
    """
    Queue one parked event again, even if a replay is already queued; nothing is sent for a finished one.

    With *company* it must belong to that company. *by* is the authenticated caller.

    Raises NotFound, NotReplayable and NotEnqueued.
    """
    parked = store.one(event_id, company)
    if parked is None:
        raise NotFound
    return _replay(store, parked, by) if parked.view.state in _REPLAYABLE else Replay(parked.view)


def replay_all[Item](
    store: ParkedStore[Item],
    wanted: Filter,
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
    events, position = listed(store, is_open, limit=limit, start=start)
    for parked in events:
        try:
            tell(_replay(store, parked, by))
        except NotReplayable as refusal:
            tell(Replay(parked.view, refused=refusal.why))
        if parked is not events[-1] and is_over():
            return store.position_of(parked, wanted.company)
    return position


def replay_over_quota[Item](
    store: ParkedStore[Item], company: str | None
) -> Iterator[tuple[Kept, str | None]]:
    """
    Put the parked events above the quota back on their queues, all or those of one company. They have no items.

    Yields each, and why it was refused. First the queue, then the deletion: a run that dies is repeated, and an event
    that is sent twice is handled once. Refused events stay until their retention ends. Raises NotEnqueued, and
    Unsupported if the context has no quota.
    """
    for kept, body in over_quota.of_company(store.over_quota, company):
        try:
            queue, entry = _message_over_quota(store, kept, body)
        except NotReplayable as refusal:
            yield kept, refusal.why
            continue
        # Named by the key: another parking of the event is another message for the queue.
        queue.send([replace(entry, deduplication=digest("over-quota", kept.key))])
        over_quota.delete(store.over_quota, kept)
        yield kept, None


def _message_over_quota[Item](
    store: ParkedStore[Item], kept: Kept, body: bytes
) -> tuple[FifoQueue, Entry]:
    if not kept.is_whole(body):
        raise NotReplayable("damaged")
    return store.message_of(body)


def _replay[Item](store: ParkedStore[Item], parked: Parked[Item], by: str) -> Replay:
    number, event_id = parked.next_replay, parked.view.event_id
    queue, entry = store.message(parked)
    # The number changes the deduplication id, because the queue drops ids seen within five minutes; the same number
    # sent concurrently or again after a lost response is one message.
    queue.send([replace(entry, deduplication=digest("replay", event_id, str(number)))])
    now = clock.to_text(clock.now_ms())
    store.mark_replayed(parked, at=now, by=by)
    facts = {"state": REPLAYED, "replay_count": number, "replayed_at": now}
    return Replay(parked.view.model_copy(update=facts), number)
