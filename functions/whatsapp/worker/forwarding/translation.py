"""
Translates events of a number into the event types shared between contexts (`shared.events.exchange`).

A repeated event always has the same translation: except for the copy of a file, everything is read from the event, not
from the stored item. Fields without a shared equivalent are in `extra`, under the provider's names.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from shared.events.exchange import (
    Button,
    DeliveryStatus,
    File,
    InboundMessage,
    Kind,
    Location,
    Provider,
    bounded_extra,
)
from whatsapp.inbound import senders
from whatsapp.inbound.content import MEDIA_TYPES, Content
from whatsapp.inbound.event import Event

# WhatsApp allows 4,096 characters; even a longer text must fit into a queue message.
LONGEST_TEXT = 64 << 10
LONGEST_LABEL = 1_000  # of a button or a location
# Sender, time and type: separate fields of the shared events.
_FRAME = frozenset(
    {"id", "from", "from_user_id", "to", "to_user_id", "user_id", "timestamp", "type", "context"}
)
_FRAME_OF_A_STATUS = frozenset(
    {
        *("id", "status", "timestamp", "biz_opaque_callback_data"),
        # A status needs no addresses: its message has them.
        *("recipient_id", "recipient_user_id", "recipient", "recipient_type"),
        *("recipient_participant_id", "participant_recipient_id"),
    }
)


@dataclass(frozen=True, slots=True)
class Number:
    """The business's number as other contexts identify it: provider, Meta's id of its account, E.164, company."""

    provider: Provider
    account: str
    address: str
    company: str


type MessageFields = dict[str, Any]  # of InboundMessage
type Part = Mapping[str, Any]


def message(
    event: Event, described: Content, number: Number, *, received_at: str, file_url: str | None
) -> InboundMessage:
    """
    Translate a customer's message, or an echo as `human_reply`. Never raises, for any provider input.

    *received_at* is `YYYY-MM-DDTHH:MM:SS.mmmZ`; *file_url* is our copy of the message's file, if it exists yet.
    """
    payload = event.payload or {}
    word = _string(payload, "type") or "unknown"
    shape = f"interactive.{described.subtype}" if word == "interactive" else word
    fields = _TRANSLATIONS.get(shape, _unknown)(payload)
    kind: Kind = fields.pop("kind")
    file = described.media
    if file is not None:
        fields["media"] = [
            File(
                url=file_url,
                provider_id=file.media_id,
                mime_type=file.mime_type or None,
                name=file.filename or None,
            )
        ]
    elif kind == "media":
        kind = "unknown"  # Without an id there is no file.
    context = _part(payload, "context")
    extra = {
        **{name: value for name, value in payload.items() if name not in _FRAME | {word}},
        word: fields.pop("rest", None),
        "context": _without(context, "id", "from"),
        "type": None if word == kind else word,
    }
    return InboundMessage(
        type="human_reply" if event.kind == "echo" else "inbound_message",
        provider=number.provider,
        provider_message_id=event.id,
        account=number.account,
        company=number.company,
        channel_method="whatsapp",
        business_address=number.address,
        customer_address=_phone_of(event),
        customer_user_id=senders.bsuid_of(event.kind, payload, event.contact) or None,
        profile_name=senders.name_of(event.contact),
        received_at=received_at,
        kind=kind,
        reply_to=fields.pop("reply_to", None) or _string(context, "id"),
        extra=bounded_extra(
            {name: value for name, value in extra.items() if value not in (None, {})}
        ),
        **fields,
    )


def delivery_status(
    event: Event,
    number: Number,
    *,
    action_id: str | None,
    error_code: str | None,
    occurred_at: str,
) -> DeliveryStatus:
    """Translate a delivery status, keeping the provider's value. *occurred_at* has the format of `received_at`."""
    payload = event.payload or {}
    rest = {name: value for name, value in payload.items() if name not in _FRAME_OF_A_STATUS}
    return DeliveryStatus(
        provider=number.provider,
        provider_message_id=event.id,
        account=number.account,
        channel_method="whatsapp",
        business_address=number.address,
        action_id=action_id,
        status=str(payload.get("status")),
        error_code=error_code,
        occurred_at=occurred_at,
        extra=bounded_extra(rest),
    )


def _text(message: Part) -> MessageFields:
    part = _part(message, "text")
    body = _string(part, "body", LONGEST_TEXT)
    return {"kind": "text", "text": body, "rest": _without(part, "body")}


def _media(message: Part) -> MessageFields:
    part = _part(message, str(message["type"]))
    translated = ("id", "mime_type", "sha256", "caption", "filename", "url")
    caption = _string(part, "caption", LONGEST_TEXT)
    return {"kind": "media", "text": caption, "rest": _without(part, *translated)}


def _location(message: Part) -> MessageFields:
    part = _part(message, "location")
    latitude, longitude = (_number(part.get(name)) for name in ("latitude", "longitude"))
    if latitude is None or longitude is None:
        return {"kind": "unknown", "rest": part}
    location = Location(
        latitude=latitude,
        longitude=longitude,
        name=_string(part, "name"),
        address=_string(part, "address"),
    )
    rest = _without(part, "latitude", "longitude", "name", "address")
    return {"kind": "location", "location": location, "rest": rest}


def _contacts(message: Part) -> MessageFields:
    return {"kind": "contacts", "rest": message.get("contacts")}


def _button(message: Part) -> MessageFields:
    """Translate the answer to a template button."""
    part = _part(message, "button")
    rest = _without(part, "payload", "text")
    return _tapped("button", _string(part, "payload"), _string(part, "text"), rest)


def _button_reply(message: Part) -> MessageFields:
    return _reply(message, "button", "button_reply")


def _list_reply(message: Part) -> MessageFields:
    return _reply(message, "list", "list_reply")


def _reply(message: Part, kind: Kind, name: str) -> MessageFields:
    part = _part(message, "interactive")
    answer = _part(part, name)
    rest = _without(part, "type", name) | {name: _without(answer, "id", "title")}
    rest = {name: value for name, value in rest.items() if value}
    return _tapped(kind, _string(answer, "id"), _string(answer, "title"), rest)


def _tapped(kind: Kind, payload: str | None, label: str | None, rest: Part) -> MessageFields:
    if payload is None and label is None:
        return {"kind": "unknown", "rest": rest}
    return {"kind": kind, "button": Button(payload=payload, label=label), "rest": rest}


def _reaction(message: Part) -> MessageFields:
    part = _part(message, "reaction")
    emoji, target = _string(part, "emoji"), _string(part, "message_id")
    rest = _without(part, "emoji", "message_id")
    return {"kind": "reaction", "text": emoji, "reply_to": target, "rest": rest}


def _unknown(message: Part) -> MessageFields:
    """Translate orders, form answers and future types: passed on unchanged for consumers that know them."""
    return {"kind": "unknown", "rest": message.get(str(message.get("type")))}


_TRANSLATIONS: Mapping[str, Callable[[Part], MessageFields]] = {
    "text": _text,
    **dict.fromkeys(MEDIA_TYPES, _media),
    "location": _location,
    "contacts": _contacts,
    "button": _button,
    "interactive.button_reply": _button_reply,
    "interactive.list_reply": _list_reply,
    "reaction": _reaction,
}


def _phone_of(event: Event) -> str | None:
    digits = senders.phone_of(event.kind, event.payload or {}, event.contact)
    return f"+{digits}" if digits else None


def _part(message: Part, name: str) -> dict[str, Any]:
    part = message.get(name)
    return part if isinstance(part, dict) else {}


def _without(part: Part, *names: str) -> dict[str, Any]:
    return {name: value for name, value in part.items() if name not in names}


def _string(part: Part, name: str, longest: int = LONGEST_LABEL) -> str | None:
    value = part.get(name)
    return value[:longest] if isinstance(value, str) and value else None


def _number(value: object) -> str | None:
    """Return a number as text; None for other values."""
    is_number = isinstance(value, int | float | str) and not isinstance(value, bool) and value != ""
    return str(value)[:LONGEST_LABEL] if is_number else None
