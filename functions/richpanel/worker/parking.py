"""Parks events that can never be handled, with a reason, so that they block no others and operators can see them."""

import hashlib

from richpanel.event import RichpanelEvent
from richpanel.resources import Resources
from richpanel.store import events
from richpanel.store.items import Event, EventStatus, Mode
from richpanel.worker import audit
from shared import clock

UNKNOWN = "unknown"


def park_unreadable(resources: Resources, body: str, reason: str) -> None:
    """Park a queue record that is not a valid event, under the hash of its text. Safe to repeat."""
    encoded = body.encode("utf-8", "surrogatepass")
    _park(resources, Event.key(UNKNOWN, _sha256(encoded)), UNKNOWN, reason, encoded)


def park(resources: Resources, event: RichpanelEvent, reason: str) -> None:
    """Park an event that could not be claimed. Safe to repeat: the first row stays."""
    encoded = event.to_json().encode()
    # Not under the message's own key: a later event for the same message must still be handled.
    key = Event.key(event.conversation_id, _sha256(encoded))
    _park(resources, key, event.conversation_id, reason, encoded)


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
    kept = events.park(resources.idempotency, row)
    audit.write(resources, kept, "park", {"reason": reason}, result=audit.failed(reason))


def _sha256(encoded: bytes) -> str:
    return hashlib.sha256(encoded).hexdigest()
