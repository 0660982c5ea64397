"""
Meta's rules for WhatsApp messages, shared by Graph and AWS, and its error details.

Checks only rules that need no account: not the customer service window, the approval of templates
or the consent of the recipient. Source: Meta's Messages reference.
"""

import re
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass

INVALID_PARAMETER = 100
MISSING_PARAMETER = 131008
INVALID_VALUE = 131009

# Interactive messages whose `action` is not checked.
_RARE_KINDS = (
    "product", "product_list", "catalog_message", "carousel", "flow", "address_message",
    "location_request_message", "call_permission_request", "order_details", "order_status",
)  # fmt: skip


class BrokenRule(Exception):
    """A message breaks a rule. `details` name the parameter and the rule, never the content."""

    def __init__(self, code: int, path: str, rule: str) -> None:
        self.code = code
        self.details = f"Param {path}: {rule}"
        super().__init__(self.details)


@dataclass(frozen=True)
class Accepted:
    """
    A message that Meta would deliver.

    `address` is unchanged: a phone number, a group id, or (`is_user_id`) a business-scoped user id.
    """

    address: str
    is_user_id: bool
    callback_data: str | None


@dataclass(frozen=True)
class Part:
    """A JSON object inside a message. Its methods read one field each, or raise `BrokenRule`."""

    fields: dict[str, object]
    path: str = ""

    def text(self, key: str, most: int, *, pattern: str = r"(?s).+") -> str:
        """Return a string of at most *most* characters."""
        value = self._required(key)
        if not isinstance(value, str):
            raise self.broken(key, "must be a string")
        if len(value) > most:
            raise self.broken(key, f"must be at most {most} characters long")
        if not re.fullmatch(pattern, value):
            raise self.broken(key, f"must match {pattern}" if value else "must not be empty")
        return value

    def optional_text(self, key: str, most: int, *, pattern: str = r"(?s).+") -> str | None:
        """As `text`, or None if the field is absent."""
        return self.text(key, most, pattern=pattern) if key in self.fields else None

    def choice(self, key: str, allowed: Iterable[str]) -> str:
        """Return one of the *allowed* values."""
        value = self._required(key)
        if value not in (allowed := list(allowed)):
            raise self.broken(key, f"must be one of {', '.join(allowed)}")
        return str(value)

    def number(self, key: str, most: float) -> None:
        """Check a number between -most and most; numeric strings are allowed."""
        value = self._required(key)
        try:
            fits = not isinstance(value, bool) and abs(float(str(value))) <= most
        except ValueError:
            fits = False
        if not fits:
            raise self.broken(key, f"must be a number between -{most:g} and {most:g}")

    def part(self, key: str) -> "Part":
        """Return an object."""
        return self._part(self._required(key), self._at(key))

    def parts(self, key: str, most: int) -> list["Part"]:
        """Return a list of 1 to *most* objects."""
        value = self._required(key)
        if not isinstance(value, list) or not 1 <= len(value) <= most:
            raise self.broken(key, f"must be a list of 1 to {most} objects")
        return [self._part(item, f"{self._at(key)}[{n}]") for n, item in enumerate(value)]

    def broken(self, key: str, rule: str, code: int | None = None) -> BrokenRule:
        """Return the error of a field."""
        usual = INVALID_VALUE if key == "message_id" else INVALID_PARAMETER
        return BrokenRule(code or usual, self._at(key), rule)

    def _required(self, key: str) -> object:
        if key not in self.fields:
            raise self.broken(key, "is required", MISSING_PARAMETER)
        return self.fields[key]

    def _at(self, key: str) -> str:
        return f"{self.path}[{key!r}]" if self.path else key

    @staticmethod
    def _part(value: object, path: str) -> "Part":
        if not isinstance(value, dict):
            raise BrokenRule(INVALID_PARAMETER, path or "(body)", "must be an object")
        return Part(value, path)

    @classmethod
    def whole(cls, message: object) -> "Part":
        """Return the whole message as a part."""
        return cls._part(message, "")


def digits_of(phone: str) -> str:
    """Return a dialled number as Meta's wa_id: digits only; empty if it has other characters."""
    bare = phone.translate(str.maketrans("", "", "+-() "))
    return bare if bare.isascii() and bare.isdigit() else ""


def is_receipt(message: object) -> bool:
    """Whether the body is a read receipt, not a message."""
    return isinstance(message, dict) and "status" in message


def check_receipt(message: object) -> None:
    """Check a read receipt, with or without a typing indicator."""
    receipt = Part.whole(message)
    receipt.choice("messaging_product", ["whatsapp"])
    receipt.choice("status", ["read"])
    _message_id(receipt)
    if "typing_indicator" in receipt.fields:
        receipt.part("typing_indicator").choice("type", ["text"])


def check_message(message: object, media_ids: Container[str]) -> Accepted:
    """Check a message to a customer. The files that may be sent are *media_ids*."""
    whole = Part.whole(message)
    whole.choice("messaging_product", ["whatsapp"])
    address = _phone_or_group(whole) if "to" in whole.fields else None
    user_id = whole.optional_text("recipient", 150, pattern=r"[A-Z]{2}\.[A-Za-z0-9.]+")
    if address is None and user_id is None:
        raise whole.broken("to", "is required", MISSING_PARAMETER)
    if "context" in whole.fields:
        _message_id(whole.part("context"))
    kind = "text"
    if "type" in whole.fields:
        kind = whole.choice("type", [*_CONTENT, *_MEDIA, "contacts"])
    if kind in _MEDIA:
        _media(whole.part(kind), media_ids)
    elif kind == "contacts":
        for contact in whole.parts(kind, 10):
            contact.part("name").text("formatted_name", 1024)
    else:
        _CONTENT[kind](whole.part(kind))
    callback_data = whole.optional_text("biz_opaque_callback_data", 512)
    # If both are set, Meta uses `to`.
    return Accepted(address or user_id or "", address is None, callback_data)


def _phone_or_group(whole: Part) -> str:
    to = whole.text("to", 256)
    kind = "individual"
    if "recipient_type" in whole.fields:
        kind = whole.choice("recipient_type", ["individual", "group"])
    if kind == "individual" and len(digits_of(to)) not in range(7, 16):
        raise whole.broken("to", "must be a phone number of 7 to 15 digits")
    return to


def _message_id(part: Part) -> None:
    part.text("message_id", 256, pattern=r"wamid\..+")


def _text(text: Part) -> None:
    text.text("body", 4096)


def _media(media: Part, media_ids: Container[str]) -> None:
    media.optional_text("caption", 1024)
    media_id = media.optional_text("id", 256)
    link = media.optional_text("link", 2048, pattern=r"https?://\S+")
    if (media_id is None) == (link is None):
        raise media.broken("id", "exactly one of id and link is required")
    if media_id is not None and media_id not in media_ids:
        raise media.broken("id", "no such media")


def _reaction(reaction: Part) -> None:
    _message_id(reaction)
    reaction.text("emoji", 64, pattern=r".*")  # an empty one removes the reaction


def _location(location: Part) -> None:
    location.number("latitude", 90)
    location.number("longitude", 180)


def _template(template: Part) -> None:
    template.text("name", 512, pattern=r"[a-z0-9_]+")
    template.part("language").text("code", 16)


def _interactive(interactive: Part) -> None:
    kind = interactive.choice("type", [*_ACTIONS, *_RARE_KINDS])
    if kind in _ACTIONS or "body" in interactive.fields:
        interactive.part("body").text("text", 4096 if kind == "list" else 1024)
    if "footer" in interactive.fields:
        interactive.part("footer").text("text", 60)
    if kind in _ACTIONS:
        _ACTIONS[kind](interactive.part("action"))


def _buttons(action: Part) -> None:
    replies = [button.part("reply") for button in action.parts("buttons", 3)]
    for reply in replies:
        reply.text("title", 20)
    if len({reply.text("id", 256) for reply in replies}) < len(replies):
        raise action.broken("buttons", "ids must differ")


def _list(action: Part) -> None:
    action.text("button", 20)
    rows = [row for section in action.parts("sections", 10) for row in section.parts("rows", 10)]
    for row in rows:
        row.text("id", 200)
        row.text("title", 24)
        row.optional_text("description", 72)
    if len(rows) > 10:  # noqa: PLR2004 - named in the next line
        raise action.broken("sections", "must hold at most 10 rows in all")


def _link_button(action: Part) -> None:
    action.choice("name", ["cta_url"])
    parameters = action.part("parameters")
    parameters.text("display_text", 20)
    parameters.text("url", 2000, pattern=r"https?://\S+")


_MEDIA = ("image", "video", "audio", "document", "sticker")
_CONTENT: dict[str, Callable[[Part], None]] = {
    "text": _text,
    "reaction": _reaction,
    "location": _location,
    "template": _template,
    "interactive": _interactive,
}
_ACTIONS: dict[str, Callable[[Part], None]] = {
    "button": _buttons,
    "list": _list,
    "cta_url": _link_button,
}
