"""Parses a provider's message into the contract's type, text, preview and other fields: any input, in full."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from whatsapp.inbound.event import LONGEST_ID

PREVIEW_CHARACTERS = 120
REVOKED_PREVIEW = "[deleted]"
MEDIA_TYPES = frozenset({"image", "video", "audio", "document", "sticker"})
# A customer's message of these kinds opens the 24 hour window in which free-form answers are allowed. Not confirmed by
# the provider's documentation for every kind; reactions, edits, revocations, system and unsupported ones do not.
_OPENS_WINDOW = MEDIA_TYPES | {
    "text",
    "location",
    "contacts",
    "interactive",
    "button",
    "order",
    "request_welcome",
}
LONGEST_NAME = 256  # of a type, a file or a person in an item
# Address, time and type of a message: its item has an attribute for each.
_FRAME = frozenset(
    {"id", "from", "from_user_id", "to", "to_user_id", "user_id", "group_id", "timestamp", "type"}
)

# Of a `contacts[]` entry, besides its ids: each has an attribute of the message (`whatsapp.inbound.senders`).
_SENDER_FIELDS = ("username", "parent_user_id", "identity_key_hash")

type Fields = dict[str, Any]  # JSON of the provider


@dataclass(frozen=True, slots=True)
class MediaFile:
    """The file of a media message, as announced in the webhook."""

    media_id: str
    mime_type: str
    sha256: str
    filename: str
    voice: bool | None
    animated: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """
    A message's content under the contract's field names (item 1: `type`, `textBody`, `preview` ...), in full.

    `other_fields`: the provider's fields that have no field here, in the provider's structure.
    """

    type: str
    subtype: str
    text_body: str | None = None
    caption: str | None = None
    preview: str = ""
    media: MediaFile | None = None
    content: Fields = field(default_factory=dict)
    errors: list[Fields] = field(default_factory=list)
    reply_to: str | None = None
    forwarded: bool | None = None
    forwarded_many_times: bool | None = None
    referral: Fields = field(default_factory=dict)
    referred_product: Fields = field(default_factory=dict)
    other_fields: Fields = field(default_factory=dict)
    opens_window: bool = False
    is_unknown: bool = False


def describe(message: Mapping[str, Any]) -> Content:
    """
    Return the content of a message in Meta's format. Never raises.

    Every value of the message has one place: the parsers below take out what they translate, and the rest becomes
    `other_fields`. Unknown types are kept raw in `content`.
    """
    kind = str(message.get("type") or "unknown")
    rest = without(message, *_FRAME)
    facts: Fields = {
        "type": kind,
        "subtype": kind[:LONGEST_NAME],
        "opens_window": kind in _OPENS_WINDOW,
        "is_unknown": kind not in _DESCRIPTIONS and kind != "unsupported",
        "errors": _taken_objects(rest, "errors"),
        "referral": _taken_object(rest, "referral"),
        **_context(_part(rest, "context")),
    }
    if kind in _DESCRIPTIONS:
        described = _DESCRIPTIONS[kind](_part(rest, kind), rest)
    else:
        described, rest = {"type": "text", "content": {"raw": dict(message)}}, {}
    facts |= described | {"preview": _preview(described, kind)}
    return Content(**facts, other_fields=with_values(rest))


def fields_of_contact(contact: Mapping[str, Any] | None) -> Fields:
    """Return the fields of a `contacts[]` entry that are stored nowhere else: all but ids and names."""
    rest = without(contact or {}, "wa_id", "user_id")
    profile = _part(rest, "profile")
    for part, name in (
        (profile, "name"),
        (profile, "username"),
        *((rest, name) for name in _SENDER_FIELDS),
    ):
        _taken(part, name, LONGEST_NAME)
    return with_values(rest)


def without(part: Mapping[str, Any], *names: str) -> Fields:
    """Return a copy of a part of an event without the ids and times under *names*; longer values there are kept."""
    return with_values(
        {
            name: _copied(value)
            for name, value in part.items()
            if name not in names or not isinstance(value, str | int) or len(str(value)) > LONGEST_ID
        }
    )


def fields_beside(message: Mapping[str, Any], name: str, *taken: str) -> Fields:
    """Return the fields of a change of a message, such as an edit, besides its id, its type and *taken* of its part."""
    rest = without(message, "id", "type")
    part = _part(rest, name)
    for field_name in taken:
        part.pop(field_name, None)
    return with_values(rest)


def with_values(part: Fields) -> Fields:
    """Return a part of an event without the objects and lists that contain no value."""
    return {name: value for name, value in part.items() if _has_value(value)}


def _has_value(value: object) -> bool:
    if isinstance(value, dict | list):
        return any(map(_has_value, value.values() if isinstance(value, dict) else value))
    return value is not None


def _copied(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(value, dict):
        return {name: _copied(entry) for name, entry in value.items()}
    return [_copied(entry) for entry in value] if isinstance(value, list) else value


def _context(context: Fields) -> Fields:
    return {
        "reply_to": _taken(context, "id", LONGEST_ID),
        "forwarded": _taken_flag(context, "forwarded"),
        "forwarded_many_times": _taken_flag(context, "frequently_forwarded"),
        "referred_product": _taken_object(context, "referred_product"),
    }


def _preview(described: Mapping[str, Any], kind: str) -> str:
    text = (
        described.get("preview")
        or described.get("text_body")
        or described.get("caption")
        or f"[{kind}]"
    )
    return str(text)[:PREVIEW_CHARACTERS]


def _text(part: Fields, _message: Fields) -> Fields:
    return {"text_body": _taken(part, "body")}


def _media(part: Fields, _message: Fields) -> Fields:
    media_id = _string(part, "id")
    if media_id is None or len(media_id) > LONGEST_ID:
        return {"content": _taken_whole(part)}
    del part["id"]
    part.pop("url", None)  # Expires after five minutes; the file is requested by its id.
    caption, filename = _taken(part, "caption"), _taken(part, "filename", LONGEST_NAME) or ""
    return {
        "caption": caption,
        "preview": caption or (f"[document] {filename}" if filename else None),
        "media": MediaFile(
            media_id=media_id,
            mime_type=_taken(part, "mime_type", LONGEST_NAME) or "",
            sha256=_taken(part, "sha256", LONGEST_NAME) or "",
            filename=filename,
            voice=_taken_flag(part, "voice"),
            animated=_taken_flag(part, "animated"),
        ),
    }


def _location(part: Fields, _message: Fields) -> Fields:
    name = _string(part, "name") or _string(part, "address")
    return {
        "content": _taken_whole(part),
        "preview": f"[location] {name}" if name else None,
    }


def _contacts(_part: Fields, message: Fields) -> Fields:
    contacts = _taken_list(message, "contacts")
    return {"content": {"contacts": contacts}, "preview": f"[contacts, {len(contacts)}]"}


def _interactive(part: Fields, _message: Fields) -> Fields:
    kind = _string(part, "type") or "interactive"
    if "body" in part and kind not in part:
        # A message of the business contains no answer: its text and its buttons are sibling fields.
        text = _string(_part(part, "body"), "text")
        return {"subtype": kind[:LONGEST_NAME], "text_body": text, "content": _taken_whole(part)}
    _taken(part, "type", LONGEST_NAME)
    answer = _taken_object(part, kind)
    content: Fields = {"kind": kind[:LONGEST_NAME], "replyId": _string(answer, "id")}
    text = _string(answer, "title") or _string(answer, "body") or _string(answer, "response")
    if kind in {"button_reply", "list_reply"}:
        _taken(answer, "id"), _taken(answer, "title")
    content["answer"] = answer
    return {
        "type": "interactive",
        "subtype": kind[:LONGEST_NAME],
        "text_body": text,
        "content": with_values(content),
    }


def _button(part: Fields, _message: Fields) -> Fields:
    payload, text = _taken(part, "payload"), _taken(part, "text")
    return {
        "type": "interactive",
        "text_body": text or payload,
        "content": {"payload": payload} if payload else {},
    }


def _order(part: Fields, _message: Fields) -> Fields:
    text = _taken(part, "text")
    items = _taken_list(part, "product_items")
    content = {"catalogId": part.pop("catalog_id", None), "items": items, "text": text}
    return {
        "type": "interactive",
        "text_body": text,
        "content": with_values(content),
        "preview": f"[order, {len(items)} item{'s' * (len(items) != 1)}]",
    }


def _request_welcome(_part: Fields, _message: Fields) -> Fields:
    return {"type": "interactive", "preview": "[opened the chat]"}


def _template(part: Fields, _message: Fields) -> Fields:
    name = (_string(part, "name") or "")[:LONGEST_NAME]
    return {"content": _taken_whole(part), "preview": f"[template] {name}" if name else None}


def _system(part: Fields, _message: Fields) -> Fields:
    return {
        "type": "text",
        "text_body": _taken(part, "body"),
        "content": _taken_whole(part),
    }


_DESCRIPTIONS: Mapping[str, Callable[[Fields, Fields], Fields]] = {
    "text": _text,
    **dict.fromkeys(MEDIA_TYPES, _media),
    "location": _location,
    "contacts": _contacts,
    "interactive": _interactive,
    "button": _button,
    "order": _order,
    "request_welcome": _request_welcome,
    "template": _template,
    "system": _system,
}


def _part(message: Mapping[str, Any], name: str) -> Fields:
    part = message.get(name)
    return part if isinstance(part, dict) else {}


def _string(part: Mapping[str, Any], name: str) -> str | None:
    value = part.get(name)
    return value if isinstance(value, str) and value else None


def _taken(part: Fields, name: str, longest: int | None = None) -> str | None:
    """Take a text out of its part; one over *longest* characters is cut, and stays in its part in full."""
    value = _string(part, name)
    if value is not None and (longest is None or len(value) <= longest):
        del part[name]
    return value and value[:longest]


def _taken_flag(part: Fields, name: str) -> bool | None:
    return part.pop(name) if isinstance(part.get(name), bool) else None


def _taken_list(part: Fields, name: str) -> list[Any]:
    return part.pop(name) if isinstance(part.get(name), list) else []


def _taken_object(part: Fields, name: str) -> Fields:
    return part.pop(name) if isinstance(part.get(name), dict) else {}


def _taken_objects(part: Fields, name: str) -> list[Fields]:
    """Take a list of objects out of its part; a list with other values stays there."""
    entries = part.get(name)
    is_taken = isinstance(entries, list) and all(isinstance(entry, dict) for entry in entries)
    return part.pop(name) if is_taken else []


def _taken_whole(part: Fields) -> Fields:
    whole = dict(part)
    part.clear()
    return whole
