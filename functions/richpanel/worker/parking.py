"""Parks events that can never be handled, with a reason, so that they block no others and operators can see them."""

import hashlib

from richpanel.configuration.resources import Resources
from richpanel.inbound.event import RichpanelEvent
from richpanel.inbound.queued_events import parse_event
from richpanel.store import audits, events
from richpanel.store.items import DeadLetter, Event, EventStatus, Mode
from richpanel.worker import audit
from shared.runtime import clock
from shared.runtime.failures import Permanent

UNKNOWN = "unknown"


def park(resources: Resources, body: str, reason: str) -> RichpanelEvent | None:
    """
    Park a queue record; return its event, or None if it is not a valid one. Safe to repeat: the first row stays.

    Its key is a hash and not the message's own key: a later event for the same message must still be handled.
    """
    try:
        event = parse_event(body)
    except Permanent:
        event = None
    conversation_id = event.conversation_id if event else UNKNOWN
    encoded = (event.to_json() if event else body).encode("utf-8", "surrogatepass")
    _park(resources, Event.key(conversation_id, _sha256(encoded)), conversation_id, reason, encoded)
    return event


def note_dead_letter(resources: Resources, body: str, reason: str, attempts: int) -> None:
    """Store the reason of a dead letter, which the letter itself does not contain. Idempotent."""
    note = DeadLetter(
        event_id=DeadLetter.key(body),
        reason=reason,
        attempts=attempts,
        died_at=clock.to_text(clock.now_ms()),
        expires_at=DeadLetter.time_to_live(),
    )
    events.note_dead_letter(resources.idempotency, note)


def note(resources: Resources, event: Event, reason: str) -> None:
    """List an event among the parked ones and write its audit row. Safe to repeat."""
    audits.list_parked(resources.audit, event, reason)
    audit.write(resources, event, "park", {"reason": reason}, result=audit.failed(reason))


def _park(
    resources: Resources, key: str, conversation_id: str, reason: str, encoded: bytes
) -> None:
    now = clock.to_text(clock.now_ms())
    row = Event(
        event_id=key,
        conversation_id=conversation_id,
        created_at=now,
        last_processed_at=now,
        status=EventStatus.PARKED,
        mode=Mode.ROUTE_ONLY,
        safe_mode=True,
        automation_enabled=False,
        payload_sha256=_sha256(encoded),
        payload_bytes=len(encoded),
        reason=reason,
        expires_at=Event.time_to_live(),
    )
    stored = events.park(resources.idempotency, row)
    note(resources, stored, reason)


def _sha256(encoded: bytes) -> str:
    return hashlib.sha256(encoded).hexdigest()
