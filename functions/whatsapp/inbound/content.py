"""Parses a provider's message into the contract's type, text, preview and other fields. Accepts any input."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

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
_LONGEST_NAME = 256
_MOST_CONTACTS = 10
_MOST_ITEMS = 100
_MOST_ERRORS = 5


@dataclass(frozen=True, slots=True)
class MediaFile:
    """The file of a media message, as announced in the webhook."""

    media_id: str
    mime_type: str
    sha256: str
    filename: str
    voice: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """A message's content under the contract's field names (item 1: `type`, `textBody`, `preview` ...)."""

    type: str
    subtype: str
    text_body: str | None = None
    caption: str | None = None
    preview: str = ""
    media: MediaFile | None = None
    content: dict[str, Any] = field(default_factory=dict)
    errors: list[dict[str, Any]] = field(default_factory=list)
    opens_window: bool = False
    is_unknown: bool = False


def describe(message: Mapping[str, Any]) -> Content:
    """Return the content of a message in Meta's format; unknown types are kept raw in `content`. Never raises."""
    kind = str(message.get("type") or "unknown")
    described = _DESCRIPTIONS.get(kind, _unknown)(_part(message, kind), message)
    facts: dict[str, Any] = {"type": kind, "subtype": kind, "opens_window": kind in _OPENS_WINDOW}
    facts["is_unknown"] = kind not in _DESCRIPTIONS and kind != "unsupported"
    return Content(**facts | described | {"preview": _preview(described, kind)})


def _preview(described: Mapping[str, Any], kind: str) -> str:
    text = (
        described.get("preview")
        or described.get("text_body")
        or described.get("caption")
        or f"[{kind}]"
    )
    return str(text)[:PREVIEW_CHARACTERS]


def _text(part: Mapping[str, Any], _message: Mapping[str, Any]) -> dict[str, Any]:
    return {"text_body": _string(part, "body")}


def _media(part: Mapping[str, Any], _message: Mapping[str, Any]) -> dict[str, Any]:
    media_id = _string(part, "id")
    if not media_id:
        return {"content": dict(part)}
    filename = (_string(part, "filename") or "")[:_LONGEST_NAME]
    return {
        "caption": _string(part, "caption"),
        "preview": _string(part, "caption") or (f"[document] {filename}" if filename else None),
        "media": MediaFile(
            media_id=media_id,
            mime_type=(_string(part, "mime_type") or "")[:_LONGEST_NAME],
            sha256=(_string(part, "sha256") or "")[:_LONGEST_NAME],
            filename=filename,
            voice=part.get("voice") is True,
        ),
    }


def _location(part: Mapping[str, Any], _message: Mapping[str, Any]) -> dict[str, Any]:
    name = _string(part, "name") or _string(part, "address")
    return {"content": dict(part), "preview": f"[location] {name}" if name else None}


def _contacts(_part: Mapping[str, Any], message: Mapping[str, Any]) -> dict[str, Any]:
    contacts = _list(message.get("contacts"))[:_MOST_CONTACTS]
    return {"content": {"contacts": contacts}, "preview": f"[contacts, {len(contacts)}]"}


def _interactive(part: Mapping[str, Any], _message: Mapping[str, Any]) -> dict[str, Any]:
    kind = _string(part, "type") or "interactive"
    if "body" in part and kind not in part:
        # A message of the business contains no answer: its text and its buttons are sibling fields.
        text = _string(_part(part, "body"), "text")
        return {"subtype": kind, "text_body": text, "content": dict(part)}
    answer = _part(part, kind)
    text = _string(answer, "title") or _string(answer, "body") or _string(answer, "response")
    content: dict[str, Any] = {"kind": kind, "replyId": _string(answer, "id")}
    if kind not in {"button_reply", "list_reply"}:
        content["answer"] = answer
    return {
        "type": "interactive",
        "subtype": kind,
        "text_body": text,
        "content": {name: value for name, value in content.items() if value},
    }


def _button(part: Mapping[str, Any], _message: Mapping[str, Any]) -> dict[str, Any]:
    payload = _string(part, "payload")
    return {
        "type": "interactive",
        "text_body": _string(part, "text") or payload,
        "content": {"payload": payload} if payload else {},
    }


def _order(part: Mapping[str, Any], _message: Mapping[str, Any]) -> dict[str, Any]:
    items = _list(part.get("product_items"))[:_MOST_ITEMS]
    content = {"catalogId": part.get("catalog_id"), "items": items, "text": part.get("text")}
    return {
        "type": "interactive",
        "text_body": _string(part, "text"),
        "content": {name: value for name, value in content.items() if value},
        "preview": f"[order, {len(items)} item{'s' * (len(items) != 1)}]",
    }


def _request_welcome(_part: Mapping[str, Any], _message: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "interactive", "preview": "[opened the chat]"}


def _template(part: Mapping[str, Any], _message: Mapping[str, Any]) -> dict[str, Any]:
    name = (_string(part, "name") or "")[:_LONGEST_NAME]
    return {"content": dict(part), "preview": f"[template] {name}" if name else None}


def _system(part: Mapping[str, Any], _message: Mapping[str, Any]) -> dict[str, Any]:
    content = {name: value for name, value in part.items() if name != "body"}
    return {"type": "text", "text_body": _string(part, "body"), "content": content}


def _unknown(_part: Mapping[str, Any], message: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "text",
        "content": {"raw": dict(message)},
        "errors": [error for error in _list(message.get("errors")) if isinstance(error, dict)][
            :_MOST_ERRORS
        ],
    }


_DESCRIPTIONS: Mapping[str, Callable[[Mapping[str, Any], Mapping[str, Any]], dict[str, Any]]] = {
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


def _part(message: Mapping[str, Any], name: str) -> dict[str, Any]:
    part = message.get(name)
    return part if isinstance(part, dict) else {}


def _string(part: Mapping[str, Any], name: str) -> str | None:
    value = part.get(name)
    return value if isinstance(value, str) and value else None


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
