"""Parses the events of `whatsapp.fifo`: events of this context, and messages that another context announces."""

from typing import Any

from shared.aws.sqs_fifo import digest
from shared.events import record_body
from shared.events.record_body import MALFORMED
from shared.runtime import clock
from shared.runtime.failures import Permanent
from whatsapp.inbound.event import ANNOUNCED, JSON_NAMES, LONGEST_ID, OUTBOUND, Event

_FIELD_NAMES = {json_name: name for name, json_name in JSON_NAMES.items()}
_model = record_body.model_of(Event)


def parse_event(body: str) -> Event:
    """
    Parse the event of a queue record.

    Raises Permanent (`malformed_event`, `unsupported_event_version`) and NewerVersion.

    Strict, because only Parley's functions write to this queue; unknown fields are ignored, so that a newer ingress may
    add some. Messages of another context are wrapped in the envelope that they lack.
    """
    raw = record_body.load_event(body)
    try:
        if raw.get("type") == ANNOUNCED:
            raw = _enveloped(raw)
        fields = {_FIELD_NAMES.get(name, name): value for name, value in raw.items()}
        event = record_body.parse_event(Event, _model, fields)
    except (ValueError, AttributeError, TypeError, KeyError, RecursionError):
        raise Permanent(MALFORMED) from None
    if not 0 < len(event.id) <= LONGEST_ID:
        raise Permanent(MALFORMED)
    return event


def _enveloped(announced: dict[str, Any]) -> dict[str, Any]:
    """Return the event of a `shared.events.exchange.OutboundMessage`, whose parts the worker validates on use."""
    sent_at = clock.from_text(announced["occurred_at"])
    return {
        "kind": OUTBOUND,
        "id": announced["provider_message_id"],
        "source": "parley",
        "app": "",
        "acceptedAt": sent_at,
        "waba": announced.get("account") or "",
        "phone": announced["business_address"],
        "displayPhone": "",
        "field": ANNOUNCED,
        "at": sent_at // 1_000,
        "index": sent_at % 1_000,  # These events are not ordered by a position in a webhook.
        "contact": None,
        "payload": announced,
        # One action is one message, even if a repeated announcement differs in wording.
        "hash": digest(announced["action_id"]),
    }
