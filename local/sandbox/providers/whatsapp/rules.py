"""
Meta's rules for WhatsApp messages, shared by Graph and AWS, and its error details.

Checks only rules that need no account: not the customer service window, the approval of templates
or the consent of the recipient. Source: Meta's Messages reference.
"""

from collections.abc import Callable, Container
from dataclasses import dataclass

from local.sandbox.providers.whatsapp import interactive_rules
from local.sandbox.providers.whatsapp.parts import MISSING_PARAMETER, BrokenRule, Part


@dataclass(frozen=True)
class Accepted:
    """
    A message that Meta would deliver.

    `address` is unchanged: a phone number, a group id, or (`is_user_id`) a business-scoped user id.
    """

    address: str
    is_user_id: bool
    callback_data: str | None


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


_MEDIA = ("image", "video", "audio", "document", "sticker")
_CONTENT: dict[str, Callable[[Part], None]] = {
    "text": _text,
    "reaction": _reaction,
    "location": _location,
    "template": _template,
    "interactive": interactive_rules.check,
}

__all__ = ["Accepted", "BrokenRule", "check_message", "check_receipt", "digits_of", "is_receipt"]
