"""Parked events of the AI conversations, for `shared.events.recovery`. An event that is parked again is a new item."""

import re
from dataclasses import dataclass

from conversations.configuration.folders import parked_events
from conversations.privacy import subjects
from conversations.recovery.destinations import Destinations
from conversations.store.items.records import Parked as ParkedItem
from conversations.store.recovery import unhandled
from shared.aws.dynamodb import Attributes, Table
from shared.aws.s3 import Bucket
from shared.aws.sqs_fifo import Entry, FifoQueue
from shared.aws.stored_objects import Folder
from shared.events.recovery.port import NotReplayable, Parked, Position, stored_body
from shared.events.recovery.states import OPEN, REPLAYED
from shared.events.recovery.views import ParkedEvent

_EVENT_ID = re.compile(r"[0-9TZ:.-]{24}\.[0-9a-f]{24}", re.ASCII)


@dataclass(frozen=True, slots=True)
class ParkedRecord:
    """A parked event and the time when it was parked. *event_id*: `<time>.<parked id>`."""

    at: str
    event: ParkedItem

    @property
    def event_id(self) -> str:
        """The id of the event in the API."""
        return f"{self.at}.{self.event.parked_id}"


@dataclass(slots=True, eq=False)
class ConversationsParkedEvents:
    """Implements `ParkedStore`; *bucket* holds the bodies."""

    log: Table
    bucket: Bucket
    destinations: Destinations
    # Whether a replayed event was handled is not known: if it is parked again, that is another event.
    waiting: frozenset[str] = frozenset({OPEN})

    @property
    def over_quota(self) -> Folder:
        """The folder of parked events."""
        return parked_events(self.bucket)

    def page(
        self, company: str | None, *, limit: int, start: Position
    ) -> tuple[list[Parked[ParkedRecord]], Position]:
        """Return one page: of all parked events by their days, or of a company's by its index entries."""
        if company is None:
            items, last = unhandled.newest_parked(self.log, limit=limit, start=start)
        else:
            subject = subjects.of_company(company)
            item_keys, last = unhandled.indexed_page(
                self.log, subject, limit=limit, start=start, newest_first=True
            )
            items = unhandled.many_parked(self.log, item_keys)
        return [_parked(ParkedRecord(at, item)) for at, item in items], last

    def position_of(self, parked: Parked[ParkedRecord], company: str | None) -> Attributes:
        """Return the position after an event in its list."""
        item_key = unhandled.parked_key(parked.item.at, parked.item.event.parked_id)
        return (
            item_key
            if company is None
            else unhandled.entry_key(subjects.of_company(company), item_key)
        )

    def one(self, event_id: str, company: str | None) -> Parked[ParkedRecord] | None:
        """Return one parked event."""
        if not _EVENT_ID.fullmatch(event_id):
            return None
        at, _, parked_id = event_id.rpartition(".")
        item = unhandled.one_parked(self.log, at, parked_id)
        return (
            _parked(ParkedRecord(at, item)) if item and company in {None, item.company_id} else None
        )

    def message(self, parked: Parked[ParkedRecord]) -> tuple[FifoQueue, Entry]:
        """Return the event as it was parked. Raises NotReplayable."""
        pointer = parked.item.event.body_object
        if pointer is None:
            # Of an erased conversation only the reason is stored.
            raise NotReplayable("erased")
        return self.message_of(stored_body(parked_events(self.bucket), pointer))

    def message_of(self, body: bytes) -> tuple[FifoQueue, Entry]:
        """Return the event in this body. Raises NotReplayable."""
        return self.destinations.of(body.decode())

    def mark_replayed(self, parked: Parked[ParkedRecord], *, at: str, by: str) -> None:
        """Record the replay at the item."""
        parked_item = parked.item
        unhandled.note_replay(
            self.log,
            parked_item.at,
            parked_item.event.parked_id,
            parked.next_replay,
            replayed_at=at,
            by=by,
        )


def _parked(parked_item: ParkedRecord) -> Parked[ParkedRecord]:
    item = parked_item.event
    view = ParkedEvent(
        event_id=parked_item.event_id,
        state=REPLAYED if item.replays else OPEN,
        reason=item.reason,
        kind=item.event_type,
        source=item.source,
        company=item.company_id,
        parked_at=parked_item.at,
        replay_count=item.replays,
        replayed_at=item.replayed_at,
    )
    return Parked(view, (item.replays or 0) + 1, parked_item)
