"""
The parked events of the help desk, for `shared.events.recovery`.

Texts of messages are not stored, so a replay reopens the event's row and queues its conversation: the worker reads the
ticket again and decides on every message that is not handled. Steps that were done are not repeated.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NoReturn

from richpanel.inbound.channels import Channel
from richpanel.inbound.wakeups import WakeupEvent
from richpanel.inbound.webhook import EventQueues
from richpanel.store import audits, events, states
from richpanel.store.items import AuditAction, Event, EventStatus
from richpanel.worker.parking import UNKNOWN
from shared.aws.dynamodb import Attributes, Table
from shared.aws.sqs_fifo import Entry, FifoQueue
from shared.events.recovery.port import NotReplayable, Parked, Position, Unsupported
from shared.events.recovery.states import OPEN, REPLAYED, RESOLVED
from shared.events.recovery.views import ParkedEvent

_PREFIX = Event.patterns[0].partition("{")[0]
_LONGEST_KEY = 2_048  # bytes of a partition key in DynamoDB


@dataclass(slots=True, kw_only=True, eq=False)
class HelpDeskParkedEvents:
    """
    Implements `ParkedStore`.

    All events belong to the company that *company* returns, whose help desk it is. If the account names none (None),
    keys of any company that have a scope of the help desk may see and replay them.

    An event that was parked before the worker claimed its message has a separate row, which no worker finishes: it
    stays `replayed`.
    """

    idempotency: Table
    state: Table
    audit: Table
    queues: EventQueues
    company: Callable[[], str | None]
    # A replayed event waits until the worker has finished its row.
    waiting: frozenset[str] = frozenset({OPEN, REPLAYED})

    @property
    def over_quota(self) -> NoReturn:
        """There is no quota: every parked event has a row."""
        raise Unsupported("richpanel has no quota of parked events: `parked` lists all of them")

    def page(
        self, company: str | None, *, limit: int, start: Position
    ) -> tuple[list[Parked[Event]], Position]:
        """Return one page of the list of parked events (`AuditAction.PARKED`), with the state of their rows."""
        if not self._is_of(company):
            return [], None
        listed, last = audits.page(self.audit, AuditAction.PARKED, limit=limit, start=start)
        rows = events.get_many(self.idempotency, [entry.idempotency_key for entry in listed])
        parked = [
            self._parked(row, json.loads(entry.action_payload_redacted))
            for entry in listed
            if (row := rows.get(entry.idempotency_key)) and _is_parked(row)
        ]
        return parked, last

    def position_of(self, parked: Parked[Event], company: str | None) -> Attributes:  # noqa: ARG002 - there is one list
        """Return the position after an event in the list."""
        return audits.key_of_parked(parked.item)

    def one(self, event_id: str, company: str | None) -> Parked[Event] | None:
        """Return one parked event."""
        is_key = event_id.startswith(_PREFIX) and len(event_id.encode()) <= _LONGEST_KEY
        if not is_key or not self._is_of(company):
            return None
        row = events.get_many(self.idempotency, [event_id]).get(event_id)
        return self._parked(row, {}) if row and _is_parked(row) else None

    def message(self, parked: Parked[Event]) -> tuple[FifoQueue, Entry]:
        """Reopen the event, and return a wake-up event for its conversation. Raises NotReplayable."""
        row = parked.item
        if row.conversation_id == UNKNOWN:
            raise NotReplayable("unreadable")
        state = states.conversation(self.state, row.conversation_id)
        if state and state.erased_at:
            raise NotReplayable("erased")
        # Before the wake-up event: its worker skips a row that is still parked. After a crash in between the parked
        # event is still open, since no replay is recorded, and any event of the conversation has the row handled.
        events.reopen(self.idempotency, row.event_id)
        wakeup = WakeupEvent(
            conversation_id=row.conversation_id,
            channel=Channel.UNKNOWN,
            source="replay",
            deduplication="",
        )
        return self.queues.of(wakeup.channel), wakeup.as_entry()

    def message_of(self, body: bytes) -> NoReturn:  # noqa: ARG002 - of `ParkedStore`
        """There are no stored bodies."""
        raise NotReplayable("unreadable")

    def mark_replayed(self, parked: Parked[Event], *, at: str, by: str) -> None:
        """Record the replay at the row, and as an audit row."""
        event_id, number = parked.item.event_id, parked.next_replay
        facts = {"change": "replay", "event": event_id, "conversation": parked.item.conversation_id}
        audits.add_change(self.audit, by, f"replay:{event_id}:{number}", facts)
        events.mark_replayed(self.idempotency, event_id, number=number, at=at, by=by)

    def _is_of(self, company: str | None) -> bool:
        return company is None or self.company() in {None, company}

    def _parked(self, row: Event, listed: Mapping[str, str]) -> Parked[Event]:
        is_known = row.conversation_id != UNKNOWN
        is_done = row.status == EventStatus.PROCESSED
        view = ParkedEvent(
            event_id=row.event_id,
            state=_state(row),
            reason=listed.get("reason") or row.reason,
            kind="message" if is_known else "unreadable",
            company=self.company(),
            correlation_id=row.conversation_id if is_known else None,
            received_at=row.received_at,
            parked_at=row.created_at if is_done else row.last_processed_at,
            replay_count=row.replay_count,
            replayed_at=row.replayed_at,
            resolved_at=row.last_processed_at if is_done else None,
        )
        return Parked(view, (row.replay_count or 0) + 1, row)


def _is_parked(row: Event) -> bool:
    """Whether the row is or was parked: a worker that died after listing it has not parked it."""
    return (
        row.status == EventStatus.PARKED
        or row.lease_owner == events.REOPENED
        or row.replay_count is not None
    )


def _state(row: Event) -> str:
    if row.status == EventStatus.PROCESSED:
        return RESOLVED
    # Reopening removes `replayed_at`, so that an event whose wake-up was not queued counts as open.
    is_queued = row.status == EventStatus.PROCESSING and row.replayed_at is not None
    return REPLAYED if is_queued else OPEN
