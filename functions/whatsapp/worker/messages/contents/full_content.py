"""
The content of messages, of their edits and statuses: in full in the item, or in full in S3.

One rule for all of them: if a text or the whole is too long for the item, one object has all fields, the item refers to
it and keeps the beginning of the texts and the small fields.
"""

import json
from collections.abc import Mapping
from typing import Any

from shared.aws.sqs_fifo import digest
from whatsapp.configuration.folders import content_of_message
from whatsapp.inbound import content, senders
from whatsapp.inbound.content import Content
from whatsapp.inbound.event import Event
from whatsapp.store.items import Phone
from whatsapp.store.items.item import WhatsAppItem

LONGEST_TEXT = 4_096  # characters; WhatsApp's own limit
LARGEST_CONTENT_BYTES = 8_000
TRUNCATED_BYTES = 2_000

type Fields = dict[str, Any]  # values by field name of an item class


def bounded(
    item: type[WhatsAppItem], fields: Mapping[str, Any], key: str
) -> tuple[Fields, bytes | None]:
    """
    Return the fields of an item that has `content_s3_key`, and the object to store under *key* if they are cut.

    The object is JSON with all fields under their stored names.
    """
    present = {name: value for name, value in fields.items() if value not in (None, "", {}, [])}
    whole = json.dumps(item.named(**present), ensure_ascii=False).encode()
    texts = [value for value in present.values() if isinstance(value, str)]
    if len(whole) <= LARGEST_CONTENT_BYTES and all(len(text) <= LONGEST_TEXT for text in texts):
        return present, None
    small = {name: _beginning(value) for name, value in present.items()}
    kept = {name: value for name, value in small.items() if value is not None}
    return kept | {"content_s3_key": key}, whole


def _beginning(value: Any) -> Any:  # noqa: ANN401 - a JSON value
    """Return the beginning of a text, or a small object or list; None if it is larger."""
    if isinstance(value, str):
        return value.encode()[:TRUNCATED_BYTES].decode("utf-8", "ignore")
    return value if len(json.dumps(value).encode()) <= TRUNCATED_BYTES else None


def key_of(phone: Phone, message_id: str, folder: str, *event: str) -> str:
    """Return the key of the object for one event of a message, in one of the folders above."""
    prefix = content_of_message(phone.company, phone.phone, message_id)
    return f"{prefix}{folder}{digest(*event)}.json"


def of_change(event: Event, name: str, *taken: str) -> Fields:
    """Return the fields of a change of a message besides *taken* of its part *name*, as fields of an item."""
    contact = content.without(event.contact or {}, "wa_id", "user_id")
    rest = content.fields_beside(event.payload or {}, name, *taken)
    return {"other_fields": senders.with_contact(rest, contact)}


def of_message(described: Content) -> Fields:
    """Return the content of a message that can be long, as fields of `Message`."""
    return {
        "text_body": described.text_body,
        "caption": described.caption,
        "content": described.content,
        "errors": described.errors,
        "referral": described.referral,
        "referred_product": described.referred_product,
        "other_fields": described.other_fields,
    }


def of_file(described: Content) -> Fields:
    """Return the announced attributes of a message's file, as fields of `Message`; None for each if it has no file."""
    file = described.media
    return {
        "media_id": file.media_id if file else None,
        "mime_type": file.mime_type if file else None,
        "sha256": file.sha256 if file else None,
        "filename": file.filename if file else None,
        "voice": file.voice if file else None,
        "animated": file.animated if file else None,
    }
