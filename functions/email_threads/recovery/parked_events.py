"""
The parked events of e-mail, for `shared.recovery`.

A replay is the event as it was parked, with its number. A mail whose Message-ID another mail has is accepted under an
id of its own.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from email_threads.inbound.events import RECEIVED
from email_threads.store import parked as store
from email_threads.store.items.parked import ParkReason
from shared.aws.sqs_fifo import Entry, digest, to_json
from shared.recovery.port import NotReplayable, Parked, Unsupported
from shared.recovery.states import OPEN, REPLAYED
from shared.recovery.views import ParkedEvent as View

if TYPE_CHECKING:
    from email_threads.store.items import ParkedEvent
    from shared.aws.dynamodb import Attributes, Table
    from shared.aws.sqs_fifo import FifoQueue
    from shared.recovery.port import Position

_EVENT_ID = re.compile(r"[0-9a-f]{64}", re.ASCII)
_SHOWN = (
    "event_id", "state", "reason", "kind", "correlation_id", "received_at", "replay_count", "replayed_at",
    "parked_again_at", "replaced_by", "resolved_at",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class MailParkedEvents:
    """Implements `ParkedStore`. *queue* is `email-threads.fifo`."""

    table: Table
    queue: FifoQueue
    # A replayed event waits until the worker has recorded its outcome.
    waiting: frozenset[str] = frozenset({OPEN, REPLAYED})

    @property
    def over_quota(self) -> NoReturn:
        """There is no quota: every parked event has an item."""
        raise Unsupported("email_threads has no quota of parked events: `parked` lists all of them")

    def page(
        self, company: str | None, *, limit: int, start: Position
    ) -> tuple[list[Parked[ParkedEvent]], Position]:
        """Return one page of parked events: of a company, or of all."""
        if company is None:
            events, last = store.of_all(self.table, limit=limit, start=start)
        else:
            events, last = store.of_company(self.table, company, limit=limit, start=start)
        return [_parked(event) for event in events], last

    def position_of(self, parked: Parked[ParkedEvent], company: str | None) -> Attributes:
        """Return the position after an event in its list."""
        return store.position_of(parked.item, is_of_company=company is not None)

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
        if event.kind == RECEIVED and event.reason == ParkReason.MESSAGE_ID_REUSED:
            again["is_released"] = True
        body = to_json(again)
        return self.queue, Entry(body, digest("replay", event.event_id), digest(body))

    def message_of(self, body: bytes) -> NoReturn:  # noqa: ARG002 - see `over_quota`
        """There is no event above a quota."""
        raise Unsupported("email_threads has no quota of parked events")

    def mark_replayed(self, parked: Parked[ParkedEvent], *, at: str, by: str) -> None:
        """Record the replay at the item."""
        event_id = parked.item.event_id
        store.mark_replayed(self.table, event_id, replay=parked.next_replay, at=at, by=by)


def _parked(event: ParkedEvent) -> Parked[ParkedEvent]:
    shown = {name: getattr(event, name) for name in _SHOWN}
    view = View(company=event.company_id, parked_at=event.updated_at, **shown)
    return Parked(view, event.next_replay, event)
