"""
The parked events of the inbox, for `shared.events.recovery`.

A replay follows the original path: same body, same message group, and the same verified source, so that the number's
ownership is checked again. The event carries the number of the replay, so that the worker can record its outcome.
"""

import re
from dataclasses import dataclass, replace

from shared.aws.dynamodb import Attributes, Table
from shared.aws.s3 import Bucket
from shared.aws.sqs_fifo import Entry, FifoQueue
from shared.aws.stored_objects import Folder
from shared.events.recovery.port import NotReplayable, Parked, Position, stored_body
from shared.events.recovery.states import OPEN, REPLAYED
from shared.events.recovery.views import ParkedEvent
from shared.events.versions import NewerVersion
from shared.runtime.failures import Permanent
from whatsapp import store
from whatsapp.api.json_view import plain
from whatsapp.configuration.folders import parked_events
from whatsapp.inbound import splitter
from whatsapp.inbound.event import Event
from whatsapp.inbound.queued_events import parse_event
from whatsapp.recovery.parking import PARKED
from whatsapp.store.items import WebhookEvent

_EVENT_ID = re.compile(r"[0-9a-f]{64}", re.ASCII)
_SAME_FIELDS = (ParkedEvent.model_fields.keys() & WebhookEvent.model_fields.keys()) - {"payload"}


@dataclass(frozen=True, slots=True)
class InboxParkedEvents:
    """Implements `ParkedStore`. *queue* is `whatsapp.fifo`."""

    table: Table
    bucket: Bucket
    queue: FifoQueue
    # A replayed event waits until the worker has recorded its outcome.
    waiting: frozenset[str] = frozenset({OPEN, REPLAYED})

    @property
    def over_quota(self) -> Folder:
        """The folder of whole parked events."""
        return parked_events(self.bucket)

    def page(
        self, company: str | None, *, limit: int, start: Position
    ) -> tuple[list[Parked[WebhookEvent]], Position]:
        """Return one page of gsi_webhook_event: of all parked events, or of a company's."""
        if company is None:
            events, last = store.events.newest(self.table, PARKED, limit=limit, start=start)
        else:
            events, last = store.events.newest_parked(self.table, company, limit=limit, start=start)
        return [_parked(event) for event in events if _is_parked(event, company)], last

    def position_of(self, parked: Parked[WebhookEvent], company: str | None) -> Attributes:
        """Return the position after an event in its list."""
        return store.events.position_of(parked.item, company)

    def one(self, event_id: str, company: str | None) -> Parked[WebhookEvent] | None:
        """Return one parked event."""
        event = store.events.get(self.table, event_id) if _EVENT_ID.fullmatch(event_id) else None
        return _parked(event) if event and _is_parked(event, company) else None

    def message(self, parked: Parked[WebhookEvent]) -> tuple[FifoQueue, Entry]:
        """Return the event as received, with the number of its replay. Raises NotReplayable."""
        body = stored_body(parked_events(self.bucket), parked.item.full_event)
        again = replace(_event_in(body), replay_of=parked.item.event_id, replay=parked.next_replay)
        return self.queue, splitter.queue_entry(again)

    def message_of(self, body: bytes) -> tuple[FifoQueue, Entry]:
        """Return the event in this body. Raises NotReplayable."""
        return self.queue, splitter.queue_entry(_event_in(body))

    def mark_replayed(self, parked: Parked[WebhookEvent], *, at: str, by: str) -> None:
        """Record the replay at the item."""
        store.events.mark_replayed(
            self.table, parked.item.event_id, replay=parked.next_replay, at=at, by=by
        )


def _event_in(body: bytes) -> Event:
    """The event in the object of a parked one. Raises NotReplayable."""
    try:
        original = parse_event(body.decode("utf-8", "surrogatepass"))
    except (Permanent, NewerVersion):
        raise NotReplayable("unreadable") from None
    if original.kind == "malformed":
        raise NotReplayable("malformed")
    return original


def _is_parked(event: WebhookEvent, company: str | None) -> bool:
    """Whether Parley parked the event: a provider's field of the same name is stored under that type too."""
    return (
        event.webhook_event_type == PARKED
        and event.reason is not None
        and event.full_event is not None
        and company in {None, event.company}
    )


def _parked(event: WebhookEvent) -> Parked[WebhookEvent]:
    view = ParkedEvent(
        state=event.state,
        kind=event.event_type,
        waba=event.waba_meta_id,
        parked_at=event.processed_at,
        payload=plain(event.payload),
        **event.model_dump(include=set(_SAME_FIELDS)),
    )
    return Parked(view, event.next_replay, event)
