"""
Translates Twilio's webhook fields for SMS and WhatsApp to events.

Fields without a counterpart in the event are stored in `extra`: Twilio adds fields without notice. Nothing is rejected;
a call without a message id becomes an event of kind `unknown`, which intake parks.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from shared.aws.sqs_fifo import digest, to_json
from shared.events.exchange import (
    Button,
    Channel,
    DeliveryStatus,
    File,
    InboundMessage,
    Kind,
    Location,
    bounded_extra,
)
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Mapping

WHATSAPP = "whatsapp:"
_PHONE = re.compile(r"\+[0-9]{5,20}", re.ASCII)
_MEDIA_URL = re.compile(r"MediaUrl([0-9]{1,3})", re.ASCII)
# The old names of MessageSid, and the fields that the event represents itself.
_SIDS = ("MessageSid", "SmsMessageSid", "SmsSid")
_OF_A_MESSAGE = frozenset(
    {
        *("AccountSid", "From", "To", "Body", "NumMedia", "ProfileName", "ExternalUserId", *_SIDS),
        *("OptOutType", "OriginalRepliedMessageSid"),
        *("ButtonText", "ButtonPayload", "ListId", "ListTitle"),
    }
)
_OF_A_PLACE = frozenset({"Latitude", "Longitude", "Label", "Address"})
# The customer's number is dropped: the message has it, and a status does not need it.
_OF_A_STATUS = frozenset(
    {"AccountSid", "From", "To", "MessageStatus", "SmsStatus", "ErrorCode", *_SIDS}
)
# WhatsApp types that no other field identifies (which of them Twilio passes on is not documented).
_KINDS: Mapping[str, Kind] = {"contacts": "contacts", "reaction": "reaction"}


def inbound_message(fields: Mapping[str, Any], account: str, received_at_ms: int) -> InboundMessage:
    """Build the event of an inbound webhook; *account* is the SID whose signature was verified."""
    sender, recipient = _text(fields, "From"), _text(fields, "To")
    channel = _channel(sender, recipient)
    address, user_id = _customer(channel, sender, _text(fields, "ExternalUserId"))
    files, location = _files(fields), _location(fields)
    used = _OF_A_MESSAGE | {f"MediaUrl{n}" for n in files} | {f"MediaContentType{n}" for n in files}
    used |= _OF_A_PLACE if location else frozenset()
    return InboundMessage(
        provider="twilio",
        provider_message_id=_sid(fields),
        account=account,
        channel_method=channel,
        business_address=recipient.removeprefix(WHATSAPP),
        customer_address=address,
        customer_user_id=user_id,
        profile_name=_text(fields, "ProfileName") or None,
        received_at=clock.to_text(received_at_ms),
        kind=_kind(fields, channel, has_media=bool(files)),
        text=_text(fields, "Body") if "Body" in fields else None,
        button=_button(fields),
        media=list(files.values()),
        location=location,
        reply_to=_text(fields, "OriginalRepliedMessageSid") or None,
        opt_out_type=_text(fields, "OptOutType") or None,
        extra=bounded_extra({name: value for name, value in fields.items() if name not in used}),
    )


def delivery_status(
    fields: Mapping[str, Any], account: str, action_id: str | None, occurred_at_ms: int
) -> DeliveryStatus:
    """Build the event of a status callback; *action_id* comes from its query. The callback has no timestamp."""
    status = _text(fields, "MessageStatus") or _text(fields, "SmsStatus") or "unknown"
    return DeliveryStatus(
        provider="twilio",
        provider_message_id=_sid(fields),
        account=account,
        channel_method=_channel(_text(fields, "From"), _text(fields, "To")),
        business_address=_text(fields, "From").removeprefix(WHATSAPP) or None,
        action_id=action_id,
        status=status,
        error_code=_text(fields, "ErrorCode") or None,
        occurred_at=clock.to_text(occurred_at_ms),
        extra=bounded_extra(
            {name: value for name, value in fields.items() if name not in _OF_A_STATUS}
        ),
    )


def _sid(fields: Mapping[str, Any]) -> str:
    """Return the message id; without one, a hash of the call, so that a repeat is recognised."""
    sid = next((_text(fields, name) for name in _SIDS if _text(fields, name)), "")
    return sid or f"none-{digest(to_json(dict(fields)))}"


def _channel(sender: str, recipient: str) -> Channel:
    """Return the channel. Other address types (`rcs:...`) count as SMS: no company owns one, so intake parks them."""
    is_whatsapp = sender.startswith(WHATSAPP) or recipient.startswith(WHATSAPP)
    return "whatsapp" if is_whatsapp else "sms"


def _customer(
    channel: Channel, sender: str, external_user_id: str
) -> tuple[str | None, str | None]:
    """Return the sender's number (on SMS, any sender address) and the business-scoped user id."""
    bare, user_id = sender.removeprefix(WHATSAPP), external_user_id.removeprefix(WHATSAPP)
    if channel == "sms" or _PHONE.fullmatch(bare):
        return bare or None, user_id or None
    # Customers who hide their number send as `whatsapp:` and their business-scoped user id.
    return None, user_id or bare or None


def _kind(fields: Mapping[str, Any], channel: Channel, *, has_media: bool) -> Kind:
    if _text(fields, "ListId"):
        return "list"
    if _text(fields, "ButtonPayload") or _text(fields, "ButtonText"):
        return "button"
    message_type = _text(fields, "MessageType")
    if message_type in _KINDS:
        return _KINDS[message_type]
    if has_media:
        return "media"
    if _location(fields):
        return "location"
    is_message = any(_text(fields, name) for name in _SIDS)
    # An SMS may be empty. A WhatsApp message without any known content has an unknown type.
    is_text = bool(_text(fields, "Body")) or channel == "sms"
    return "text" if is_message and is_text else "unknown"


def _button(fields: Mapping[str, Any]) -> Button | None:
    payload = _text(fields, "ListId") or _text(fields, "ButtonPayload")
    label = _text(fields, "ListTitle") or _text(fields, "ButtonText")
    return Button(payload=payload or None, label=label or None) if payload or label else None


def _location(fields: Mapping[str, Any]) -> Location | None:
    latitude, longitude = _text(fields, "Latitude"), _text(fields, "Longitude")
    if not latitude or not longitude:
        return None
    return Location(
        latitude=latitude,
        longitude=longitude,
        name=_text(fields, "Label") or None,
        address=_text(fields, "Address") or None,
    )


def _files(fields: Mapping[str, Any]) -> dict[str, File]:
    """Return the files by their number, from the fields present, regardless of NumMedia."""
    numbers = [match[1] for name in fields if (match := _MEDIA_URL.fullmatch(name))]
    return {
        number: File(
            url=_text(fields, f"MediaUrl{number}"),
            provider_id=_text(fields, f"MediaUrl{number}").rpartition("/")[2] or None,
            mime_type=_text(fields, f"MediaContentType{number}") or None,
        )
        for number in sorted(numbers, key=int)
    }


def _text(fields: Mapping[str, Any], name: str) -> str:
    """Return a field as text: the first of several values, or empty if missing or not text."""
    value = fields.get(name)
    value = value[0] if isinstance(value, list) and value else value
    return value if isinstance(value, str) else ""
