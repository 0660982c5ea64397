"""
Translates a webhook body to events: minimal calls, full calls and envelopes. Each field has several possible names; the
first one present wins.

Customer data in a body is not read: it proves nothing.
"""

import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from richpanel.inbound.channels import Channel
from richpanel.inbound.event import (
    BUCKET_MS,
    LONGEST_TEXT,
    RichpanelEvent,
    event_id_of_message,
    event_id_of_text,
    id_or_hash,
    is_event_id,
)

MOST_ENTRIES = 25
LONGEST_TRIGGER = 64  # characters
# A comment dated further ahead than clock skew explains would stay the newest of its conversation for ever.
AHEAD_MS = 60_000

_CONVERSATION = ("conversation_id", "ticket_id", "ticket.id", "group_id")
_MESSAGE = ("message_id", "message.id", "source_message_id")
_CREATED = ("message.created_at", "created_at", "sent_at")
_CHANNEL = ("channel", "via.channel", "ticket.via.channel")
_TEXT = ("message.text", "message", "customer_message", "text", "body", "content")
_TRIGGER = ("trigger", "event_type")
_ATTACHMENTS = ("message.attachments", "attachments")

# Key prefixes of the state table that are not conversations.
_RESERVED = ("sys:", "cust:")
# Written by templates for a missing value. Used as an id, it would merge all messages of a ticket into one.
_MISSING_VALUES = frozenset({"null", "undefined", "none", "nil"})
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LONGEST_SECONDS = 100_000_000_000  # Larger numbers are milliseconds.
_LAST_MS = 253_402_300_799_999  # 9999-12-31


class Unreadable(Exception):
    """The body is not a valid call. *code* gives the reason and is returned to the sender."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def events_of(
    body: bytes, channels: Mapping[str, Channel], accepted_at: int
) -> list[RichpanelEvent]:
    """Return all events of a body, in its order. Raises Unreadable if any entry is not a valid event."""
    try:
        parsed = json.loads(body, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise Unreadable("invalid_json") from None
    entries = parsed if isinstance(parsed, list) else [parsed]
    if not entries:
        raise Unreadable("no_entries")
    if len(entries) > MOST_ENTRIES:
        raise Unreadable("too_many_entries")
    return [_event(entry, channels, accepted_at) for entry in entries]


def _event(
    entry: Any,  # noqa: ANN401 - any JSON value
    channels: Mapping[str, Channel],
    accepted_at: int,
) -> RichpanelEvent:
    if not isinstance(entry, dict):
        raise Unreadable("not_an_object")
    conversation_id = _first(entry, _CONVERSATION, _id)
    if conversation_id is None:
        raise Unreadable("no_conversation_id")
    message_id = _first(entry, _MESSAGE, _id)
    text = _first(entry, _TEXT, _words) or ""
    created = _first(entry, _CREATED, _moment)
    received = _first(entry, ("received_at",), _moment) or accepted_at
    relayed_event_id = _first(entry, ("event_id",), _event_id)
    event_id = adopts = None
    if relayed_event_id is not None and is_event_id(relayed_event_id, conversation_id):
        event_id = relayed_event_id
    elif message_id is not None:
        event_id = event_id_of_message(conversation_id, message_id)
    else:
        event_id = event_id_of_text(conversation_id, text, created or received)
        if created is None:
            # Two deliveries of one message may fall into adjacent time buckets.
            adopts = event_id_of_text(conversation_id, text, received - BUCKET_MS)
    latest = accepted_at + AHEAD_MS
    return RichpanelEvent(
        conversation_id=conversation_id,
        event_id=event_id,
        adopts=adopts,
        message_id=message_id,
        source="webhook",
        channel=channels.get(_first(entry, _CHANNEL, _name) or "", Channel.UNKNOWN),
        trigger=(_first(entry, _TRIGGER, _words) or "")[:LONGEST_TRIGGER],
        created_at=None if created is None else min(created, latest),
        received_at=min(received, latest),
        accepted_at=accepted_at,
        text=text[:LONGEST_TEXT],
        attachments=_first(entry, _ATTACHMENTS, _count) or 0,
    )


def _first[T](
    entry: Mapping[str, Any], names: tuple[str, ...], read: Callable[[Any], T | None]
) -> T | None:
    """Return the first readable value among *names* (dots separate nested objects), or None."""
    for name in names:
        value: Any = entry
        for step in name.split("."):
            value = value.get(step) if isinstance(value, dict) else None
        parsed = None if value is None else read(value)
        if parsed is not None:
            return parsed
    return None


def _id(value: object) -> str | None:
    """Return an id in its key form. Raises Unreadable for an unrendered placeholder and for a reserved prefix."""
    text = _name(str(value) if type(value) is int else value, lower=False)
    if text is None or text.lower() in _MISSING_VALUES:
        return None
    if "{{" in text:
        raise Unreadable("unrendered_placeholder")
    if text.lower().startswith(_RESERVED):
        raise Unreadable("reserved_id")
    return id_or_hash(text)


def _event_id(value: object) -> str | None:
    """Return the event id that a relay passed on, or None."""
    text = _name(value, lower=False)
    if text is not None and "{{" in text:
        raise Unreadable("unrendered_placeholder")
    return text


def _name(value: object, *, lower: bool = True) -> str | None:
    text = value.strip() if isinstance(value, str) else ""
    return (text.lower() if lower else text) or None


def _words(value: object) -> str | None:
    """Return a text with unpaired surrogates, which have no UTF-8 form, replaced by question marks; None if blank."""
    if not isinstance(value, str) or not value.strip():
        return None
    return value.encode("utf-8", "replace").decode()


def _count(value: object) -> int | None:
    return len(value) if isinstance(value, list) else None


def _moment(value: object) -> int | None:
    """Parse ISO 8601 (UTC if it has no zone), seconds or milliseconds to milliseconds since 1970; None if invalid."""
    number = _number(value)
    if number is None:
        return _iso(value.strip()) if isinstance(value, str) else None
    moment = round(number * 1_000) if number < _LONGEST_SECONDS else round(number)
    return moment if 0 < moment <= _LAST_MS else None


def _number(value: object) -> int | float | None:
    """Return a number given as such or as digits; None for infinite ones, which JSON can express (1e999)."""
    if isinstance(value, str) and re.fullmatch(r"\s*[0-9]{1,15}\s*", value, re.ASCII):
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if abs(value) <= _LAST_MS else None


def _iso(text: str) -> int | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    in_utc = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    since = (in_utc - _EPOCH) // timedelta(milliseconds=1)
    return since if since > 0 else None


def _no_number(constant: str) -> float:
    """Reject NaN and Infinity, which are not JSON."""
    raise ValueError(constant)
