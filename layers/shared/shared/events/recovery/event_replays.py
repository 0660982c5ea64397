"""Lists and replays the events of an `EventStore`. A replay is the event as it was parked, with its number."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from shared.aws.sqs_fifo import Entry, digest, to_json
from shared.events.recovery.event_items import ParkedEvent
from shared.events.recovery.port import NotReplayable, Parked, Unsupported
from shared.events.recovery.states import OPEN, REPLAYED
from shared.events.recovery.views import ParkedEvent as View
from shared.runtime.json_objects import json_object

if TYPE_CHECKING:
    from collections.abc import Callable

    from shared.aws.dynamodb import Attributes
    from shared.aws.sqs_fifo import FifoQueue
    from shared.events.recovery.event_store import EventStore
    from shared.events.recovery.port import Position

_NO_QUOTA = "there is no quota of parked events: `parked` lists all of them"
_EVENT_ID = re.compile(r"[0-9a-f]{64}", re.ASCII)
_SHOWN = View.model_fields.keys() & (ParkedEvent.model_fields.keys() | {"state"})


def _nothing(_: ParkedEvent) -> Attributes:
    return {}


@dataclass(slots=True, kw_only=True, eq=False)
class EventReplays[E: ParkedEvent]:
    """
    Implements `ParkedStore`.

    *queue_of* returns the queue that an event came from, *added* the fields that its replay has and the event has not.
    """

    store: EventStore[E]
    queue_of: Callable[[E], FifoQueue]
    added: Callable[[E], Attributes] = _nothing
    # A replayed event waits until the worker has recorded its outcome.
    waiting: frozenset[str] = frozenset({OPEN, REPLAYED})

    @property
    def over_quota(self) -> NoReturn:
        """There is no quota: every parked event has an item."""
        raise Unsupported(_NO_QUOTA)

    def page(
        self, company: str | None, *, limit: int, start: Position
    ) -> tuple[list[Parked[E]], Position]:
        """Return one page of all parked events, or of a company's."""
        events, last = self.store.items.page(self.store.table, company, limit, start)
        return [_parked(event) for event in events], last

    def position_of(self, parked: Parked[E], company: str | None) -> Attributes:
        """Return the position after an event in its list."""
        return self.store.items.position_of(parked.item, company)

    def one(self, event_id: str, company: str | None) -> Parked[E] | None:
        """Return one parked event."""
        event = self.store.get(event_id) if _EVENT_ID.fullmatch(event_id) else None
        return _parked(event) if event and company in {None, event.company_id} else None

    def message(self, parked: Parked[E]) -> tuple[FifoQueue, Entry]:
        """Return the event as parked, with the number of its replay. Raises NotReplayable."""
        event = parked.item
        fields = json_object(event.body) or {}
        if not fields or event.kind is None:
            raise NotReplayable("unreadable")
        number = {"replay_of": event.event_id, "replay": parked.next_replay}
        body = to_json({**fields, **number, **self.added(event)})
        return self.queue_of(event), Entry(body, digest("replay", event.event_id), digest(body))

    def message_of(self, body: bytes) -> NoReturn:  # noqa: ARG002 - see `over_quota`
        """There is no event above a quota."""
        raise Unsupported(_NO_QUOTA)

    def mark_replayed(self, parked: Parked[E], *, at: str, by: str) -> None:
        """Record the replay at the item."""
        self.store.mark_replayed(parked.item.event_id, replay=parked.next_replay, at=at, by=by)


def _parked[E: ParkedEvent](event: E) -> Parked[E]:
    shown = {name: getattr(event, name) for name in _SHOWN}
    return Parked(View(company=event.company_id, **shown), event.next_replay, event)
