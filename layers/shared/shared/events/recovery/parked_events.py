"""
Parked events: lists them with their reasons, and replays them after the cause is fixed.

An event is queued before its replay is recorded: after a crash in between it is still open, and the queued event is
processed once like any duplicate.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from shared.aws.sqs_fifo import digest
from shared.events.recovery import over_quota
from shared.events.recovery.port import COMMAND_LINE, Filter, NotFound, NotReplayable
from shared.events.recovery.states import OPEN, REPLAYED
from shared.events.recovery.views import Refused, Replayed, Replays
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from shared.aws.sqs_fifo import Entry, FifoQueue
    from shared.events.recovery.over_quota import OverQuotaEvent
    from shared.events.recovery.port import Parked, ParkedStore, Position
    from shared.events.recovery.views import ParkedEvent

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


def outcome(replays: list[Replay]) -> Replays:
    """Return the outcome of several replays, for an answer of an API."""
    return Replays(
        replayed=[
            Replayed(
                event_id=replay.event.event_id,
                correlation_id=replay.event.correlation_id,
                replay=replay.number,
            )
            for replay in replays
            if replay.number is not None
        ],
        refused=[
            Refused(event_id=replay.event.event_id, why=replay.refused or replay.event.state)
            for replay in replays
            if replay.number is None
        ],
    )


def listed[Item](
    store: ParkedStore[Item], criteria: Filter, *, limit: int, start: Position = None
) -> tuple[list[Parked[Item]], Position]:
    """Return up to *limit* parked events, newest first, and the next position; fewer if many entries do not match."""
    matches: list[Parked[Item]] = []
    for _ in range(ENTRIES_PER_CALL // ENTRIES_PER_QUERY):
        events, start = store.page(criteria.company, limit=ENTRIES_PER_QUERY, start=start)
        matching = [event for event in events if criteria.includes(event.view)]
        room = limit - len(matches)
        matches += matching[:room]
        if len(matching) > room:
            # Not the position where the index read stopped: matching events that did not fit come next.
            return matches, store.position_of(matches[-1], criteria.company)
        if start is None or len(matches) == limit:
            break
    return matches, start


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
    criteria: Filter,
    *,
    limit: int,
    start: Position = None,
    report: Callable[[Replay], None],
    is_over: Callable[[], bool] = lambda: False,
    by: str = COMMAND_LINE,
) -> Position:
    """
    Queue up to *limit* open events again and return the next position, None at the end.

    *report* is called immediately for each, so an interrupted run has reported its work. Events already queued are
    skipped; events that cannot be replayed are reported as refused. Stops when *is_over*. *by* is the authenticated
    caller. Raises NotEnqueued.
    """
    is_open = replace(criteria, states=frozenset({OPEN}))
    events, position = listed(store, is_open, limit=limit, start=start)
    for parked in events:
        try:
            report(_replay(store, parked, by))
        except NotReplayable as refusal:
            report(Replay(parked.view, refused=refusal.why))
        if parked is not events[-1] and is_over():
            return store.position_of(parked, criteria.company)
    return position


def replay_over_quota[Item](
    store: ParkedStore[Item], company: str | None
) -> Iterator[tuple[OverQuotaEvent, str | None]]:
    """
    Queue the parked events above the quota again, all or one company's. They have no items.

    Yields each, and why it was refused. First the queue, then the deletion: a run that crashes is repeated, and an
    event that is sent twice is handled once. Refused events stay until their retention ends. Raises NotEnqueued, and
    Unsupported if the context has no quota.
    """
    for event, body in over_quota.of_company(store.over_quota, company):
        try:
            queue, entry = _message_over_quota(store, event, body)
        except NotReplayable as refusal:
            yield event, refusal.why
            continue
        # Named by the key: another parking of the event is another message for the queue.
        queue.send([replace(entry, deduplication=digest("over-quota", event.key))])
        over_quota.delete(store.over_quota, event)
        yield event, None


def _message_over_quota[Item](
    store: ParkedStore[Item], event: OverQuotaEvent, body: bytes
) -> tuple[FifoQueue, Entry]:
    if not event.is_whole(body):
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
