"""Events that are kept aside, and events that have no item of their own."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from shared import clock
from shared.failures import Permanent
from shared.queues import digest
from shared.redaction import outline
from whatsapp import store
from whatsapp.events import Event
from whatsapp.items import WebhookEvent
from whatsapp.origins import Origin
from whatsapp.outcomes import Outcome
from whatsapp.resources import Resources

PARKED = "parked"
PREFIX = "parked/"
TTL_SECONDS = 30 * clock.DAY_SECONDS
LARGEST_PAYLOAD_BYTES = 16_000
LONGEST_NAME = 128


@dataclass(slots=True)
class Verdict:
    """How the guarded block ended."""

    reason: str | None = None


@contextmanager
def parked_when_permanent(
    here: Resources, body: str, event: Event | None, origin: Origin | None
) -> Iterator[Verdict]:
    """
    Park the event when the block raises Permanent, instead of letting it fail.

    A poison message that fails is brought back again and again, blocks its conversation and takes its neighbours along
    into the dead-letter queue. Parked it is out of the way, visible, and can be replayed.
    """
    verdict = Verdict()
    try:
        yield verdict
    except Permanent as refusal:
        verdict.reason = refusal.reason
        _park(here, body, event, origin, refusal.reason)


def keep(
    here: Resources, event: Event, origin: Origin | None, event_type: str | None = None
) -> Outcome:
    """Keep an event that has no item of its own, under the webhook field it came with."""
    payload = event.payload or {}
    full_event = None
    event_id = digest(event.kind, event.id, event.hash)
    if _size(payload) > LARGEST_PAYLOAD_BYTES:
        full_event = f"{PREFIX}{event_id}.json"
        here.bucket.put(full_event, event.to_json().encode())
        payload = _outline(payload)
    item = _item(
        event,
        origin,
        event_type or event.field or event.kind,
        event_id,
    )
    item = item.model_copy(update={"payload": payload, "full_event": full_event})
    kept = store.events.add(here.table, item)
    return Outcome.PERSISTED if kept else Outcome.DUPLICATE


def _park(
    here: Resources, body: str, event: Event | None, origin: Origin | None, reason: str
) -> None:
    """Keep the whole event in S3, and an item that shows why it is there and what it looked like."""
    event_id = digest(
        PARKED,
        reason,
        event.kind if event else "",
        event.id if event else "",
        event.hash if event else body,
    )
    key = f"{PREFIX}{event_id}.json"
    # The object first: an item without its object could not be replayed.
    here.bucket.put(key, body.encode("utf-8", "surrogatepass"))
    parked: dict[str, Any] = {"reason": reason, "full_event": key}
    if event is None:
        now = clock.to_text(clock.now_ms())
        item = WebhookEvent(
            pk=WebhookEvent.key(event_id), ttl=clock.expires_in(TTL_SECONDS), event_id=event_id,
            webhook_event_type=PARKED, event_type="unreadable", processed_at=now, received_at=now,
        )  # fmt: skip
    else:
        item = _item(event, origin, PARKED, event_id)
        parked["payload"] = _outline(event.payload or {})
    store.events.add(here.table, item.model_copy(update=parked))


def _outline(payload: dict[str, Any]) -> dict[str, Any]:
    """The outline of a payload, if it is small enough to keep: parking must never fail."""
    drawn: dict[str, Any] = outline(payload)
    return drawn if _size(drawn) <= LARGEST_PAYLOAD_BYTES else {"outline": "too large"}


def _size(payload: dict[str, Any]) -> int:
    return len(json.dumps(payload, default=str).encode())


def _item(
    event: Event, origin: Origin | None, webhook_event_type: str, event_id: str
) -> WebhookEvent:
    return WebhookEvent(
        pk=WebhookEvent.key(event_id),
        company=origin.company if origin else None,
        ttl=clock.expires_in(TTL_SECONDS),
        # Index keys have bounds, and these are what the sender calls them.
        webhook_event_type=webhook_event_type[:LONGEST_NAME],
        event_id=event_id,
        event_type=event.kind,
        waba_meta_id=event.waba[:LONGEST_NAME] or None,
        processed_at=clock.to_text(clock.now_ms()),
        received_at=clock.to_text(event.accepted_at),
        phone=event.phone[:LONGEST_NAME] or None,
    )
