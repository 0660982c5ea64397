"""The parked events of newsletters, for `shared.recovery`. A replay is the event as it was parked, with its number."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from newsletters.store import parked as store
from shared.aws.sqs_fifo import Entry, digest, to_json
from shared.recovery.port import NotReplayable, Parked, Unsupported
from shared.recovery.states import OPEN, REPLAYED
from shared.recovery.views import ParkedEvent as View

if TYPE_CHECKING:
    from newsletters.store.items import ParkedEvent
    from shared.aws.dynamodb import Attributes, Table
    from shared.aws.sqs_fifo import FifoQueue
    from shared.recovery.port import Position

EXPORT = "newsletter.export"
_EVENT_ID = re.compile(r"[0-9a-f]{64}", re.ASCII)
_SHOWN = (
    "event_id", "state", "reason", "kind", "correlation_id", "received_at", "replay_count", "replayed_at",
    "parked_again_at", "replaced_by", "resolved_at",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class NewsletterParkedEvents:
    """Implements `ParkedStore`. *steps* and *exports* are the queues that the events came from."""

    table: Table
    steps: FifoQueue
    exports: FifoQueue
    # A replayed event waits until the worker has recorded its outcome.
    waiting: frozenset[str] = frozenset({OPEN, REPLAYED})

    @property
    def over_quota(self) -> NoReturn:
        """There is no quota: every parked event has an item."""
        raise Unsupported("newsletters has no quota of parked events: `parked` lists all of them")

    def page(
        self, company: str | None, *, limit: int, start: Position
    ) -> tuple[list[Parked[ParkedEvent]], Position]:
        """Return one page of parked events: of a company, or of all."""
        events, last = store.page(self.table, company, limit=limit, start=start)
        return [_parked(event) for event in events], last

    def position_of(self, parked: Parked[ParkedEvent], company: str | None) -> Attributes:  # noqa: ARG002 - one list for all
        """Return the position after an event in its list."""
        return store.position_of(parked.item)

    def one(self, event_id: str, company: str | None) -> Parked[ParkedEvent] | None:
        """Return one parked event."""
        event = store.get(self.table, event_id) if _EVENT_ID.fullmatch(event_id) else None
        return _parked(event) if event and company in {None, event.company_id} else None

    def message(self, parked: Parked[ParkedEvent]) -> tuple[FifoQueue, Entry]:
        """Return the event as parked, with the number of its replay. Raises NotReplayable."""
        event = parked.item
        try:
            fields = json.loads(event.body)
        except ValueError:
            fields = None
        if not isinstance(fields, dict) or event.kind is None:
            raise NotReplayable("unreadable")
        again = fields | {"replay_of": event.event_id, "replay": parked.next_replay}
        body = to_json(again)
        queue = self.exports if event.kind == EXPORT else self.steps
        return queue, Entry(body, digest("replay", event.event_id), digest(body))

    def message_of(self, body: bytes) -> NoReturn:  # noqa: ARG002 - see `over_quota`
        """There is no event above a quota."""
        raise Unsupported("newsletters has no quota of parked events")

    def mark_replayed(self, parked: Parked[ParkedEvent], *, at: str, by: str) -> None:
        """Record the replay at the item."""
        event_id = parked.item.event_id
        store.mark_replayed(self.table, event_id, replay=parked.next_replay, at=at, by=by)


def _parked(event: ParkedEvent) -> Parked[ParkedEvent]:
    shown = {name: getattr(event, name) for name in _SHOWN}
    view = View(company=event.company_id, parked_at=event.parked_at, **shown)
    return Parked(view, event.next_replay, event)
